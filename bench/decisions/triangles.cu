// SPDX-License-Identifier: MIT
// Triangle counting by vertex: for each edge to a higher vertex, the common higher neighbours, by
// a search for each. One vertex a thread.
//
// data a: a power law
// data b: a ring lattice
//
// plan 0: grid, for var on the edges, for var on the neighbours
// plan 1: grid, for var policy(expand) on the edges
// plan 2: grid, while policy(stack) on the edges
// plan 3: for on the edges, for var policy(expand) on the neighbours
// plan 4: grid, for var policy(flatten) on the edges
#include "plans.h"

PLANS(grid, grid, grid, , grid)
__global__ void
triangles(int n, const int *__restrict__ row, const int *__restrict__ col, unsigned long long *count)
{
	int u = blockIdx.x * blockDim.x + threadIdx.x;
	if (u >= n)
		return;
	unsigned found = 0;
	const int begin = row[u], end = row[u + 1];
	PLANS(for var, for var policy(expand), while policy(stack), for, for var policy(flatten))
	for (int e = begin; e < end; e++) {
		const int v = col[e], last = row[v + 1];
		PLANS(for var, , , for var policy(expand))
		for (int k = row[v]; k < last; k++) {
			int w = col[k], lo = begin, hi = end;
			while (lo < hi) {
				int mid = (lo + hi) >> 1;
				if (col[mid] < w)
					lo = mid + 1;
				else
					hi = mid;
			}
			found += lo < end && col[lo] == w;
		}
	}
	if (found)
		atomicAdd(count, found);
}

int
main(int argc, char **argv)
{
	Options options(argc, argv);
	const int n = options.size(1 << 17);
	Graph g = random_graph(n, options.divergent ? 8 : 12, options.divergent, 10);
	if (!options.divergent)
		for (int v = 0; v < n; v++)
			for (int e = g.row[v]; e < g.row[v + 1]; e++)
				g.col[e] = (v + 1 + (e - g.row[v])) % n;
	Graph s = symmetric(g), up;
	up.row.push_back(0);
	for (int v = 0; v < n; v++) {
		for (int e = s.row[v]; e < s.row[v + 1]; e++)
			if (s.col[e] > v)
				up.col.push_back(s.col[e]);
		up.row.push_back(up.edges());
	}
	int *row = to_device(up.row), *col = to_device(up.col);
	unsigned long long *count = device_zeros<unsigned long long>(1);
	double ms = time_ms(options, [&] { CUDA_CHECK(cudaMemset(count, 0, sizeof *count)); },
		[&] { triangles<<<blocks_for(n, 128), 128>>>(n, row, col, count); });
	Checksum sum;
	sum.device(count, 1);
	return report(sum, ms);
}
