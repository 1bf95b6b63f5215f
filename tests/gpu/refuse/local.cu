// WARNS: ccc-local
// Local memory of the owner: the path uses its content or its address.
#ifndef KERNELS
#define KERNELS "refuse/local.cu"
#include "../gpu_test.cuh"
int main()
{
	RUN(k_array);
	RUN(k_array_written);
	RUN(k_address);
	RUN(k_not_all_filled);
	RUN(k_read_behind);
	return finish();
}
#else
__global__ void k_array(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		unsigned a[16];
		for (int j = 0; j < 16; ++j)
			a[j] = mix(i + j);
		g.out2[i] = a[g.in[i] & 15];
		CCC(if)
		if (wants(g, i))
			g.out[i] = a[g.in[i] >> 4 & 15] + mix(a[g.in[i] >> 8 & 15]);
	}
}

__global__ void k_array_written(Args g)
{
	unsigned seen[8] = {};
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i))
			seen[g.in[i] >> 4 & 7] += mix(i);
	}
	unsigned sum = 0;
	for (int j = 0; j < 8; ++j)
		sum = sum * 3 + seen[j];
	g.per_thread[thread_id()] = sum + seen[thread_id() & 7];
}

__device__ __noinline__ void bump(unsigned *p, unsigned x)
{
	*p += mix(x);
}
__global__ void k_address(Args g)
{
	unsigned sum = 0;
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i))
			bump(&sum, i);
	}
	g.per_thread[thread_id()] = sum;
}

// Everything that is read is written before the path, but not in it.
__global__ void k_not_all_filled(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		unsigned a[16];
		for (int j = 0; j < 16; ++j)
			a[j] = mix(i + j);
		g.out2[i] = a[g.in[i] & 15];
		CCC(if)
		if (wants(g, i)) {
#pragma unroll 1
			for (int j = 0; j < 15; ++j)
				a[j] = mix(i + 3 * j);
			g.out[i] = a[g.in[i] >> 4 & 15];
		}
	}
}

// After the path, the rest reads what it wrote before it.
__global__ void k_read_behind(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		unsigned a[16];
		for (int j = 0; j < 16; ++j)
			a[j] = mix(i + j);
		unsigned sum = a[g.in[i] & 15];
		CCC(if)
		if (wants(g, i)) {
			unsigned b[16];
			for (int j = 0; j < 16; ++j)
				b[j] = mix(i * 7 + j);
			g.out[i] = b[g.in[i] >> 4 & 15] + b[g.in[i] >> 8 & 15];
		}
		g.out2[i] = sum + a[g.in[i] >> 4 & 15];
	}
}
#endif
// SPDX-License-Identifier: MIT
