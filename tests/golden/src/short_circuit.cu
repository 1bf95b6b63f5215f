__global__ void k(int n, const int *a, int *b)
{
	#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		#pragma ccc if
		if (a[i] > 7 && b[i] < 3)
			b[i] = a[i] * 3;
	}
}
// SPDX-License-Identifier: MIT
