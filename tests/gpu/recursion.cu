// SPDX-License-Identifier: MIT
// Functions that call themselves several times: their calls become tasks of the warp. Arguments of all sizes, calls in loops, stores
// that overflow, memory that a caller writes and its callees read, calls by few lanes, blocks larger than the stores.
#ifndef KERNELS
#define KERNELS "recursion.cu"
#include "gpu_test.cuh"
int main()
{
	cudaDeviceSetLimit(cudaLimitStackSize, 16384);
	RUN(k_fibonacci);
	RUN(k_queens);
	RUN(k_traverse);
	RUN(k_search);
	RUN(k_backtrack);
	RUN(k_memory);
	RUN(k_divergent);
	return finish();
}
#else
CCC(while)
__device__ void fibonacci(int n, unsigned *sum)
{
	if (n < 2) {
		atomicAdd(sum, n + 1);
		return;
	}
	fibonacci(n - 1, sum);
	fibonacci(n - 2, sum);
}
__global__ void k_fibonacci(Args g)
{
	GRID_STRIDE(i)
		fibonacci(g.in[i] & 7, g.out + i);
}

// The queens of a board of `size` rows: a call for each free column.
CCC(while threads(64))
__device__ void queens(int size, unsigned columns, unsigned left, unsigned right, unsigned *count)
{
	const unsigned all = (1u << size) - 1;
	if (columns == all) {
		atomicAdd(count, 1);
		return;
	}
	for (unsigned free = all & ~(columns | left | right); free; free &= free - 1) {
		const unsigned bit = free & -free;
		queens(size, columns | bit, (left | bit) << 1, (right | bit) >> 1, count);
	}
}
__global__ void k_queens(Args g)
{
	for (int i = thread_id(); i < g.n / 8; i += thread_count())
		queens(4 + (g.in[i] & 1), 0, 0, 0, g.out + i);
}

// The boxes of an implicit binary tree that a ray meets; the nearest leaf.
CCC(while)
__device__ void traverse(const int *box, int node, int last, unsigned ray, unsigned *nearest)
{
	if ((mix(box[node] ^ ray) & 7) == 0)
		return;
	if (node >= last / 2) {
		atomicMin(nearest, mix(node + ray) >> 8);
		return;
	}
	traverse(box, 2 * node + 1, last, ray, nearest);
	traverse(box, 2 * node + 2, last, ray, nearest);
}
__global__ void k_traverse(Args g)
{
	GRID_STRIDE(i) {
		g.out[i] = ~0u;
		traverse(g.in, 0, 30, i, g.out + i);
	}
}

// The keys of a binary search tree in [low, high]; the tree is a sorted row of odd numbers.
CCC(while)
__device__ void search(short from, short to, long long low, long long high, unsigned *found)
{
	if (from >= to)
		return;
	const short middle = (from + to) / 2;
	const long long key = 2 * middle + 1;
	if (key >= low)
		search(from, middle, low, high, found);
	if (key >= low && key <= high)
		atomicAdd(found, (unsigned)key);
	if (key <= high)
		search(middle + 1, to, low, high, found);
}
__global__ void k_search(Args g)
{
	GRID_STRIDE(i) {
		const int low = g.in[i] & 63;
		search(0, 32, low, low + (g.in[i] >> 8 & 31), g.out + i);
	}
}

// The subsets of a row of numbers with a given sum.
struct Choice {
	unsigned char at, end;
	short left;
	char last;
};
CCC(while)
__device__ void backtrack(Choice c, const int *in, unsigned *ways)
{
	if (c.left == 0)
		atomicAdd(ways, 1 + (c.last & 3));
	if (c.left <= 0 || c.at == c.end)
		return;
	const int x = 1 + (in[c.at] & 3);
	backtrack(Choice{(unsigned char)(c.at + 1), c.end, c.left, c.last}, in, ways);
	backtrack(Choice{(unsigned char)(c.at + 1), c.end, (short)(c.left - x), (char)x}, in, ways);
}
__global__ void k_backtrack(Args g)
{
	for (int i = thread_id(); i < g.n / 4; i += thread_count())
		backtrack(Choice{0, 6, (short)(g.in[i] & 7), 0}, g.in + i, g.out + i);
}

// Each node writes before its calls, which read what their caller wrote.
CCC(while)
__device__ void grow(unsigned *tree, int node)
{
	tree[node] = mix(node ? tree[(node - 1) / 2] + node : tree[0]);
	for (int k = 1; k <= 2; ++k)
		if (2 * node + k < 13)
			grow(tree, 2 * node + k);
}
__global__ void k_memory(Args g)
{
	for (int i = thread_id(); i < 60; i += thread_count()) {
		unsigned *tree = g.out2 + 15 * i, sum = 0;
		tree[0] = g.in[i];
		grow(tree, 0);
		for (int k = 0; k < 13; ++k)
			sum += tree[k];
		g.out[i] = sum;
	}
}

// Calls by more than half of a warp, and by less.
CCC(while)
__device__ void divide(unsigned x, unsigned char depth, unsigned *sum)
{
	atomicAdd(sum, x);
	if (!depth || !(x & 3))
		return;
	divide(mix(x), depth - 1, sum);
	divide(mix(~x), depth - 1, sum);
	divide(mix(x + 1), depth - 1, sum);
}
__global__ void k_divergent(Args g)
{
	GRID_STRIDE(i) {
		if (wants(g, i))
			divide(g.in[i], 2, g.out + i);
		else if ((i & 31) < 28)
			divide(~g.in[i], 3, g.out + i);
		g.out2[i] = g.out[i];
	}
}
#endif
