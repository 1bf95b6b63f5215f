// SPDX-License-Identifier: MIT
// Maximal independent set after Luby: random priorities in each round, a vertex with a lower one
// than all undecided neighbours enters the set, and its neighbours leave.
#include "unseen.h"

enum State : unsigned char { UNDECIDED, IN, OUT };

__device__ __forceinline__ unsigned
hash_round(unsigned v, unsigned round)
{
	unsigned h = v * 0x9e3779b1u + round * 0x85ebca77u;
	h ^= h >> 15;
	h *= 0x2c1b3c6du;
	h ^= h >> 12;
	h *= 0x297a2d39u;
	return h ^ h >> 15;
}

__global__ void
select_round(const int n, const int *__restrict__ row, const int *__restrict__ col,
	const unsigned char *__restrict__ state, unsigned char *selected, unsigned round)
{
	const int v = threadIdx.x + blockIdx.x * blockDim.x;
	if (v >= n)
		return;
	unsigned char s = state[v];
	if (s == UNDECIDED) {
		const unsigned mine = hash_round(v, round);
		s = IN;
		for (int e = row[v], end = row[v + 1]; e != end; ++e) {
			const int u = col[e];
			if (state[u] != UNDECIDED)
				continue;
			const unsigned other = hash_round(u, round);
			if (other < mine || (other == mine && u < v)) {
				s = UNDECIDED;
				break;
			}
		}
	}
	selected[v] = s;
}

__global__ void
exclude_round(const int n, const int *__restrict__ row, const int *__restrict__ col,
	const unsigned char *__restrict__ selected, unsigned char *state)
{
	const int v = threadIdx.x + blockIdx.x * blockDim.x;
	if (v >= n)
		return;
	unsigned char s = selected[v];
	if (s == UNDECIDED)
		for (int e = row[v], end = row[v + 1]; e != end; ++e)
			if (selected[col[e]] == IN) {
				s = OUT;
				break;
			}
	state[v] = s;
}

int
main(int argc, char **argv)
{
	Options options(argc, argv);
	const int n = options.size(options.divergent ? 1 << 20 : 1 << 22);
	const unsigned rounds = 8;
	Graph g = random_graph(n, options.divergent ? 6 : 0, options.divergent, 11);
	if (!options.divergent) { // isolated triples: a round decides almost all
		for (int v = 0; v < n; v++) {
			if (v % 3 == 0 && v + 2 < n) {
				g.col.push_back(v + 1);
				g.col.push_back(v + 2);
			}
			g.row[v + 1] = g.edges();
		}
	}
	Graph s = symmetric(g);
	int *row = to_device(s.row), *col = to_device(s.col);
	unsigned char *state = device_zeros<unsigned char>(n), *selected = device_zeros<unsigned char>(n);
	const int threads = 256, blocks = blocks_for(n, threads);
	double ms = time_ms(options, [&] { CUDA_CHECK(cudaMemset(state, UNDECIDED, n)); }, [&] {
		for (unsigned r = 0; r < rounds; r++) {
			select_round<<<blocks, threads>>>(n, row, col, state, selected, r);
			exclude_round<<<blocks, threads>>>(n, row, col, selected, state);
		}
	});
	Checksum sum;
	sum.device(state, n);
	return report(sum, ms);
}
