// SPDX-License-Identifier: MIT
// Breadth-first search by levels in two kernels, after Rodinia: masks for the frontier; one vertex
// a thread.
//
// data a: 6 edges a vertex
// data b: 6 on average, a power law
//
// plan 0: grid, if
// plan 1: grid, if policy(queue(4))
// plan 2: grid, for var policy(expand)
// plan 3: grid, if policy(queue(4)), for var policy(expand)
#include "plans.h"

PLANS(grid, grid, grid, grid)
__global__ void
expand(int n, const int2 *node, const int *edge, bool *frontier, bool *next, const bool *visited, int *cost)
{
	int v = blockIdx.x * blockDim.x + threadIdx.x;
	PLANS(if, if policy(queue(4)), , if policy(queue(4)))
	if (v < n && frontier[v]) {
		frontier[v] = false;
		const int end = node[v].x + node[v].y;
		PLANS(, , for var policy(expand), for var policy(expand))
		for (int e = node[v].x; e < end; e++) {
			int w = edge[e];
			if (!visited[w]) {
				cost[w] = cost[v] + 1;
				next[w] = true;
			}
		}
	}
}

__global__ void
advance(int n, bool *frontier, bool *next, bool *visited, bool *over)
{
	int v = blockIdx.x * blockDim.x + threadIdx.x;
	if (v < n && next[v]) {
		frontier[v] = true;
		visited[v] = true;
		*over = true;
		next[v] = false;
	}
}

int
main(int argc, char **argv)
{
	Options options(argc, argv);
	const int n = options.size(1 << 20);
	Graph g = random_graph(n, 6, !options.divergent, 15);
	std::vector<int2> nodes(n);
	for (int v = 0; v < n; v++)
		nodes[v] = make_int2(g.row[v], g.row[v + 1] - g.row[v]);
	int2 *node = to_device(nodes);
	int *edge = to_device(g.col), *cost = device_zeros<int>(n);
	bool *frontier = device_zeros<bool>(n), *next = device_zeros<bool>(n), *visited = device_zeros<bool>(n);
	bool *over = device_zeros<bool>(1);
	auto reset = [&] {
		for (bool *p : { frontier, next, visited })
			CUDA_CHECK(cudaMemset(p, 0, n));
		CUDA_CHECK(cudaMemset(cost, 0, n * sizeof(int)));
		CUDA_CHECK(cudaMemset(frontier, 1, 1));
		CUDA_CHECK(cudaMemset(visited, 1, 1));
	};
	double ms = time_ms(options, reset, [&] {
		for (bool more = true; more;) {
			CUDA_CHECK(cudaMemset(over, 0, 1));
			expand<<<blocks_for(n, 256), 256>>>(n, node, edge, frontier, next, visited, cost);
			advance<<<blocks_for(n, 256), 256>>>(n, frontier, next, visited, over);
			CUDA_CHECK(cudaMemcpy(&more, over, 1, cudaMemcpyDeviceToHost));
		}
	});
	Checksum sum;
	sum.device(cost, n);
	return report(sum, ms);
}
