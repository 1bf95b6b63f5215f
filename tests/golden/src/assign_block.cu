// SPDX-License-Identifier: MIT
// Iteration draw of the whole block, by a counter in shared memory. Refused: a function; threads that left before; a barrier that only some
// threads reach; a value that does not grow by the same amount; memory that is polled before the loop. `policy(block)` elsewhere.
__device__ __forceinline__ int walk(int v, int left)
{
	#pragma ccc for var
	for (; left; --left)
		v = v * v + left;
	return v;
}

__global__ void __launch_bounds__(128) flat(int n, const int *a, int *b)
{
	#pragma ccc assign policy(block)
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		b[i] = walk(i, a[i]);
}

__global__ void strides(int n, const int *a, const double *d, double *b)
{
	const double scale = d[threadIdx.x];
	const int step = a[threadIdx.x];
	#pragma ccc assign policy(block) threads(256)
	for (long long i = n - 1 - threadIdx.x; i >= 0; i -= step) {
		double s = threadIdx.y;
		#pragma ccc predict threshold(24)
		for (int left = a[i]; left; --left)
			s = s * scale + left;
		b[i] = s;
	}
}

__device__ __noinline__ void called(int n, const int *a, int *b)
{
	#pragma ccc assign policy(block)
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		b[i] = walk(i, a[i]);
}

__global__ void calls(int n, const int *a, int *b)
{
	called(n, a, b);
}

__global__ void left(int n, const int *a, int *b)
{
	if (threadIdx.x > 100)
		return;
	#pragma ccc assign policy(block)
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		b[i] = walk(i, a[i]);
}

__global__ void barrier(int n, const int *a, int *b)
{
	if (threadIdx.x < 64)
		asm volatile("bar.sync 1, 64;" ::: "memory");
	#pragma ccc assign policy(block)
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		b[i] = walk(i, a[i]);
}

__global__ void grows(int n, const int *a, int *b)
{
	#pragma ccc assign policy(block)
	for (int i = threadIdx.x + 1; i < n; i *= 2)
		b[i] = walk(i, a[i]);
}

__global__ void polls(int n, const volatile int *flag, const int *a, int *b)
{
	while (*flag == 0)
		;
	#pragma ccc assign policy(block)
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		b[i] = walk(i, a[i]);
}

__global__ void memory(int n, const int *a, int *b)
{
	__shared__ int big[12000];
	big[threadIdx.x] = a[threadIdx.x];
	__syncthreads();
	#pragma ccc assign policy(block)
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		b[i] = walk(i, big[(i * 7) % 12000]);
}

__global__ void dynamic(int n, const int *a, int *b)
{
	extern __shared__ int some[];
	some[threadIdx.x] = a[threadIdx.x];
	__syncthreads();
	#pragma ccc assign policy(block)
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		b[i] = walk(i, some[threadIdx.x ^ 1]);
}

__global__ void other(int n, const int *a, int *b)
{
	#pragma ccc for policy(block)
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		#pragma ccc if policy(stack)
		if (a[i] & 1)
			b[i] = walk(i, a[i]);
}
