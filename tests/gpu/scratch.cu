// Thread-local memory that the path alone uses: the slow way of sinf and cosf, a stack of its own, a table it fills.
#ifndef KERNELS
#define KERNELS "scratch.cu"
#include "gpu_test.cuh"
int main()
{
	RUN(k_sine);
	RUN(k_stack);
	RUN(k_table);
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

// A tree that is walked: what is to be done later is on a stack.
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
#endif
// SPDX-License-Identifier: MIT
