__device__ __forceinline__ int twice(int x)
{
	if (x & 1)
		x *= 3;
	return x + 1;
}
__global__ void k(int *out)
{
	int t = threadIdx.x;
	out[t] = twice(t);
	if (t < 5)
		out[t + 32] = twice(out[t] / 3);
}
// SPDX-License-Identifier: MIT
