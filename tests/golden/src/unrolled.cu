// SPDX-License-Identifier: MIT
// unroll(N): each copy of the body contains a copy of the path, which is a path of its own in one transformed loop.
static __device__ unsigned slow(unsigned x)
{
	for (unsigned k = x & 31; k; --k)
		x = x * 1664525u + 1013904223u;
	return x;
}

// a test at the end of each copy of the body
extern "C" __global__ void strides(int n, const unsigned *in, unsigned *out)
{
	#pragma ccc for unroll(2) threads(256)
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		#pragma ccc if
		if (in[i] % 5 == 0)
			out[i] = slow(in[i]);
	}
}

// four bodies in a row, without tests between them
extern "C" __global__ void row(const unsigned *in, unsigned *out)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
	#pragma ccc for unroll(4) threads(256) policy(queue)
	for (int i = 0; i < 16; i++) {
		#pragma ccc if
		if (in[i * all + t] % 5 == 0)
			out[i * all + t] = slow(in[i * all + t]);
	}
}

// and a separate loop for the remaining iterations, which is left unchanged
extern "C" __global__ void rest(int n, const unsigned *in, unsigned *out)
{
	#pragma ccc for unroll(2) threads(256)
	for (int i = 0; i < n; i++) {
		#pragma ccc if
		if (in[i * 64 + threadIdx.x] % 5 == 0)
			out[i * 64 + threadIdx.x] = slow(in[i * 64 + threadIdx.x]);
	}
}
