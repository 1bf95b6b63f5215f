// SPDX-License-Identifier: MIT
// Community detection by synchronous label propagation: a vertex takes the label that most of its
// neighbours have, the smallest of several. One vertex a thread.
#include "unseen.h"

#define SAMPLE 48 // a vertex with more neighbours looks at this many

__global__ void
propagate(int n, const int *__restrict__ row, const int *__restrict__ col, const int *__restrict__ label,
	int *next, int round)
{
	int v = blockIdx.x * blockDim.x + threadIdx.x;
	if (v >= n)
		return;
	int begin = row[v], end = row[v + 1];
	int mine = label[v];
	if (begin == end) {
		next[v] = mine;
		return;
	}
	int degree = end - begin, stride = 1;
	if (degree > SAMPLE) {
		stride = degree / SAMPLE;
		begin += (v + round) % stride;
	}
	int best = mine, votes = 0;
	for (int i = begin, seen = 0; i < end && seen < SAMPLE; i += stride, seen++) {
		int candidate = label[col[i]];
		if (candidate == best && votes > 0)
			continue;
		int count = 0;
		for (int j = begin, k = 0; j < end && k < SAMPLE; j += stride, k++)
			count += label[col[j]] == candidate;
		if (count > votes || (count == votes && candidate < best)) {
			votes = count;
			best = candidate;
		}
		if (2 * votes > min(degree, SAMPLE))
			break; // a majority
	}
	next[v] = best;
}

// The number of vertices whose label is their own number or changed in the last round.
__global__ void
census(int n, const int *label, const int *before, unsigned *sizes, unsigned *changed)
{
	int v = blockIdx.x * blockDim.x + threadIdx.x;
	if (v >= n)
		return;
	atomicAdd(&sizes[label[v]], 1);
	if (label[v] != before[v])
		atomicAdd(changed, 1);
}

int
main(int argc, char **argv)
{
	Options options(argc, argv);
	int n = options.size(options.divergent ? 1 << 18 : 1 << 20);
	const int rounds = 4;
	Graph g = random_graph(n, 12, options.divergent, 3);
	std::vector<int> labels(n);
	for (int v = 0; v < n; v++)
		labels[v] = options.divergent ? v : v / 64 * 64;
	if (!options.divergent) // communities of 64 consecutive vertices
		for (int v = 0; v < n; v++)
			for (int e = g.row[v]; e < g.row[v + 1]; e++)
				g.col[e] = std::min(n - 1, v / 64 * 64 + g.col[e] % 64);
	int *row = to_device(g.row), *col = to_device(g.col), *start = to_device(labels);
	int *label[2] = { device_zeros<int>(n), device_zeros<int>(n) };
	unsigned *sizes = device_zeros<unsigned>(n), *changed = device_zeros<unsigned>(1);
	auto reset = [&] {
		CUDA_CHECK(cudaMemcpy(label[0], start, n * sizeof(int), cudaMemcpyDeviceToDevice));
		CUDA_CHECK(cudaMemset(sizes, 0, n * sizeof(unsigned)));
		CUDA_CHECK(cudaMemset(changed, 0, sizeof(unsigned)));
	};
	int blocks = blocks_for(n, 256);
	double ms = time_ms(options, reset, [&] {
		for (int r = 0; r < rounds; r++)
			propagate<<<blocks, 256>>>(n, row, col, label[r & 1], label[~r & 1], r);
		census<<<blocks, 256>>>(n, label[rounds & 1], label[~rounds & 1], sizes, changed);
	});
	Checksum sum;
	sum.device(label[rounds & 1], n);
	sum.device(sizes, n);
	sum.device(changed, 1);
	return report(sum, ms);
}
