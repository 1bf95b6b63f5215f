// SPDX-License-Identifier: MIT
// Switches: each case is a path. nvcc compiles them into chains and trees of compares.
#ifndef KERNELS
#define KERNELS "switches.cu"
#include "gpu_test.cuh"
int main()
{
	RUN(k_few_cases);
	RUN(k_many_cases);
	RUN(k_falls_through);
	RUN(k_breaks);
	RUN(k_two_costliest);
	RUN(k_queued);
	RUN(k_switch_in_case);
	RUN(k_path_in_case);
	RUN(k_switch_in_path);
	RUN(k_two_switches);
	RUN(k_shares_a_tail);
	RUN(k_of_template<3>);
	RUN(k_of_template<5>);
	RUN(k_else_if);
	return finish();
}
#else
__device__ __forceinline__ unsigned mixed(unsigned x, int n)
{
	for (int i = 0; i < n; i++)
		x = mix(x + i);
	return x;
}

__global__ void k_few_cases(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(switch paths(4))
		switch (g.in[i] & 7) {
		case 0: g.out[i] = mixed(i, 3); break;
		case 1: case 2: g.out[i] = mixed(i + 1, 4); break;
		case 5: g.out[i] = mixed(i + 2, 5); break;
		default: g.out2[i] = mixed(i + 3, 2);
		}
	}
}

__global__ void k_many_cases(Args g)
{
	CCC(for threads(128))
	GRID_STRIDE(i) {
		unsigned x = g.in[i] >> 3;
		CCC(switch paths(16))
		switch (g.in[i] & 31) {
		case 0: g.out[i] = mixed(x, 1); break;
		case 1: g.out[i] = mixed(x, 2); break;
		case 2: g.out[i] = x / 7; break;
		case 3: g.out[i] = x % 11 + 1; break;
		case 4: g.out[i] = mixed(x, 3) / 3; break;
		case 5: g.out[i] = __popc(x) * x; break;
		case 6: g.out[i] = mixed(x, 4) % 1000; break;
		case 7: g.out[i] = x * x / 9; break;
		case 9: g.out[i] = mixed(x, 6); break;
		case 10: g.out2[i] = mixed(x, 7); break;
		case 12: g.out2[i] = mixed(x, 8) + mixed(i, 2); break;
		case 17: g.out2[i] = mixed(x, 9) / 5; break;
		case 30: g.out2[i] = mixed(x, 10) % 17; break;
		case 31: g.out2[i] = x ^ 0x55555555; break;
		}
	}
}

// Cases communicate only through memory that they update by reductions.
__global__ void k_falls_through(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(switch paths(8))
		switch (g.in[i] & 7) {
		case 6: atomicAdd(g.out + i, mixed(i, 3)); // falls through
		case 5: atomicAdd(g.out + i, mixed(i, 4)); // falls through
		case 4:
		case 3: atomicAdd(g.out + i, mixed(i, 5)); break;
		case 2: atomicAdd(g.out + i, mixed(i, 1)); // falls through
		default: atomicAdd(g.out2 + i, mixed(i, 2));
		}
	}
}

__global__ void k_breaks(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(switch paths(8))
		switch (g.in[i] & 7) {
		case 1: {
			unsigned x = mixed(i, 2);
			if (x & 1)
				break;
			g.out[i] = x / 3;
			if (x & 2) {
				g.out2[i] = x;
				break;
			}
			g.out2[i] = mixed(x, 3);
		} break;
		case 2:
			for (int k = 0; k < (g.in[i] >> 3 & 7); k++) {
				if (g.in[i] >> k & 64)
					break;
				if (k == 3)
					continue;
				atomicAdd(g.out + i, mixed(k, 2));
			}
			g.out2[i] = 5;
			break;
		case 3:
			switch (g.in[i] >> 3 & 3) {
			case 0: g.out[i] = 1; break;
			case 1: g.out[i] = mixed(i, 4); break;
			default: g.out[i] = 3;
			}
			break;
		case 4:
			if (g.in[i] & 8) { // the rest of the iteration consists of the loop's own code
				g.out[i] = mixed(i, 5);
				continue;
			}
			g.out2[i] = 7;
		}
	}
}

__global__ void k_two_costliest(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(switch paths(2))
		switch (g.in[i] & 3) {
		case 0: g.out[i] = mixed(i, 2); break;
		case 1: g.out[i] = mixed(i, 8); break;
		case 2: g.out[i] = mixed(i, 6); break;
		case 3: g.out[i] = mixed(i, 4); break;
		}
	}
}

__global__ void k_queued(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(switch policy(queue) paths(3))
		switch (g.in[i] & 3) {
		case 0: g.out[i] = mixed(i, 2); break;
		case 1: g.out[i] = mixed(i + g.in[i], 8); break;
		case 3: g.out[i] = mixed(i * g.in[i], 4); break;
		}
	}
}

__global__ void k_switch_in_case(Args g)
{
	CCC(for threads(128) independent)
	GRID_STRIDE(i) {
		CCC(switch paths(3))
		switch (g.in[i] & 3) {
		case 0: g.out[i] = mixed(i, 2); break;
		case 1: {
			unsigned x = mixed(i, 3);
			CCC(switch paths(3))
			switch (x & 3) {
			case 0: g.out2[i] = mixed(x, 4); break;
			case 1: if (x & 64) break; g.out2[i] = mixed(x, 2); break;
			case 2: g.out2[i] = mixed(x, 5); break;
			}
			g.out[i] = x;
			break;
		}
		case 2: g.out[i] = mixed(i, 6); break;
		}
	}
}

__global__ void k_path_in_case(Args g)
{
	CCC(for threads(128) independent)
	GRID_STRIDE(i) {
		CCC(switch paths(3))
		switch (g.in[i] & 3) {
		case 0: {
			unsigned x = mixed(i, 3);
			CCC(if)
			if (x & 1)
				g.out2[i] = mixed(x, 6);
			g.out[i] = x;
			break;
		}
		case 1:
			CCC(if)
			if (g.in[i] & 64) {
				g.out[i] = mixed(i, 7);
				break;
			}
			g.out2[i] = 3;
			break;
		}
	}
}

__global__ void k_switch_in_path(Args g)
{
	CCC(for threads(128) independent)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i)) {
			unsigned x = mixed(i, 3);
			CCC(switch paths(3))
			switch (x & 3) {
			case 0: g.out2[i] = mixed(x, 4); break;
			case 1: g.out2[i] = mixed(x, 2); // falls through
			case 2: atomicAdd(g.count, mixed(x, 5)); break;
			}
			g.out[i] = x;
		}
	}
}

__global__ void k_two_switches(Args g)
{
	CCC(for threads(128))
	GRID_STRIDE(i) {
		CCC(switch paths(3))
		switch (g.in[i] & 3) {
		case 0: g.out[i] = mixed(i, 2); break;
		case 1: g.out[i] = mixed(i, 8); break;
		case 3: g.out[i] = mixed(i, 4); break;
		}
		CCC(switch paths(2))
		switch (g.in[i] >> 4 & 3) {
		case 1: atomicAdd(g.count + 1, mixed(i, 4)); break;
		default: atomicAdd(g.count + 2, mixed(i, 3)); break;
		}
	}
}

// The compiler could sink the common end of the cases.
__global__ void k_shares_a_tail(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		unsigned x = g.in[i];
		CCC(switch paths(4))
		switch (x & 3) {
		case 0: g.out[i] = mixed(x, 2); g.out2[i] = 7; break;
		case 1: g.out[i] = mixed(x, 3); g.out2[i] = 7; break;
		case 2: g.out[i] = mixed(x, 4); g.out2[i] = 7; break;
		default: g.out[i] = mixed(x, 5); g.out2[i] = 7; break;
		}
	}
}

template <int N>
__global__ void k_of_template(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(switch paths(3))
		switch (g.in[i] & 7) {
		case 0: g.out[i] = mixed(i, N); break;
		case N: g.out[i] = mixed(i, N + 1); break;
		case 7: if (N > 4) break; g.out[i] = mixed(i, N + 2); break;
		}
	}
}

__global__ void k_else_if(Args g)
{
	CCC(for threads(128))
	GRID_STRIDE(i) {
		const int x = g.in[i] & 7;
		CCC(if)
		if (x == 0)
			g.out[i] = mixed(i, 3);
		else
			CCC(if)
			if (x == 1)
				g.out[i] = mixed(i, 4);
			else
				CCC(if)
				if (x == 2)
					g.out[i] = mixed(i, 5);
				else
					CCC(if else)
					if (x < 5)
						g.out2[i] = mixed(i, 6);
					else
						g.out2[i] = mixed(i, 7);
	}
}
#endif
