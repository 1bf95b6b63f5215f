// SPDX-License-Identifier: MIT
// Remapping by a key: a function that is called through a pointer calls through a pointer, too.
typedef float (*Function)(float);
__device__ float doubled(float x) { return x + x; }
__device__ Function other = doubled;
__device__ float again(float x) { return other(x) + 1; }
__device__ Function table[2] = { doubled, again };

extern "C" __global__ void pointers(const int *kind, float *x)
{
	int i = threadIdx.x;
#pragma ccc remap key(kind[i])
	x[i] = table[kind[i]](x[i]);
}
