__global__ void k(int n, const int *a, int *b)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	#pragma ccc for
	for (; i < n; i += gridDim.x * blockDim.x) {
		if (a[i] == 100) {
			b[i] = -1;
			break;
		}
		#pragma ccc if
		if (a[i] > 7)
			atomicAdd(b, a[i]);
		if (a[i] == 50)
			return;
	}
	b[threadIdx.x] = i;
}
// SPDX-License-Identifier: MIT
