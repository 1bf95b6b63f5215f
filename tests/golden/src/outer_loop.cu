__global__ void k(int n, int rounds, const int *a, int *b)
{
	for (int r = 0; r < rounds; r++) {
		int scale = r * 3;
		#pragma ccc for
		for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
			#pragma ccc if
			if (a[i] > r)
				atomicAdd(b + i, scale);
		}
	}
}
// SPDX-License-Identifier: MIT
