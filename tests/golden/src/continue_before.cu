__global__ void k(int n, const int *a, int *b)
{
	#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		if (a[i] & 1) {
			b[i] = 0;
			continue;
		}
		#pragma ccc if independent
		if (a[i] > 7)
			atomicAdd(b + 1, a[i]);
		b[i + n] = 1;
	}
}
// SPDX-License-Identifier: MIT
