// Kernels with faults, selected by the program's argument, and their effects in the program: "launch, later, after a reset".
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

__global__ void beyond(int *p) { p[threadIdx.x + 100] = 1; }
__global__ void misaligned(int *p) { *(int *)((char *)p + 1) = 1; }
__global__ void unwritten(int *p) { p[threadIdx.x] += 1; }
__global__ void race(int *p)
{
	__shared__ int box[32];
	box[threadIdx.x] = threadIdx.x;
	p[threadIdx.x] = box[31 - threadIdx.x];
}
#ifdef __CUDACC__
__global__ void trap(int *) { asm volatile("trap;"); }
__global__ void say(int *) { printf("thread %d says hello\n", threadIdx.x); }
#else
__global__ void trap(int *) {}
__global__ void say(int *) {}
#define LAUNCH(kernel) cudart::launch(kernel, 1, 32)(p)
#endif
#ifndef LAUNCH
#define LAUNCH(kernel) kernel<<<1, 32>>>(p)
#endif

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int *p, x = 0;
	if (cudaMalloc(&p, 256))
		return 2;
	if (strcmp(what, "unwritten"))
		cudaMemset(p, 0, 256);
	if (!strcmp(what, "beyond"))
		LAUNCH(beyond);
	else if (!strcmp(what, "misaligned"))
		LAUNCH(misaligned);
	else if (!strcmp(what, "unwritten"))
		LAUNCH(unwritten);
	else if (!strcmp(what, "race"))
		LAUNCH(race);
	else if (!strcmp(what, "trap"))
		LAUNCH(trap);
	else if (!strcmp(what, "say"))
		LAUNCH(say);
	else if (!strcmp(what, "freed"))
		cudaFree(p), LAUNCH(beyond);
	else if (!strcmp(what, "host"))
		p = &x, LAUNCH(unwritten);
	else
		return 2;
	printf("%s, ", cudaGetErrorName(cudaGetLastError()));
	printf("%s, ", cudaGetErrorName(cudaMemcpy(&x, &x, 4, cudaMemcpyHostToHost)));
	printf("%s, ", cudaGetErrorName(cudaDeviceReset()));
	printf("%s\n", cudaGetErrorName(cudaGetLastError()));
	return 0;
}
// SPDX-License-Identifier: MIT
