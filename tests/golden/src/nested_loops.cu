__global__ void k(int n, const int *row, const int *col, int *b)
{
	#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		#pragma ccc if
		if (row[i + 1] > row[i])
			for (int e = row[i]; e < row[i + 1]; ++e)
				for (int j = col[e]; j; j >>= 1)
					atomicAdd(b + j, 1);
	}
}
// SPDX-License-Identifier: MIT
