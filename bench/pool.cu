// SPDX-License-Identifier: MIT
// Each thread has one item, and few threads run a long loop. The kernel is compiled as it is, with remap (the threads of a block
// exchange items) and with a task loop; the kernel by hand keeps the block's items in shared memory. pool.sh compares them.
//
//	pool ITEMS PER_1024 STEPS hand|plain
#include <cstdio>
#include <cstdlib>
#include <cstring>

__device__ __forceinline__ unsigned
mix(unsigned x)
{
	x = (x ^ x >> 16) * 0x7feb352du;
	x = (x ^ x >> 15) * 0x846ca68bu;
	return x ^ x >> 16;
}

__device__ __forceinline__ unsigned
steps_of(unsigned x, unsigned key, int steps)
{
	for (int k = 0; k < steps; k++)
		x = mix(x + k) ^ key;
	return x;
}

#ifdef GRID
#pragma ccc grid
#endif
__global__ void
plain(const unsigned *in, unsigned *out, unsigned n, unsigned part, int steps)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	unsigned x = in[i], key = mix(x * 3), y = key;
#ifdef GRID
#pragma ccc if
#endif
#ifdef REMAP
#pragma ccc remap
#endif
	if ((x & 1023) < part)
		y = steps_of(x, key, steps);
	out[i] = y + x;
}

__global__ void
hand(const unsigned *in, unsigned *out, unsigned n, unsigned part, int steps)
{
	__shared__ unsigned xs[256], keys[256], count;
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, x = 0, y = 0, slot = 0;
	bool want = false;
	if (threadIdx.x == 0)
		count = 0;
	__syncthreads();
	if (i < n) {
		x = in[i];
		y = mix(x * 3);
		want = (x & 1023) < part;
		if (want) {
			slot = atomicAdd(&count, 1);
			xs[slot] = x;
			keys[slot] = y;
		}
	}
	__syncthreads();
	if (threadIdx.x < count)
		xs[threadIdx.x] = steps_of(xs[threadIdx.x], keys[threadIdx.x], steps);
	__syncthreads();
	if (want)
		y = xs[slot];
	if (i < n)
		out[i] = y + x;
}

int
main(int argc, char **argv)
{
	if (argc != 5) {
		fprintf(stderr, "usage: pool ITEMS PER_1024 STEPS hand|plain\n");
		return 2;
	}
	unsigned n = atoi(argv[1]), part = atoi(argv[2]), *in, *out, seed = 1, check = 0;
	int steps = atoi(argv[3]);
	cudaEvent_t begin, end;
	float best = 1e9f, ms;
	cudaMallocManaged(&in, n * sizeof *in);
	cudaMallocManaged(&out, n * sizeof *out);
	cudaEventCreate(&begin);
	cudaEventCreate(&end);
	for (unsigned i = 0; i < n; i++)
		in[i] = (seed = seed * 1664525 + 1013904223) >> 8;
	for (int k = 0; k < 10; k++) {
		cudaEventRecord(begin);
		if (!strcmp(argv[4], "hand"))
			hand<<<(n + 255) / 256, 256>>>(in, out, n, part, steps);
		else
			plain<<<(n + 255) / 256, 256>>>(in, out, n, part, steps);
		cudaEventRecord(end);
		cudaEventSynchronize(end);
		cudaEventElapsedTime(&ms, begin, end);
		best = ms < best ? ms : best;
	}
	for (unsigned i = 0; i < n; i++)
		check = check * 31 + out[i];
	printf("%08x %.4f\n", check, best);
	return cudaGetLastError() != cudaSuccess;
}
