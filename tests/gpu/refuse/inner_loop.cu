// WARNS: ccc-path
// A loop inside the annotated one, with dependent iterations, which could be mistaken for it: both would have one
// header, or the annotated one runs once and is optimised away.
#ifndef KERNELS
#define KERNELS "refuse/inner_loop.cu"
#include "../gpu_test.cuh"
int main()
{
	RUN(k_one_header);
	RUN(k_once);
	return finish();
}
#else
__global__ void k_one_header(Args g)
{
	unsigned me = thread_id(), c = me % 7, s;
	CCC(for)
	while (c < 40) {
		do {
			s = mix(g.in[c % 8] + c);
			c++;
			CCC(if)
			if (s >> 31)
				g.per_thread[me] = mix(g.per_thread[me] + s);
		} while (s & 0x30000);
	}
}

template<int N> __device__ __forceinline__ void rounds(Args g, unsigned me)
{
	CCC(for)
	for (int r = 0; r < N; ++r)
		for (unsigned t = 0; t < 30; ++t) {
			CCC(if)
			if (mix(g.in[t % 8] + me + t) >> 31)
				g.per_thread[me] = mix(g.per_thread[me] + t);
		}
}
__global__ void k_once(Args g) { rounds<1>(g, thread_id()); }
#endif
// SPDX-License-Identifier: MIT
