// SPDX-License-Identifier: MIT
// `grid(dynamic)`: from sm_100 on by cluster launch control, except where threads may wait for each other or be in different iterations

__device__ __forceinline__ unsigned slow(unsigned x)
{
	for (unsigned k = x & 31; k; k--)
		x = x * 1664525u + 1013904223u;
	return x;
}

// Three dimensions, each read; and ends of the thread before and in the path
#pragma ccc grid(dynamic)
extern "C" __global__ void box(unsigned n, const unsigned *in, unsigned *out)
{
	unsigned b = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
	unsigned i = b * (blockDim.x * blockDim.y * blockDim.z) + (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
	if (i >= n || in[i] % 7 == 0)
		return;
	out[i] = blockIdx.x + 100 * blockIdx.y + 10000 * blockIdx.z;
	#pragma ccc if
	if (in[i] % 5 < 2)
		out[n + i] = slow(in[i]);
}

// Several iterations a vote
#pragma ccc grid(dynamic)
extern "C" __global__ void queue(unsigned n, const unsigned *in, unsigned *out)
{
	unsigned i = (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	#pragma ccc if policy(queue(4))
	if (in[i] % 5 == 0)
		atomicAdd(&out[in[i] % n], slow(in[i]));
}

// An inner loop, whose iterations are collected
#pragma ccc grid(dynamic)
extern "C" __global__ void rows(unsigned n, const unsigned *in, unsigned *out)
{
	unsigned i = (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	unsigned sum = 0, last = in[i] % 23;
	#pragma ccc for var
	for (unsigned k = 0; k < last; k++)
		sum += slow(in[(i + k) % n]);
	out[i] = sum;
}

// The function gets the block's number as an argument.
__device__ __noinline__ unsigned first_of_block()
{
	return (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x;
}
#pragma ccc grid(dynamic)
extern "C" __global__ void called(unsigned n, const unsigned *in, unsigned *out)
{
	unsigned i = first_of_block() + threadIdx.x;
	if (i >= n)
		return;
	#pragma ccc if
	if (in[i] % 5 == 0)
		out[i] = slow(in[i]) + in[first_of_block()];
}

// A lock: threads may wait for each other.
#pragma ccc grid(dynamic)
extern "C" __global__ void waits(unsigned n, const unsigned *in, unsigned *out, int *ready)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	while (atomicAdd(ready, 0) == 0)
		;
	#pragma ccc if
	if (in[i] % 5 == 0)
		out[i] = slow(in[i]);
}

// A block barrier
#pragma ccc grid(dynamic)
extern "C" __global__ void meets(unsigned n, const unsigned *in, unsigned *out)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	if (__syncthreads_or(in[i % n] % 11 == 0))
		out[i % n] = 1;
	#pragma ccc if
	if (in[i % n] % 5 == 0)
		out[i % n] = slow(in[i % n]);
}

// Straight-line common code: full warps run it in lockstep, three iterations a vote.
#pragma ccc grid(dynamic)
extern "C" __global__ void straight(const unsigned *in, unsigned *out)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	#pragma ccc if policy(queue(3))
	if (in[i % 800] % 5 == 0)
		atomicAdd(&out[i % 800], slow(in[i % 800]));
}

// Lanes wait for each other, in different iterations.
#pragma ccc grid(dynamic)
extern "C" __global__ void converges(unsigned n, const unsigned *in, unsigned *out)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	#pragma ccc if policy(wait)
	if (in[i] % 5 == 0)
		out[i] = slow(in[i]);
}
