// SPDX-License-Identifier: MIT
// Task loops: kernels with one task per thread, whose launches have more blocks than the task loop keeps (2, or a 16th with `dynamic`).
// FLAGS: --ccc-sms=2 --ccc-grid-blocks=1
#ifndef KERNELS
#define KERNELS "tasks.cu"
#include "gpu_test.cuh"
int main()
{
	RUN(k_stack);
	RUN(k_queue);
	RUN(k_dynamic);
	RUN(k_dynamic_called);
	RUN(k_expand);
	return finish();
}
#else
__device__ __forceinline__ int task(Args g) { const int i = thread_id(); return i < g.n ? i : -1; }
__device__ __noinline__ unsigned place_of(unsigned v) { return mix(v + blockIdx.x) % 64; }

#define TASKS(name, policy, ...) \
	CCC(grid __VA_ARGS__) \
	__global__ void name(Args g) \
	{ \
		const int i = task(g); \
		if (i < 0) \
			return; \
		const unsigned v = g.in[i]; \
		CCC(if policy) \
		if (wants(g, i)) { \
			g.out[i] = mix(mix(v) + blockIdx.x); \
			atomicAdd(g.count + mix(v) % 64, v); \
		} \
		g.out2[i] = v + blockIdx.x; \
	}
TASKS(k_stack, policy(stack))
TASKS(k_queue, policy(queue))
TASKS(k_dynamic, policy(stack), dynamic)

CCC(grid(dynamic))
__global__ void k_dynamic_called(Args g)
{
	const int i = task(g);
	if (i < 0)
		return;
	const unsigned v = g.in[i];
	CCC(if policy(queue))
	if (v & 1)
		atomicAdd(g.count + place_of(v), v);
	else
		g.out[i] = v;
}

CCC(grid(dynamic))
__global__ void k_expand(Args g)
{
	const int i = task(g);
	if (i < 0)
		return;
	const int end = g.in[i] & 63;
	CCC(for var)
	for (int j = 0; j < end; ++j)
		atomicAdd(g.count + j, mix(i + j));
}
#endif
