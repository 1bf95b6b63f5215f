// Loops and switches in the path.
#ifndef KERNELS
#define KERNELS "nested.cu"
#include "gpu_test.cuh"
int main()
{
	RUN(k_for);
	RUN(k_while);
	RUN(k_do);
	RUN(k_triple);
	RUN(k_break_continue);
	RUN(k_switch);
	RUN(k_gather);
	return finish();
}
#else
__global__ void k_for(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i)) {
			unsigned x = i;
			for (int j = 0; j < (g.in[i] >> 4 & 31); ++j)
				x = mix(x + j);
			g.out[i] = x;
		}
	}
}

__global__ void k_while(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i)) {
			unsigned x = g.in[i], steps = 0;
			while (x > 1 && steps < 200) {
				x = x & 1 ? 3 * x + 1 : x / 2;
				++steps;
			}
			g.out[i] = steps;
		}
	}
}

__global__ void k_do(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i)) {
			unsigned x = g.in[i];
			do
				x = mix(x);
			while (x % 9);
			g.out[i] = x;
		}
	}
}

__global__ void k_triple(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i)) {
			unsigned x = i;
			for (int a = 0; a < (g.in[i] & 3) + 1; ++a)
				for (int b = a; b < 4; ++b)
					for (int c = b; c < (g.in[i] >> 8 & 7); ++c)
						x = mix(x + a * 100 + b * 10 + c);
			g.out[i] = x;
		}
	}
}

__global__ void k_break_continue(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i)) {
			unsigned x = i;
			for (int j = 0; j < 40; ++j) {
				x = mix(x);
				if (x % 3 == 0)
					continue;
				atomicAdd(g.out + i, x);
				if (x % 17 == 0)
					break;
			}
		}
	}
}

__global__ void k_switch(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i)) {
			unsigned x = g.in[i];
			switch (x >> 5 & 7) {
			case 0: x = mix(x); break;
			case 1: atomicAdd(g.count + 1, x); /* fall through */
			case 2: x += 5; break;
			case 3: x = x * 7 ^ i; break;
			case 4: atomicMax(g.count + 4, x); break;
			case 5: atomicXor(g.count + 5, x); x = mix(x + 1); break;
			case 6: x = __brev(x); break;
			default: x = __popc(x);
			}
			g.out[i] = x;
		}
	}
}

// A loop over a row of neighbours, as in BFS.
__global__ void k_gather(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i)) {
			const int from = i, to = min(i + (g.in[i] & 63), g.n);
			for (int e = from; e < to; ++e) {
				const int u = (unsigned)g.in[e] % g.n;
				if (g.in[u] & 1)
					atomicAdd(g.out + u, mix(e));
			}
		}
	}
}
#endif
// SPDX-License-Identifier: MIT
