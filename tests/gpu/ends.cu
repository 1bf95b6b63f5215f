// SPDX-License-Identifier: MIT
// Paths in which the thread may exit or trap, or with hints about what cannot happen: __trap, assert, exit in inline assembly,
// __builtin_assume and __builtin_unreachable.
#ifndef KERNELS
#define KERNELS "ends.cu"
#include <cassert>
#include "gpu_test.cuh"
int main()
{
	RUN(k_trap);
	RUN(k_trap_inside);
	RUN(k_trap_guarded);
	RUN(k_trap_ahead);
	RUN(k_assert);
	RUN(k_assert_twice);
	RUN(k_assume);
	RUN(k_unreachable);
	RUN(k_exit);
	RUN(k_exits);
	RUN(k_exit_wait);
	return finish();
}
#else
#undef NDEBUG
__device__ __forceinline__ unsigned work(unsigned x, int n)
{
#pragma unroll
	for (int k = 0; k < n; k++)
		x = mix(x + k);
	return x;
}
#define TRAP_IF(x) asm volatile("{.reg .pred q; setp.eq.u32 q, %0, 77777; @q trap;}" ::"r"(x))
#define EXIT_IF(x) asm volatile("{.reg .pred q; setp.lt.u32 q, %0, 99999999; @q exit;}" ::"r"(x))

#define ENDS(name, policy, inside, behind)                                \
	__global__ void name(Args g)                                      \
	{                                                                 \
		CCC(for policy)                                           \
		GRID_STRIDE(i) {                                          \
			const int v = g.in[i];                            \
			CCC(if)                                           \
			if (wants(g, i)) {                                \
				unsigned x = v;                           \
				for (int k = 0; k < (v & 3) + 2; k++) {   \
					x = work(x + i, 4);               \
					inside;                           \
				}                                         \
				behind;                                   \
				atomicAdd(g.out + i, x);                  \
			}                                                 \
		}                                                         \
		atomicAdd(g.per_thread + thread_id(), 7);                 \
	}

ENDS(k_trap, policy(queue(2)), , if (x == 77777) __trap())
ENDS(k_trap_inside, policy(queue(4)), if (x == 77777) __trap(), )
ENDS(k_trap_guarded, policy(stack), TRAP_IF(x), TRAP_IF(x))
ENDS(k_trap_ahead, policy(ahead), , TRAP_IF(x))
ENDS(k_assert, policy(queue(4)) retreat(1), , assert(x != 77777))
ENDS(k_assert_twice, policy(stack), assert(x != 77777), assert(v >= 0))
ENDS(k_assume, policy(queue(4)), , __builtin_assume(x != 77777); __builtin_assume(g.in[i + 1] >= 0))
ENDS(k_unreachable, policy(stack), , if (x == 77777) __builtin_unreachable())
ENDS(k_exit, policy(converge), , EXIT_IF(x))
ENDS(k_exits, policy(converge), EXIT_IF(x), EXIT_IF(x + 1))
ENDS(k_exit_wait, policy(wait), EXIT_IF(x), EXIT_IF(x + 1))
#endif
