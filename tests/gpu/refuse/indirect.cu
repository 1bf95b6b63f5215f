// Calls in the path through a pointer, and virtual ones.
#ifndef KERNELS
#define KERNELS "refuse/indirect.cu"
#include "../gpu_test.cuh"
int main()
{
	RUN(k_pointer);
	RUN(k_virtual);
	return finish();
}
#else
__device__ __noinline__ unsigned once(unsigned x) { return mix(x); }
__device__ __noinline__ unsigned twice(unsigned x) { return mix(mix(x)); }
__device__ unsigned (*const functions[2])(unsigned) = {once, twice};
__global__ void k_pointer(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i))
			g.out[i] = functions[g.in[i] >> 4 & 1](i);
	}
}

struct Shape {
	__device__ virtual unsigned area(unsigned x) const { return x; }
};
struct Square : Shape {
	__device__ unsigned area(unsigned x) const override { return x * x; }
};
struct Circle : Shape {
	__device__ unsigned area(unsigned x) const override { return mix(x) * 3; }
};
__global__ void k_virtual(Args g)
{
	const Square s;
	const Circle c;
	const Shape *const shape = thread_id() & 1 ? (const Shape *)&s : &c;
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i))
			g.out[i] = shape->area(i);
	}
}
#endif
// SPDX-License-Identifier: MIT
