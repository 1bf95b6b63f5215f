// SPDX-License-Identifier: MIT
// Remapping by a key: the generated code of a call through a pointer, and of a key that is hashed.
typedef float (*Function)(float);
__device__ float doubled(float x) { return x + x; }
__device__ float halved(float x) { return x * 0.5f; }
__device__ Function table[2] = { doubled, halved };

extern "C" __global__ void __launch_bounds__(64) remap_key(const int *kind, float *x, int n)
{
	int i = blockIdx.x * 64 + threadIdx.x;
	if (i >= n)
		return;
#pragma ccc remap key(kind[i]) paths(2)
	x[i] = table[kind[i]](x[i]);
}
