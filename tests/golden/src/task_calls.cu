// SPDX-License-Identifier: MIT
// Task loops of kernels that call functions which read the block index, or call one that does: the kernels call copies.
struct Pair { unsigned a, b; };

static __device__ __noinline__ unsigned column(unsigned x)
{
	return x * blockIdx.x + blockDim.x;
}

static __device__ __noinline__ unsigned place()
{
	return (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + column(1) - blockDim.x;
}

static __device__ __noinline__ Pair slow(Pair p)
{
	for (unsigned k = p.a & 31; k; --k)
		p.a = p.a * 1664525u + 1013904223u;
	p.b += blockIdx.y;
	return p;
}

static __device__ __noinline__ unsigned plain(unsigned x)
{
	return x ^ gridDim.x;
}

// before the path and after it, without arguments
#pragma ccc grid
extern "C" __global__ void numbered(int n, const unsigned *in, unsigned *out)
{
	int i = place() * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	#pragma ccc if
	if (in[i] % 5 == 0)
		out[2 * i] = slow(Pair{ in[i], 3 }).a + plain(i);
	out[2 * i + 1] = place();
}

// in the path, on some lanes
#pragma ccc grid
extern "C" __global__ void far(int n, const unsigned *in, unsigned *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		#pragma ccc if
		if (in[i] % 3 == 0) {
			Pair p = slow(Pair{ in[i], plain(i) });
			if (p.a & 1)
				p.b += column(p.a);
			out[i] = p.a + p.b;
		}
	}
}

// no task loop: it calls the original functions
extern "C" __global__ void others(int n, const unsigned *in, unsigned *out)
{
	int i = place() * blockDim.x + threadIdx.x;
	if (i < n)
		out[i] = column(in[i]);
}
