__global__ void __launch_bounds__(128) k(int n, const int *a, int *b)
{
	#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		#pragma ccc if
		if (a[i] > 7)
			b[i] = 1;
	}
}
__global__ void small(int n, const int *a, int *b)
{
	#pragma ccc for threads(64)
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		#pragma ccc if
		if (a[i] > 7)
			b[i] = 1;
	}
}
// SPDX-License-Identifier: MIT
