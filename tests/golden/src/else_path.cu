__global__ void k(int n, const int *a, int *b)
{
	#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		if (a[i] > 7)
			b[i] = 1;
		else
			#pragma ccc path
			b[i] = a[i] * 5;
	}
}
// SPDX-License-Identifier: MIT
