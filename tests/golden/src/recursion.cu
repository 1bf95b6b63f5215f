// SPDX-License-Identifier: MIT
// Recursive functions: the calls of `walk` become tasks; the others are refused.
#pragma ccc while threads(64)
__device__ void walk(const int2 *child, int node, unsigned *sum)
{
	const int2 c = child[node];
	atomicAdd(sum, node);
	if (c.x)
		walk(child, c.x, sum);
	if (c.y)
		walk(child, c.y, sum);
}
#pragma ccc while
__device__ int fibonacci(int n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
#pragma ccc while
__device__ void by_thread(int depth, unsigned *sum)
{
	atomicAdd(sum + threadIdx.x, depth);
	for (int i = 0; i < depth; ++i)
		by_thread(depth - 1, sum);
}
#pragma ccc while
__device__ void to_local(int depth, int *result)
{
	if (!depth)
		++*result;
	for (int i = 0; i < depth; ++i)
		to_local(depth - 1, result);
}
__device__ void odd(int n, unsigned *sum);
#pragma ccc while
__device__ void even(int n, unsigned *sum)
{
	atomicAdd(sum, n);
	for (int i = 0; i < n; ++i)
		odd(n - 1, sum);
}
__device__ __noinline__ void odd(int n, unsigned *sum)
{
	for (int i = 0; i < n; ++i)
		even(n - 2, sum);
}
#pragma ccc while policy(none)
__device__ void off(int n, unsigned *sum)
{
	atomicAdd(sum, n);
	for (int i = 0; i < n; ++i)
		off(n - 1, sum);
}
#pragma ccc while
__device__ void once(int n, unsigned *sum)
{
	atomicAdd(sum, n);
}
extern "C" __global__ void k(const int2 *child, const int *root, unsigned *sum)
{
	int counted = 0, i = blockIdx.x * blockDim.x + threadIdx.x;
	walk(child, root[i], sum + i);
	sum[i] += fibonacci(root[i] & 7);
	by_thread(root[i] & 3, sum);
	to_local(root[i] & 3, &counted);
	even(root[i] & 3, sum + counted);
	off(root[i] & 3, sum);
	once(i, sum);
}
