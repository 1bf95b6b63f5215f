__global__ void k(int n, const int *a, int *b)
{
	#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		#pragma ccc if
		if (a[i] > 7)
			atomicAdd(b + threadIdx.x, i + threadIdx.y);
	}
}
// SPDX-License-Identifier: MIT
