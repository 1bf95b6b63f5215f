// SPDX-License-Identifier: MIT
// promise.cu: an annotated loop whose iterations depend on each other.
#include <cstdio>
__global__ void chain(int *a, int n)
{
	#pragma ccc for
	for (int i = 1; i < n; i++) {
		#pragma ccc if
		if (i % 4 != 3)
			a[i] = a[i - 1] * 3 + 1;
	}
}

int main()
{
	int *a, got = 0;
	cudaMalloc(&a, 4 * sizeof *a);
	cudaMemset(a, 0, 4 * sizeof *a);
	chain<<<1, 1>>>(a, 4);
	cudaMemcpy(&got, a + 2, sizeof got, cudaMemcpyDeviceToHost);
	puts(got == 4 ? "ok" : "FAIL");
}
