// SPDX-License-Identifier: MIT
// Kernels with one task per thread that keep their launch.
static __device__ unsigned slow(unsigned x)
{
	for (unsigned k = x & 31; k; --k)
		x = x * 1664525u + 1013904223u;
	return x;
}

#pragma ccc grid
extern "C" __global__ void shares(int n, const unsigned *in, unsigned *out)
{
	__shared__ unsigned tile[256];
	int i = blockIdx.x * 256 + threadIdx.x;
	tile[threadIdx.x ^ 1] = in[i];
	#pragma ccc if
	if (in[i] % 5 == 0)
		out[i] = slow(tile[threadIdx.x]);
}

#pragma ccc grid
extern "C" __global__ void waits(int n, const unsigned *in, unsigned *out)
{
	int i = blockIdx.x * 256 + threadIdx.x;
	out[i] = in[i];
	__syncthreads();
	#pragma ccc if
	if (in[i] % 5 == 0)
		out[i ^ 1] = slow(out[i]);
}

#pragma ccc grid
extern "C" __global__ void flows(int n, const unsigned *in, unsigned *out)
{
	int i = blockIdx.x * 256 + threadIdx.x;
	unsigned x = in[i];
	#pragma ccc if
	if (x % 5 == 0)
		x = slow(x);
	out[i] = x;
}

static __device__ __noinline__ unsigned own_block(unsigned x)
{
	return x * blockIdx.x;
}

static __device__ __noinline__ unsigned whole(unsigned x)
{
	return x;
}

__device__ unsigned (*numbers[])(unsigned) = { own_block, whole };

#pragma ccc grid
extern "C" __global__ void asks(int n, const unsigned *in, unsigned *out)
{
	int i = numbers[n & 1](256) + threadIdx.x;
	#pragma ccc if
	if (in[i] % 5 == 0)
		out[i] = slow(in[i]);
}

static __device__ __noinline__ unsigned give_up(unsigned x)
{
	if (x == 7)
		asm volatile("exit;");
	return x;
}

#pragma ccc grid
extern "C" __global__ void ends(int n, const unsigned *in, unsigned *out)
{
	int i = blockIdx.x * 256 + threadIdx.x;
	unsigned x = give_up(in[i]);
	#pragma ccc if
	if (x % 5 == 0)
		out[i] = slow(x);
}

#pragma ccc grid
extern "C" __global__ void no_path(int n, const unsigned *in, unsigned *out)
{
	for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += 256 * gridDim.x)
		out[i] = slow(in[i]);
}

// a loop without an annotation: a task loop does not help
#pragma ccc grid
extern "C" __global__ void inner(int n, const unsigned *in, unsigned *out)
{
	for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += 256 * gridDim.x)
		#pragma ccc if
		if (in[i] % 5 == 0)
			out[i] = slow(in[i]);
}
