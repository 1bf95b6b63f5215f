/* corpus: cooperative groups: tiles, coalesced groups, reduce, scan, grid, clusters */
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

__global__ void
tiles(const int *in, int *out)
{
	cg::thread_block block = cg::this_thread_block();
	auto tile = cg::tiled_partition<16>(block);
	int v = in[block.thread_rank()];
	v = cg::reduce(tile, v, cg::plus<int>()) + cg::exclusive_scan(tile, v);
	if (v & 1) {
		cg::coalesced_group active = cg::coalesced_threads();
		if (active.thread_rank() == 0)
			atomicAdd(out, (int)active.size());
		v += cg::labeled_partition(active, v).num_threads();
	}
	block.sync();
	out[block.thread_rank()] = v + tile.shfl_xor(v, 3) + tile.any(v > 2);
}

__global__ void
grid(int *data)
{
	cg::grid_group g = cg::this_grid();
	data[g.thread_rank()]++;
	g.sync();
	data[g.thread_rank()] += data[0];
}

__global__ void
copy(const float *in, float *out)
{
	__shared__ float buf[256];
	cg::thread_block block = cg::this_thread_block();
	cg::memcpy_async(block, buf, in, sizeof buf);
	cg::wait(block);
	out[threadIdx.x] = buf[255 - threadIdx.x];
}

#if __CUDA_ARCH__ >= 900 || !defined __CUDA_ARCH__
__global__ void __cluster_dims__(2, 1, 1)
cluster(int *out)
{
	__shared__ int word;
	cg::cluster_group c = cg::this_cluster();
	if (threadIdx.x == 0)
		word = (int)c.block_rank();
	c.sync();
	out[threadIdx.x] = *c.map_shared_rank(&word, c.block_rank() ^ 1);
	c.sync();
}
#endif
// SPDX-License-Identifier: MIT
