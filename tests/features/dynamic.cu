// SPDX-License-Identifier: MIT
// GPU
// FLAGS: -rdc=true -lcudadevrt
// Kernels that launch kernels, in paths and after annotated loops.
#ifndef KERNELS
#define KERNELS "dynamic.cu"
#include "features.cuh"
int main()
{
	RUN(launch_in_path); RUN(launch_behind); RUN(child_annotated);
	return finish();
}
#else
__global__ void child(unsigned *out, unsigned x) { out[threadIdx.x] += work(x) + threadIdx.x; }
__global__ void launch_in_path(G g)
{
	SEQ
	EACH(i) {
		unsigned x = g.in[i];
		SIF
		if (rare(x) && i % 8 == 0)
			child<<<1, 1>>>(g.out + i, x);
	}
}
LAUNCH(launch_in_path)
__global__ void launch_behind(G g)
{
	unsigned last = 0;
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			g.out[i] = work(x);
		last = x;
	}
	if (threadIdx.x == 0)
		child<<<1, 1>>>(g.thread + blockIdx.x, last);
}
LAUNCH(launch_behind)
__global__ void annotated_child(G g, int first, int n)
{
	FOR
	for (int i = first + threadIdx.x; i < first + n; i += blockDim.x) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			g.out[i] = work(x);
	}
}
__global__ void child_annotated(G g)
{
	if (threadIdx.x == 0)
		annotated_child<<<1, 64>>>(g, blockIdx.x * 300, 300);
}
LAUNCH(child_annotated)
#endif
