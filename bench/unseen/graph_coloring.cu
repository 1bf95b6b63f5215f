// SPDX-License-Identifier: MIT
// Graph colouring after Jones and Plassmann: in each round the uncoloured vertices whose priority
// is the highest among their uncoloured neighbours take the smallest free colour.
#include "unseen.h"

#define UNCOLORED -1

__host__ __device__ inline unsigned
priority(unsigned v)
{
	v ^= v >> 16;
	v *= 0x7feb352du;
	v ^= v >> 15;
	v *= 0x846ca68bu;
	v ^= v >> 16;
	return v;
}

__device__ bool
precedes(int u, int v)
{
	unsigned a = priority(u), b = priority(v);
	return a > b || (a == b && u > v);
}

__device__ int
first_free(const int *row, const int *col, const int *color, int v)
{
	for (int base = 0;; base += 64) {
		unsigned long long used = 0;
		for (int e = row[v]; e < row[v + 1]; e++) {
			int c = color[col[e]] - base;
			if (c >= 0 && c < 64)
				used |= 1ull << c;
		}
		if (~used)
			return base + __ffsll(~used) - 1;
	}
}

__global__ void
color_round(int n, const int *row, const int *col, const int *__restrict__ color, int *next)
{
	int v = blockIdx.x * blockDim.x + threadIdx.x;
	if (v >= n)
		return;
	int c = color[v];
	if (c == UNCOLORED) {
		bool highest = true;
		for (int e = row[v]; e < row[v + 1]; e++) {
			int u = col[e];
			if (color[u] == UNCOLORED && precedes(u, v)) {
				highest = false;
				break;
			}
		}
		if (highest)
			c = first_free(row, col, color, v);
	}
	next[v] = c;
}

int
main(int argc, char **argv)
{
	Options options(argc, argv);
	int n = options.size(1 << 20);
	const int rounds = 16;
	Graph g = random_graph(n, 6, options.divergent, 10);
	if (!options.divergent) // cliques of 4, in which the priorities alone differ
		for (int v = 0; v < n; v++)
			for (int e = g.row[v]; e < g.row[v + 1]; e++)
				g.col[e] = std::min(n - 1, v / 4 * 4 + g.col[e] % 4);
	Graph s = symmetric(g);
	int *row = to_device(s.row), *col = to_device(s.col);
	int *color[2] = { device_zeros<int>(n), device_zeros<int>(n) };
	double ms = time_ms(options, [&] { CUDA_CHECK(cudaMemset(color[0], 0xff, n * sizeof(int))); }, [&] {
		for (int r = 0; r < rounds; r++)
			color_round<<<blocks_for(n, 128), 128>>>(n, row, col, color[r & 1], color[~r & 1]);
	});
	Checksum sum;
	sum.device(color[rounds & 1], n);
	return report(sum, ms);
}
