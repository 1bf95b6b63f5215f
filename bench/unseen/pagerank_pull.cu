// SPDX-License-Identifier: MIT
// PageRank, pull: a vertex sums the contributions of its in-neighbours. One vertex a thread,
// grid-stride loops. Vertices that have converged are skipped.
#include "unseen.h"

template <typename T> struct Rank {
	T *value, *contribution;
	unsigned char *settled;
};

template <typename T> __global__ void
contributions(int n, Rank<T> rank, const int *__restrict__ out_degree)
{
	for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < n; v += blockDim.x * gridDim.x) {
		int d = out_degree[v];
		rank.contribution[v] = d ? rank.value[v] / d : T(0);
	}
}

template <typename T> __global__ void
pull(int n, const int *__restrict__ row, const int *__restrict__ col, Rank<T> rank, T damping, T tolerance)
{
	for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < n; v += blockDim.x * gridDim.x) {
		if (rank.settled[v])
			continue;
		T sum = 0;
		int end = __ldg(&row[v + 1]);
		for (int e = __ldg(&row[v]); e < end; ++e)
			sum += rank.contribution[__ldg(&col[e])];
		T updated = (1 - damping) / n + damping * sum;
		T change = updated - rank.value[v];
		if (change < 0)
			change = -change;
		rank.value[v] = updated;
		if (change < tolerance * updated)
			rank.settled[v] = 1;
	}
}

int
main(int argc, char **argv)
{
	Options options(argc, argv);
	int n = options.size(1 << 20);
	const int iterations = 6;
	Graph g = random_graph(n, 14, options.divergent, 5);
	std::vector<int> out(n);
	for (int u : g.col)
		out[u]++;
	std::vector<float> start(n, 1.0f / n);
	int *row = to_device(g.row), *col = to_device(g.col), *degree = to_device(out);
	float *initial = to_device(start);
	Rank<float> rank = { device_zeros<float>(n), device_zeros<float>(n), device_zeros<unsigned char>(n) };
	auto reset = [&] {
		CUDA_CHECK(cudaMemcpy(rank.value, initial, n * sizeof(float), cudaMemcpyDeviceToDevice));
		CUDA_CHECK(cudaMemset(rank.settled, 0, n));
	};
	float tolerance = options.divergent ? 1e-2f : 1e-7f;
	int blocks = std::min(blocks_for(n, 256), 132 * 16);
	double ms = time_ms(options, reset, [&] {
		for (int i = 0; i < iterations; i++) {
			contributions<<<blocks, 256>>>(n, rank, degree);
			pull<<<blocks, 256>>>(n, row, col, rank, 0.85f, tolerance);
		}
	});
	Checksum sum;
	sum.device(rank.value, n);
	sum.device(rank.settled, n);
	return report(sum, ms);
}
