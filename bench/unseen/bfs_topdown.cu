// SPDX-License-Identifier: MIT
// Breadth-first search, top-down with a queue of vertices for each level; one vertex of the
// frontier a thread. Data set a has a power law of degrees, b equal degrees.
#include "unseen.h"

#define LEVELS 12

struct Csr {
	const int *row, *col;
	int n;
};

__global__ void
expand_frontier(Csr g, const int *queue, const int *queue_length, int *next, int *next_length,
	int *level, int depth)
{
	int tid = blockIdx.x * blockDim.x + threadIdx.x;
	if (tid >= *queue_length)
		return;
	int v = queue[tid];
	const int end = g.row[v + 1];
	for (int e = g.row[v]; e < end; e++) {
		int w = g.col[e];
		if (atomicCAS(&level[w], -1, depth + 1) == -1) {
			int slot = atomicAdd(next_length, 1);
			next[slot] = w;
		}
	}
}

__global__ void
count_parents(Csr g, const int *__restrict__ level, unsigned *parents)
{
	int v = blockIdx.x * blockDim.x + threadIdx.x;
	if (v >= g.n || level[v] < 0)
		return;
	for (int e = g.row[v]; e < g.row[v + 1]; e++)
		if (level[g.col[e]] == level[v] + 1)
			atomicAdd(&parents[g.col[e]], 1u);
}

int
main(int argc, char **argv)
{
	Options options(argc, argv);
	int n = options.size(1 << 20);
	Graph graph = random_graph(n, 12, options.divergent, 4);
	Csr g = { to_device(graph.row), to_device(graph.col), n };
	int *queue[2] = { device_zeros<int>(n), device_zeros<int>(n) };
	int *length = device_zeros<int>(LEVELS + 1), *level = device_zeros<int>(n);
	unsigned *parents = device_zeros<unsigned>(n);
	const int sources = 4;
	std::vector<int> first(sources);
	for (int s = 0; s < sources; s++)
		first[s] = n / sources * s;
	auto reset = [&] {
		CUDA_CHECK(cudaMemset(level, -1, n * sizeof(int)));
		CUDA_CHECK(cudaMemset(length, 0, (LEVELS + 1) * sizeof(int)));
		CUDA_CHECK(cudaMemset(parents, 0, n * sizeof(unsigned)));
		CUDA_CHECK(cudaMemcpy(queue[0], first.data(), sources * sizeof(int), cudaMemcpyHostToDevice));
		CUDA_CHECK(cudaMemcpy(length, &sources, sizeof(int), cudaMemcpyHostToDevice));
		for (int v : first)
			CUDA_CHECK(cudaMemset(level + v, 0, sizeof(int)));
	};
	double ms = time_ms(options, reset, [&] {
		for (int d = 0; d < LEVELS; d++)
			expand_frontier<<<blocks_for(n, 256), 256>>>(g, queue[d & 1], length + d,
				queue[~d & 1], length + d + 1, level, d);
		count_parents<<<blocks_for(n, 256), 256>>>(g, level, parents);
	});
	Checksum sum;
	sum.device(level, n);
	sum.device(length, LEVELS + 1);
	sum.device(parents, n);
	return report(sum, ms);
}
