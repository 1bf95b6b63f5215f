#include "count.cuh"

__device__ int first_index()
{
	return blockIdx.x * blockDim.x + threadIdx.x;
}
// SPDX-License-Identifier: MIT
