// SPDX-License-Identifier: MIT
// Two loops that a model without a profile leaves, as bound by memory: one has a path that nearly all lanes take, the other one that
// hardly any lane takes. tests/tune measures them.
#include <cstdio>

__global__ void mostly(const unsigned *in, unsigned *out, int n)
{
	#pragma ccc for
	for (int i = threadIdx.x; i < n; i += blockDim.x) {
		unsigned x = in[i];
		#pragma ccc if
		if (x % 16 != 3) {
			for (int k = 0; k < 12; k++)
				x = (x ^ x >> 5) * 1664525 + k;
			out[i] = x;
		}
	}
}

__global__ void hardly(const unsigned *in, unsigned *out, int n)
{
	#pragma ccc for
	for (int i = threadIdx.x; i < n; i += blockDim.x) {
		unsigned x = in[i];
		#pragma ccc if
		if (x % 16 == 3) {
			for (int k = 0; k < 12; k++)
				x = (x ^ x >> 5) * 1664525 + k;
			out[i] = x;
		}
	}
}

int main()
{
	enum { N = 2000 };
	unsigned *in, *out, sum = 0;

	cudaMallocManaged(&in, N * sizeof *in);
	cudaMallocManaged(&out, N * sizeof *out);
	for (unsigned i = 0; i < N; i++)
		in[i] = i * 2654435761u >> 7, out[i] = 0;
	mostly<<<1, 64>>>(in, out, N);
	hardly<<<1, 64>>>(out, in, N);
	if (cudaDeviceSynchronize() != cudaSuccess)
		return 1;
	for (int i = 0; i < N; i++)
		sum = sum * 31 + out[i] + in[i];
	printf("sum %u\n", sum);
}
