// SPDX-License-Identifier: MIT
// Unbalanced tree search: counts the nodes of random trees, one tree a thread, by a function that calls itself for each child. The trees of
// a warp differ in size, so its lanes end at different times, and most wait for the one with the largest tree. `#pragma ccc while` before
// the function makes each call a task of the warp, which any lane may run. `--hand 1` runs the usual rewriting by hand: a stack in each
// thread, whose lanes wait in the same way.
//
//	cccnvcc -O3 -arch=native uts.cu -o uts                       calls are tasks
//	nvcc -diag-suppress 20199 -O3 -arch=native uts.cu -o uts     without
//
//	uts [--trees N] [--depth D] [--hand 1] [--blocks N]          1048576 trees of up to 9 levels by default
//
// Prints the kernel time and "ok" or "WRONG" (against the CPU).
#include "sample.cuh"

constexpr int BLOCK = 128, MOST = 5, DEPTH = 16;

// The number of children of a node, 0 to MOST: few nodes have many.
__host__ __device__ inline int children(unsigned node)
{
	const unsigned x = random32(node) & 15;
	return x < 9 ? 0 : x < 13 ? 2 : x < 15 ? 3 : MOST;
}
__host__ __device__ inline unsigned child(unsigned node, int k)
{
	return random32(node * 8 + k + 1);
}

#pragma ccc while threads(128)
__device__ void visit(unsigned node, int levels, unsigned *count)
{
	atomicAdd(count, 1);
	for (int k = levels ? children(node) : 0; k; --k)
		visit(child(node, k), levels - 1, count);
}

__global__ void __launch_bounds__(BLOCK) search(int trees, int depth, unsigned *count)
{
	const int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < trees)
		visit(i, depth, count + i);
}

__global__ void __launch_bounds__(BLOCK) search_by_hand(int trees, int depth, unsigned *count)
{
	unsigned node[DEPTH * MOST], nodes = 0;
	int levels[DEPTH * MOST], n = 0;
	const int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i >= trees)
		return;
	node[n] = i, levels[n++] = depth;
	while (n) {
		const unsigned v = node[--n];
		const int l = levels[n];
		++nodes;
		for (int k = l ? children(v) : 0; k; --k)
			node[n] = child(v, k), levels[n++] = l - 1;
	}
	count[i] = nodes;
}

static unsigned size_of(unsigned node, int levels)
{
	unsigned n = 1;
	for (int k = levels ? children(node) : 0; k; --k)
		n += size_of(child(node, k), levels - 1);
	return n;
}

int main(int argc, char **argv)
{
	int trees = 1 << 20, depth = 9, hand = 0;
	read_options(argc, argv, {{"trees", &trees}, {"depth", &depth}, {"hand", &hand}});
	depth = std::min(depth, DEPTH - 1);
	Array<unsigned> count(trees);
	CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 8192));
	const float ms = best_ms([&] { count.fill(0); }, [&] {
		(hand ? search_by_hand : search)<<<(trees + BLOCK - 1) / BLOCK, BLOCK>>>(trees, depth, count);
	});
	const std::vector<unsigned> got = count.host();
	bool ok = true;
	for (int i = 0; i < trees; ++i)
		ok &= got[i] == size_of(i, depth);
	return result(ok, ms, "%d trees", trees);
}
