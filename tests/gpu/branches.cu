// Conditions of several tests, nested ifs, an else branch that is not collected, code before and after the path.
#ifndef KERNELS
#define KERNELS "branches.cu"
#include "gpu_test.cuh"
int main()
{
	RUN(k_plain_if);
	RUN(k_and);
	RUN(k_or);
	RUN(k_nested);
	RUN(k_else);
	RUN(k_else_if);
	RUN(k_around);
	RUN(k_always);
	RUN(k_if_in_path);
	return finish();
}
#else
__global__ void k_plain_if(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i))
			g.out[i] = mix(i);
	}
}

__global__ void k_and(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i) && g.in64[i] > 1000 && g.in[i + 1] % 3 != 0) {
			atomicAdd(g.count + i % 64, mix(i));
			g.out[i] = mix(i + 1);
		}
	}
}

__global__ void k_or(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (g.in[i] % 11 == 0 || (g.in64[i] % 5 == 0 && wants(g, i))) {
			atomicAdd(g.count + i % 64, 1);
			g.out[i] = mix(i + 1);
		}
	}
}

__global__ void k_nested(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		if (g.in[i] & 64) {
			g.out2[i] = 1;
			CCC(if)
			if (wants(g, i))
				atomicAdd(g.out + i, mix(i));
			g.out2[i] += 2;
		}
	}
}

__global__ void k_else(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i))
			atomicAdd(g.out + i, mix(i));
		else
			atomicAdd(g.out + i, 7);
	}
}

__global__ void k_else_if(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		if (g.in[i] & 32) {
			atomicAdd(g.out + i, 5);
		} else {
			CCC(if)
			if (wants(g, i) && (g.in[i] & 16)) {
				atomicAdd(g.out + i, mix(i));
			} else if (g.in[i] & 8) {
				atomicAdd(g.out + i, 3);
			}
		}
	}
}

// Long code before and after the path, with registers that are live across it.
__global__ void k_around(Args g)
{
	unsigned sum = 0;
	CCC(for)
	GRID_STRIDE(i) {
		const unsigned a = mix(g.in[i]), b = mix(a + i);
		sum += a;
		CCC(if)
		if (wants(g, i))
			atomicAdd(g.out + i, mix(b ^ a));
		sum ^= b;
		atomicAdd(g.out2 + i, sum);
	}
	g.per_thread[thread_id()] = sum;
}

// All lanes take the path, in every iteration.
__global__ void k_always(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (g.in[i] >= 0)
			atomicAdd(g.out + i, mix(i));
	}
}

__global__ void k_if_in_path(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i)) {
			const unsigned x = mix(i);
			if (x & 1)
				atomicAdd(g.count + x % 64, x);
			else if (x & 2)
				atomicMax(g.count + x % 64, 0u);
			g.out[i] = x & 4 ? mix(x) : x;
		}
	}
}
#endif
// SPDX-License-Identifier: MIT
