// SPDX-License-Identifier: MIT
// Connected components by label propagation over compressed sparse rows: each vertex gives its label
// to neighbours with larger ones. One vertex a thread; the end of a row is read again in each iteration.
//
// data a: a power law
// data b: 8 neighbours each
//
// plan 0: grid, for var
// plan 1: grid, while
// plan 2: grid, for var policy(expand)
// plan 3: grid, for var policy(flatten)
#include "plans.h"

PLANS(grid, grid, grid, grid)
__global__ void
propagate(int n, const int *row, const int *col, int *label, int *changed)
{
	int v = blockIdx.x * blockDim.x + threadIdx.x;
	if (v >= n)
		return;
	int mine = label[v];
	PLANS(for var, while, for var policy(expand), for var policy(flatten))
	for (int e = row[v]; e < row[v + 1]; e++) {
		int w = col[e];
		if (label[w] > mine) {
			atomicMin(&label[w], mine);
			*changed = 1;
		}
	}
}

int
main(int argc, char **argv)
{
	Options options(argc, argv);
	const int n = options.size(1 << 18);
	Graph g = symmetric(random_graph(n, options.divergent ? 8 : 4, options.divergent, 8));
	std::vector<int> labels(n);
	std::iota(labels.begin(), labels.end(), 0);
	int *row = to_device(g.row), *col = to_device(g.col), *start = to_device(labels);
	int *label = device_zeros<int>(n), *changed = device_zeros<int>(1);
	auto reset = [&] { CUDA_CHECK(cudaMemcpy(label, start, n * sizeof(int), cudaMemcpyDeviceToDevice)); };
	double ms = time_ms(options, reset, [&] {
		for (int more = 1; more;) {
			CUDA_CHECK(cudaMemset(changed, 0, sizeof(int)));
			propagate<<<blocks_for(n, 256), 256>>>(n, row, col, label, changed);
			CUDA_CHECK(cudaMemcpy(&more, changed, sizeof(int), cudaMemcpyDeviceToHost));
		}
	});
	Checksum sum;
	sum.device(label, n);
	return report(sum, ms);
}
