__global__ void k(int n, const int *a, long long *b)
{
	#pragma ccc for
	for (int i = threadIdx.x; i < n; i += 32) {
		#pragma ccc if
		if (a[(size_t)i] > 7) {
			size_t j = (size_t)i;
			b[j] = a[j] + j * j;
		}
	}
}
// SPDX-License-Identifier: MIT
