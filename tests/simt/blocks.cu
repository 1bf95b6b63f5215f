// SPDX-License-Identifier: MIT
// Kernels of many blocks. The blocks of those called apart are independent, so that several threads may run
// them; in the others, a block sees another one's effects, or the result depends on the order of blocks. See tests/unit/parallel.c.
#include <cstdio>
#define HERE (blockIdx.x * blockDim.x + threadIdx.x)

extern "C" {
__global__ void apart(const int *in, int *out)
{
	__shared__ int part[1024];
	part[threadIdx.x] = in[HERE];
	__syncthreads();
	int s = 0;
	for (unsigned i = 0; i <= threadIdx.x; i++)
		s += part[i] ^ in[i];
	out[HERE] = s;
}
// each block has 3 bytes of its own, so blocks share words
__global__ void bytes(const int *, char *out)
{
	if (threadIdx.x < 3)
		out[3 * blockIdx.x + threadIdx.x] = (char)(blockIdx.x + 1);
}
// a block reads what the previous one wrote
__global__ void after(const int *, int *out)
{
	if (threadIdx.x == 0)
		out[blockIdx.x] = 1 + (blockIdx.x ? out[blockIdx.x - 1] : 0);
}
// the last block's value remains
__global__ void same(const int *, int *out)
{
	if (threadIdx.x == 0)
		out[0] = blockIdx.x;
}
__global__ void counter(const int *, int *out)
{
	if (threadIdx.x == 0)
		out[1 + blockIdx.x] = atomicAdd(out, 1);
}
__global__ void flags(const int *, volatile int *out)
{
	out[HERE] = blockIdx.x;
}
__global__ void prints(const int *, int *)
{
	if (threadIdx.x == 0)
		printf("block %d\n", (int)blockIdx.x);
}
__global__ void clocks(const int *, int *out)
{
	out[HERE] = (int)clock();
}
__global__ void allocates(const int *, int *out)
{
	int *p = (int *)malloc(8);
	out[HERE] = p != nullptr;
	free(p);
}
// block 5 accesses memory out of bounds
__global__ void stops(const int *in, int *out)
{
	out[HERE] = blockIdx.x == 5 ? in[1 << 20] : 7;
}
// stale local memory would show which block a worker ran before
__global__ void locals(const int *in, int *out)
{
	volatile int own[64];
	int k = in[HERE] & 63;
	out[HERE] = own[k];
	own[(k * 7) & 63] = HERE;
	out[HERE] += own[in[HERE + 1] & 63];
}
}
