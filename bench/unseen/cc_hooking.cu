// SPDX-License-Identifier: MIT
// Connected components by hooking (as in ECL-CC): for each edge both representatives are sought
// with path halving, and the larger is hooked under the smaller by compare-and-swap. In the end a
// component's label is its smallest vertex.
#include "unseen.h"

__device__ int
representative(volatile int *parent, int v)
{
	int cur = parent[v];
	if (cur != v) {
		int prev = v, next;
		while (cur > (next = parent[cur])) {
			parent[prev] = next;
			prev = cur;
			cur = next;
		}
	}
	return cur;
}

__global__ void
init(int n, int *parent)
{
	int v = blockIdx.x * blockDim.x + threadIdx.x;
	if (v < n)
		parent[v] = v;
}

__global__ void
hook(int edges, const int2 *__restrict__ edge, int *parent)
{
	int stride = gridDim.x * blockDim.x;
	for (int e = blockIdx.x * blockDim.x + threadIdx.x; e < edges; e += stride) {
		int2 uv = edge[e];
		if (uv.x == uv.y)
			continue;
		int a = representative(parent, uv.x), b = representative(parent, uv.y);
		bool again;
		do {
			again = false;
			if (a != b) {
				int old;
				if (a < b) {
					if ((old = atomicCAS(&parent[b], b, a)) != b) {
						b = old;
						again = true;
					}
				} else if ((old = atomicCAS(&parent[a], a, b)) != a) {
					a = old;
					again = true;
				}
			}
		} while (again);
	}
}

__global__ void
flatten(int n, int *parent, int *label, unsigned *size)
{
	int v = blockIdx.x * blockDim.x + threadIdx.x;
	if (v >= n)
		return;
	int r = v;
	while (parent[r] != r)
		r = parent[r];
	label[v] = r;
	atomicAdd(&size[r], 1u);
}

int
main(int argc, char **argv)
{
	Options options(argc, argv);
	int n = options.size(1 << 21), edges = 4 * n;
	Rng rng(7);
	std::vector<int2> list(edges);
	for (int e = 0; e < edges; e++) {
		if (options.divergent) { // chains of many lengths, and random edges among the first half
			int v = e % n;
			if (e < n)
				list[e] = make_int2(v, v > 0 && rng.below(20) ? v - 1 : v);
			else
				list[e] = make_int2(rng.below(n / 2), rng.below(n / 2));
		} else { // stars of 8
			int v = e % n;
			list[e] = make_int2(v, v / 8 * 8);
		}
	}
	if (options.divergent)
		for (int e = edges - 1; e > 0; e--)
			std::swap(list[e], list[rng.below(e + 1)]);
	int2 *edge = to_device(list);
	int *parent = device_zeros<int>(n), *label = device_zeros<int>(n);
	unsigned *size = device_zeros<unsigned>(n);
	int blocks = blocks_for(n, 256);
	double ms = time_ms(options, [&] { CUDA_CHECK(cudaMemset(size, 0, n * sizeof(unsigned))); }, [&] {
		init<<<blocks, 256>>>(n, parent);
		hook<<<std::min(blocks_for(edges, 256), 132 * 8), 256>>>(edges, edge, parent);
		flatten<<<blocks, 256>>>(n, parent, label, size);
	});
	Checksum sum;
	sum.device(label, n);
	sum.device(size, n);
	return report(sum, ms);
}
