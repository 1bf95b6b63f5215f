__global__ void k(int n, const int *a, int *b)
{
	int i = threadIdx.x, step = 0;
	#pragma ccc for
	do {
		#pragma ccc if
		if (a[i] > 7)
			atomicAdd(b + i, step);
		i = a[i + n];
		step++;
	} while (i);
	b[n + threadIdx.x] = step;
}
// SPDX-License-Identifier: MIT
