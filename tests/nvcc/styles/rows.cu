// SPDX-License-Identifier: MIT
#include "work.cuh"
// Inner loops of a kernel with one task per thread, and after a branch on the same line.
__global__ void rows(const int *row, const float *a, float *out, int n)
{
	int v = blockIdx.x * blockDim.x + threadIdx.x;
	if (v >= n)
		return;
	float sum = 0;
	for (int e = row[v]; e < row[v + 1]; e++)
		sum += work(a[e]);
	out[v] = sum;
}
__global__ void same(const int *row, const float *a, float *out, int n)
{
	for (int v = threadIdx.x; v < n; v += blockDim.x) {
		float sum = 0;
		if (row[v] > 5) for (int e = row[v]; e < row[v + 1]; e++) {
			sum = work(a[e]) * sum + 1;
		}
		out[v] = sum;
	}
}
__global__ void setup(const float *in, float *out, int n)
{
	if (threadIdx.x == 0 && blockIdx.x == 0) {
		for (int i = 0; i < n; i++)
			out[i] = out[i + 1] * 3 + in[i];
	}
}
