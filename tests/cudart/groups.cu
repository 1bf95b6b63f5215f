// Cooperative groups on the emulator: a grid-wide barrier, tiles of several warps, and bytes of a word that belong to different lanes.
#include <cstdio>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// Each block computes a partial sum; after a grid-wide barrier the first thread adds the sums.
__global__ void grid_sum(int n, const int *p, int *part, int *all)
{
	cg::grid_group g = cg::this_grid();
	__shared__ int sum;
	for (int round = 0; round < 3; round++) {
		if (threadIdx.x == 0)
			sum = 0;
		__syncthreads();
		int mine = 0;
		for (int i = (int)g.thread_rank(); i < n; i += (int)g.size())
			mine += p[i];
		atomicAdd(&sum, mine);
		__syncthreads();
		if (threadIdx.x == 0)
			part[blockIdx.x] = sum;
		g.sync();
		if (g.thread_rank() == 0) {
			all[round] = 0;
			for (unsigned b = 0; b < gridDim.x; b++)
				all[round] += part[b];
		}
		g.sync();
	}
}

// Tiles of two warps rotate their values, twice.
__global__ void __launch_bounds__(256) tiles(int *once, int *twice)
{
	__shared__ cg::block_tile_memory<256> memory;
	__shared__ int mine[256];
	cg::thread_block block = cg::this_thread_block(memory);
	auto tile = cg::tiled_partition<64>(block);
	mine[threadIdx.x] = (int)threadIdx.x;
	tile.sync();
	int other = (int)(threadIdx.x / 64 * 64 + 63 - threadIdx.x % 64), held = mine[other];
	once[threadIdx.x] = held;
	tile.sync();
	mine[threadIdx.x] = held;
	tile.sync();
	twice[threadIdx.x] = mine[other];
}

// Bytes of an image, one per lane.
__global__ void negative(int n, unsigned char *p)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		p[i] = (unsigned char)(255 - p[i]);
}

int main()
{
	int *p, *part, *all, n = 5000, bad = 0;
	unsigned char *bytes;
	cudaMallocManaged(&p, n * sizeof *p);
	cudaMallocManaged(&part, 512 * sizeof *part);
	cudaMallocManaged(&all, 512 * sizeof *all);
	cudaMallocManaged(&bytes, n);
	for (int i = 0; i < n; i++)
		p[i] = i, bytes[i] = (unsigned char)i;
	void *args[] = { &n, &p, &part, &all };
	cudaError_t e = cudaLaunchCooperativeKernel((void *)grid_sum, 7, 96, args, 0, 0);
	cudaDeviceSynchronize();
	for (int round = 0; round < 3; round++)
		bad += all[round] != n * (n - 1) / 2;
	tiles<<<1, 256>>>(part, all);
	cudaDeviceSynchronize();
	for (int i = 0; i < 256; i++)
		bad += (part[i] != i / 64 * 64 + 63 - i % 64) + (all[i] != i);
	negative<<<(n + 127) / 128, 128>>>(n, bytes);
	cudaDeviceSynchronize();
	for (int i = 0; i < n; i++)
		bad += bytes[i] != (unsigned char)(255 - i);
	printf("%s, %s, %d wrong: %s\n", cudaGetErrorName(e), cudaGetErrorName(cudaGetLastError()), bad, bad || e ? "failed" : "ok");
	return bad != 0 || e != cudaSuccess;
}
// SPDX-License-Identifier: MIT
