// SPDX-License-Identifier: MIT
// Single-source shortest paths, rounds of relaxation over the active vertices; one vertex a
// thread. Distances of a round are read from one array and lowered in another.
#include "unseen.h"

#define INFINITE 0x3fffffff

struct WeightedGraph {
	int n;
	const int *row;
	const int2 *edge; // head, weight
};

__global__ void
relax(WeightedGraph g, const int *__restrict__ dist, int *next, const int *__restrict__ active,
	int *next_active)
{
	int v = blockIdx.x * blockDim.x + threadIdx.x;
	if (v >= g.n || !active[v])
		return;
	int d = dist[v];
	for (int e = g.row[v]; e < g.row[v + 1]; e++) {
		int2 to = g.edge[e];
		int candidate = d + to.y;
		if (candidate < dist[to.x]) {
			if (atomicMin(&next[to.x], candidate) > candidate)
				next_active[to.x] = 1;
		}
	}
}

int
main(int argc, char **argv)
{
	Options options(argc, argv);
	int n = options.size(1 << 20);
	const int rounds = 16;
	Graph g = random_graph(n, 8, options.divergent, 8);
	Rng rng(9);
	std::vector<int2> edges(g.edges());
	for (int e = 0; e < g.edges(); e++)
		edges[e] = make_int2(g.col[e], 1 + (int)rng.below(options.divergent ? 1000 : 1));
	WeightedGraph device = { n, to_device(g.row), to_device(edges) };
	std::vector<int> far(n, INFINITE), sources(n, 0);
	int count = options.divergent ? 16 : n / 4; // b: many sources, most vertices in the first rounds
	for (int s = 0; s < count; s++) {
		int v = options.divergent ? rng.below(n) : s;
		far[v] = 0;
		sources[v] = 1;
	}
	int *start = to_device(far), *first = to_device(sources);
	int *dist[2] = { device_zeros<int>(n), device_zeros<int>(n) };
	int *active[2] = { device_zeros<int>(n), device_zeros<int>(n) };
	size_t bytes = n * sizeof(int);
	auto reset = [&] {
		CUDA_CHECK(cudaMemcpy(dist[0], start, bytes, cudaMemcpyDeviceToDevice));
		CUDA_CHECK(cudaMemcpy(active[0], first, bytes, cudaMemcpyDeviceToDevice));
	};
	double ms = time_ms(options, reset, [&] {
		for (int r = 0; r < rounds; r++) {
			int from = r & 1, to = from ^ 1;
			CUDA_CHECK(cudaMemcpyAsync(dist[to], dist[from], bytes, cudaMemcpyDeviceToDevice));
			CUDA_CHECK(cudaMemsetAsync(active[to], 0, bytes));
			relax<<<blocks_for(n, 256), 256>>>(device, dist[from], dist[to], active[from], active[to]);
		}
	});
	Checksum sum;
	sum.device(dist[rounds & 1], n);
	sum.device(active[rounds & 1], n);
	return report(sum, ms);
}
