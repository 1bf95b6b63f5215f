// SPDX-License-Identifier: MIT
// Jaccard weights of edges: the lanes of a group intersect the lists of two vertices; the leader of
// each group does the rest of the work alone.
//
// data a: skewed lists, and a leader with much to do
// data b: short lists, and a leader with little
//
// plan 0: for on the edges, if on the leader's part
// plan 1: if policy(queue) on the leader's part
// plan 2: if policy(ahead)
// plan 3: for var policy(flatten) on the intersection
// plan 4: grid on the kernel that has one edge a thread
#include "plans.h"

#define GROUP 8

__global__ void
intersect(int edges, const int *__restrict__ source, const int *__restrict__ row, const int *__restrict__ col, int terms,
	int *common, float *factor)
{
	int group = (blockIdx.x * blockDim.x + threadIdx.x) / GROUP, groups = gridDim.x * blockDim.x / GROUP;
	int lane = threadIdx.x % GROUP;
	PLANS(for, for, for, for)
	for (int e = group; e < edges; e += groups) {
		int u = source[e], v = col[e];
		const int end = row[u + 1], last = row[v + 1];
		PLANS(, , , for var policy(flatten))
		for (int k = row[u] + lane; k < end; k += GROUP) {
			int w = col[k], lo = row[v], hi = last;
			while (lo < hi) {
				int mid = (lo + hi) >> 1;
				if (col[mid] < w)
					lo = mid + 1;
				else
					hi = mid;
			}
			if (lo < last && col[lo] == w)
				atomicAdd(&common[e], 1);
		}
		PLANS(if, if policy(queue), if policy(ahead))
		if (lane == 0) {
			float sum = 1 + u % 7;
			for (int k = 0; k < terms; k++)
				sum += 0.5f / (sum + k);
			factor[e] = sum;
		}
	}
}

PLANS(, , , , grid)
__global__ void
weigh(int edges, const int *source, const int *row, const int *col, const int *common, const float *factor, float *weight)
{
	int e = blockIdx.x * blockDim.x + threadIdx.x;
	if (e >= edges)
		return;
	int u = source[e], v = col[e], both = common[e];
	float w = 0;
	PLANS(, , , , if)
	if (both) {
		int all = row[u + 1] - row[u] + row[v + 1] - row[v] - both;
		w = factor[e] * both / all;
	}
	weight[e] = w;
}

int
main(int argc, char **argv)
{
	Options options(argc, argv);
	const int n = options.size(1 << 16);
	Graph g = symmetric(random_graph(n, options.divergent ? 12 : 4, options.divergent, 12));
	std::vector<int> source;
	for (int v = 0; v < n; v++)
		source.resize(g.row[v + 1], v);
	int *d_source = to_device(source), *row = to_device(g.row), *col = to_device(g.col);
	int *common = device_zeros<int>(g.edges());
	float *factor = device_zeros<float>(g.edges()), *weight = device_zeros<float>(g.edges());
	int terms = options.divergent ? 64 : 2, blocks = loop_blocks(g.edges() * GROUP, 256);
	double ms = time_ms(options, [&] { CUDA_CHECK(cudaMemset(common, 0, g.edges() * sizeof(int))); }, [&] {
		intersect<<<blocks, 256>>>(g.edges(), d_source, row, col, terms, common, factor);
		weigh<<<blocks_for(g.edges(), 256), 256>>>(g.edges(), d_source, row, col, common, factor, weight);
	});
	Checksum sum;
	sum.device(weight, g.edges());
	return report(sum, ms);
}
