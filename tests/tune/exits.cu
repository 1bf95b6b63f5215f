// SPDX-License-Identifier: MIT
// A loop without a path that lanes leave in different iterations, each for the code of its exit. tests/tune tries the annotation
// that cccnvcc --ccc-suggest advises, and measures it without a policy.
#include <cstdio>

__device__ __forceinline__ bool find(unsigned &x, unsigned &kind, int most)
{
#pragma unroll 1
	for (int k = 0; k < most; k++) {
		x = x * 1664525u + 1013904223u;
		x ^= x >> 15;
		if (x >> 29 == 5) {
			kind = x & 15;
			return true;
		}
		if (x >> 24 == 0)
			break;
	}
	return false;
}

__global__ void __launch_bounds__(128) search(const unsigned *in, unsigned *out, int n, int most)
{
	__shared__ unsigned first;
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (threadIdx.x == 0)
		first = in[i];
	__syncthreads(); // the kernel can have no task loop
	if (i >= n)
		return;
	unsigned x = in[i] ^ first, code = 0, kind;
	if (!find(x, kind, most)) {
		code = x;
	} else {
		unsigned h = x ^ i;
#pragma unroll 1
		for (unsigned j = 0; j < 4 + kind; j++) {
			h = (h ^ h >> 13) * 0x7feb352du + j;
			h = (h ^ h >> 16) * 0x846ca68bu;
		}
		for (int j = 0; j < 8; j++)
			code = code * 31 + (h >> 4 * j & 15) * (h >> j & 0x3ff);
		code ^= h;
	}
	out[i] = code;
}

int main()
{
	enum { N = 256 };
	unsigned *in, *out, sum = 0;

	cudaMallocManaged(&in, N * sizeof *in);
	cudaMallocManaged(&out, N * sizeof *out);
	for (unsigned i = 0; i < N; i++)
		in[i] = i * 2654435761u;
	search<<<2, 128>>>(in, out, N, 64);
	cudaDeviceSynchronize();
	for (int i = 0; i < N; i++)
		sum = sum * 31 + out[i];
	printf("%u\n", sum);
}
