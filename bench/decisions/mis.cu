// SPDX-License-Identifier: MIT
// A maximal independent set by priorities of one byte, in place: a vertex enters when all undecided
// neighbours have lower ones. The rounds are in the kernel's launch; a loop over vertices.
//
// data a: a power law
// data b: 6 neighbours each
//
// plan 0: for, if
// plan 1: for, for var policy(flatten)
// plan 2: if policy(queue)
// plan 3: for, while
#include "plans.h"

__global__ void
select(int n, const int *__restrict__ row, const int *__restrict__ col, const unsigned char *__restrict__ before,
	unsigned char *after, int *more)
{
	PLANS(for, for, for, for)
	for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < n; v += gridDim.x * blockDim.x) {
		unsigned char mine = before[v];
		PLANS(if, , if policy(queue))
		if (mine & 1) { // undecided
			int e = row[v];
			const int end = row[v + 1];
			bool best = true, beaten = false;
			PLANS(, for var policy(flatten), , while)
			while (e < end && best) {
				unsigned char other = before[col[e]];
				beaten = beaten || other == 254;
				best = other == 0 || other < mine || (other == mine && col[e] > v);
				e++;
			}
			if (beaten)
				mine = 0;
			else if (best)
				mine = 254;
			else
				*more = 1;
		}
		after[v] = mine;
	}
}

int
main(int argc, char **argv)
{
	Options options(argc, argv);
	const int n = options.size(1 << 18), rounds = 8;
	Graph g = symmetric(random_graph(n, options.divergent ? 8 : 3, options.divergent, 14));
	std::vector<unsigned char> priority(n);
	for (int v = 0; v < n; v++) {
		unsigned h = v * 0x9e3779b1u, degree = g.row[v + 1] - g.row[v];
		priority[v] = std::max(1u, (200 / (1 + degree / 4) + (h >> 27)) | 1) & 253;
	}
	int *row = to_device(g.row), *col = to_device(g.col), *more = device_zeros<int>(1);
	unsigned char *start = to_device(priority), *state[2] = { device_zeros<unsigned char>(n), device_zeros<unsigned char>(n) };
	double ms = time_ms(options, [&] { CUDA_CHECK(cudaMemcpy(state[0], start, n, cudaMemcpyDeviceToDevice)); }, [&] {
		for (int r = 0; r < rounds; r++)
			select<<<loop_blocks(n, 256), 256>>>(n, row, col, state[r & 1], state[~r & 1], more);
	});
	Checksum sum;
	sum.device(state[rounds & 1], n);
	return report(sum, ms);
}
