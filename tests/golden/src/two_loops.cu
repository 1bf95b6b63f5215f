__global__ void k(int n, const int *a, int *b)
{
	#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		#pragma ccc if
		if (a[i] > 7)
			atomicAdd(b, a[i]);
	}
	#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		long long w = (long long)a[i] << 20;
		#pragma ccc if
		if (a[i] < 3)
			b[i] = (int)(w / 7);
	}
}
// SPDX-License-Identifier: MIT
