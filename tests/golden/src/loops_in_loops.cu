// SPDX-License-Identifier: MIT
// Nested annotated loops: the outermost one that has a plan is transformed; with `while`, the inner one's iterations are collected in it.
#define STRIDE(i) for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
__device__ __forceinline__ unsigned mixed(unsigned x, int n)
{
	for (int i = 0; i < n; i++)
		x = (x ^ x >> 15) * 0x85ebca6bu;
	return x;
}

__global__ void outer_one(const unsigned *in, unsigned *out, int n)
{
#pragma ccc for
	STRIDE(i) {
#pragma ccc if
		if (in[i] & 1)
			out[i] = mixed(in[i], 9);
#pragma ccc for
		for (unsigned k = 0; k < in[i + n]; k++)
#pragma ccc if
			if (in[k] & 2)
				atomicAdd(out + k, mixed(k, 20));
	}
}

__global__ void outer_has_no_path(const unsigned *in, unsigned *out, int n)
{
#pragma ccc for
	STRIDE(i) {
#pragma ccc for
		for (unsigned k = 0; k < in[i + n]; k++)
#pragma ccc if
			if (in[k] & 2)
				atomicAdd(out + k, mixed(k, 20));
	}
}

__global__ void outer_is_refused(const unsigned *in, unsigned *out, int n)
{
	unsigned x = 0;
#pragma ccc for
	STRIDE(i) {
#pragma ccc if
		if (in[x] & 1)
			x = in[mixed(x, 5) % n];
#pragma ccc for
		for (unsigned k = 0; k < in[i + n]; k++)
#pragma ccc if
			if (in[k] & 2)
				atomicAdd(out + k, mixed(k, 20));
	}
	out[n + threadIdx.x] = x;
}

__global__ void both(const unsigned *in, unsigned *out, int n)
{
#pragma ccc for independent
	STRIDE(i) {
#pragma ccc if
		if (in[i] & 1)
			out[i] = mixed(in[i], 9);
#pragma ccc while
		for (unsigned k = 0; k < in[i + n]; k++)
			if (in[k] & 2)
				atomicAdd(out + k, mixed(k, 20));
	}
}
