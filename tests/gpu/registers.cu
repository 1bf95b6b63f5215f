// STRICT: no. A path of 16 64-bit values: the transformed kernel needs more than 64 registers per thread without a register limit,
// and blocks of 1,024 threads must launch as before.
// WARNS: ccc-maxnreg
#ifndef KERNELS
#define KERNELS "registers.cu"
#include "gpu_test.cuh"
int main()
{
	RUN(k_registers);
	RUN(k_registers_bounded);
	return finish();
}
#else
__device__ __forceinline__ void wide_path(const Args &g, int i)
{
	unsigned long long b[16], sum = 0;
#pragma unroll
	for (int j = 0; j < 16; ++j)
		b[j] = g.in64[i + j];
	CCC(if)
	if (wants(g, i)) {
		for (int t = 0; t < 5; ++t)
#pragma unroll
			for (int j = 0; j < 16; ++j)
				b[j] = b[j] * b[(j + 1) % 16] + t;
#pragma unroll
		for (int j = 0; j < 16; ++j)
			sum += b[j];
		atomicAdd(g.out + i, (unsigned)(sum >> 7));
	}
}
__global__ void k_registers(Args g)
{
	CCC(for)
	GRID_STRIDE(i)
		wide_path(g, i);
}
__global__ void __launch_bounds__(1024) k_registers_bounded(Args g)
{
	CCC(for)
	GRID_STRIDE(i)
		wide_path(g, i);
}
#endif
// SPDX-License-Identifier: MIT
