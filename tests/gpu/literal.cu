// SPDX-License-Identifier: MIT
// Loops with literal bounds, with steps of both signs, each comparison and several types. nvcc compares the index of such a loop before
// it adds the step.
#ifndef KERNELS
#define KERNELS "literal.cu"
#include "gpu_test.cuh"
int main()
{
	RUN(k_up);
	RUN(k_down);
	RUN(k_to_it);
	RUN(k_unequal);
	RUN(k_unequal_down);
	RUN(k_unsigned);
	RUN(k_long);
	RUN(k_long_down);
	RUN(k_far);
	RUN(k_far_down);
	return finish();
}
#else
#define LITERAL(name, type, first, cmp, bound, step, value)               \
	__global__ void name(Args g)                                      \
	{                                                                 \
		CCC(for policy(ahead))                                    \
		for (type i = (first); i cmp (bound); i += (step)) {      \
			const int v = (value);                            \
			CCC(if)                                           \
			if (v & 1) {                                      \
				unsigned x = v;                           \
				for (int k = 0; k < (v & 15); k++)        \
					x = mix(x + i);                   \
				atomicAdd(g.per_thread + thread_id(), x); \
			}                                                 \
		}                                                         \
	}
#define LOADED g.in[i * 5 % 777]
#define MIXED (int)((i * 1664525u + g.n) >> 9)

LITERAL(k_up, int, thread_id(), <, 600, 7, LOADED)
LITERAL(k_down, int, 600 - thread_id(), >, 13, -7, LOADED)
LITERAL(k_to_it, int, 599 - thread_id(), >=, 3, -3, MIXED)
LITERAL(k_unequal, int, thread_id() % 64, !=, 601, 1, LOADED)
LITERAL(k_unequal_down, int, 90 + thread_id() % 64, !=, 3, -1, MIXED)
LITERAL(k_unsigned, unsigned, thread_id(), <=, 500u, 9, LOADED)
LITERAL(k_long, long long, thread_id(), <, 600, 7, LOADED)
LITERAL(k_long_down, long long, 600 - thread_id(), >=, 3, -7, LOADED)
// A counter in addition to the index has a step that exceeds 26 bits.
LITERAL(k_far, long long, thread_id(), <, 6000, 64, MIXED)
LITERAL(k_far_down, long long, 6000 - thread_id(), >, 3, -64, MIXED)
#endif
