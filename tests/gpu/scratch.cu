// Thread-local memory that the path, and perhaps the rest of the loop, uses as a scratch pad: the slow path of sinf and cosf, a
// stack, a table that is filled.
#ifndef KERNELS
#define KERNELS "scratch.cu"
#include "gpu_test.cuh"
int main()
{
	RUN(k_sine);
	RUN(k_stack);
	RUN(k_table);
	RUN(k_sine_in_both);
	RUN(k_sine_in_cases);
	RUN(k_table_in_both);
	RUN(k_stack_in_both);
	RUN(k_beside);
	return finish();
}
#else
__global__ void k_sine(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i)) {
			float x = (float)g.in[i] * 1.0e6f, s = 0;
			for (int k = 1; k < 4; ++k)
				s += sinf(x * k) + cosf(x + k);
			g.out[i] = __float_as_uint(s);
		}
	}
}

// Walks a tree with a stack of pending nodes.
__global__ void k_stack(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i)) {
			unsigned later[24], n = 0, sum = 0;
			later[n++] = mix(i) & 31;
			while (n) {
				unsigned node = later[--n];
				sum = mix(sum + node);
				if (node > 2 && n < 22) {
					later[n++] = node >> 1;
					if (node & 1)
						later[n++] = node >> 2;
				}
			}
			g.out[i] = sum;
		}
	}
}

__global__ void k_table(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		unsigned before = mix(i);
		CCC(if)
		if (wants(g, i)) {
			unsigned a[16];
			for (int j = 0; j < 16; ++j)
				a[j] = mix(before + j);
			g.out[i] = a[g.in[i] >> 4 & 15] + mix(a[g.in[i] >> 8 & 15]);
		}
		g.out2[i] = before;
	}
}

// nvcc places both in one array.
__global__ void k_sine_in_both(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		float x = (float)g.in[i] * 1.0e6f, before = sinf(x);
		CCC(if)
		if (wants(g, i)) {
			float s = 0;
			for (int k = 1; k < 4; ++k)
				s += sinf(x * k) + cosf(x + k);
			g.out[i] = __float_as_uint(s);
		}
		g.out2[i] = __float_as_uint(before + cosf(x + 5));
	}
}

__global__ void k_sine_in_cases(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		float x = (float)g.in[i] * 1.0e6f;
		CCC(switch)
		switch (g.in[i] >> 3 & 3) {
		case 0: g.out[i] = __float_as_uint(sinf(x) + sinf(x + 1)); break;
		case 1: g.out[i] = __float_as_uint(cosf(x) * cosf(x + 1)); break;
		case 2: g.out[i] = __float_as_uint(tanf(x) - tanf(x + 1)); break;
		default: break;
		}
	}
}

// Filled by a loop in the path, and word by word in the rest.
__global__ void k_table_in_both(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		unsigned a[16];
#pragma unroll
		for (int j = 0; j < 16; ++j)
			a[j] = mix(i * 16 + j);
		g.out2[i] = a[g.in[i] & 15];
		CCC(if)
		if (wants(g, i)) {
#pragma unroll 1
			for (int j = 15; j >= 0; --j)
				a[j] = mix(i + 3 * j);
			g.out[i] = a[g.in[i] >> 4 & 15] + mix(a[g.in[i] >> 8 & 15]);
		}
	}
}

// That it is filled before it is read cannot be proven, so a clause says so.
__global__ void k_stack_in_both(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		unsigned later[24], n = 0, sum = 0;
		later[n++] = mix(i) & 7;
		while (n) {
			unsigned node = later[--n];
			sum = mix(sum + node);
			if (node > 2 && n < 22)
				later[n++] = node >> 1;
		}
		g.out2[i] = sum;
		CCC(if scratch)
		if (wants(g, i)) {
			n = 0;
			later[n++] = mix(i) & 31;
			while (n) {
				unsigned node = later[--n];
				sum = mix(sum + node);
				if (node > 2 && n < 22) {
					later[n++] = node >> 1;
					if (node & 1)
						later[n++] = node >> 2;
				}
			}
			g.out[i] = sum;
		}
	}
}

// The path has a table of its own; ptxccc does not see that the rest uses a different one.
__global__ void k_beside(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		unsigned a[16];
		for (int j = 0; j < 16; ++j)
			a[j] = mix(i + j);
		unsigned sum = a[g.in[i] & 15];
		CCC(if scratch)
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
