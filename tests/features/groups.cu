// SPDX-License-Identifier: MIT
// Cooperative groups, grid-wide barriers, CUB in blocks and warps, cp.async and barriers in shared memory, around annotated loops and inside.
#ifndef KERNELS
#define KERNELS "groups.cu"
#define HEADERS "groups.cuh"
#include "features.cuh"
int main()
{
	RUN(tile_before); RUN(tile_reduce); RUN(grid_sync); RUN(coalesced_path); RUN(tile_inside); RUN(block_reduce); RUN(block_scan); RUN(warp_reduce); RUN(copy_before); RUN(copy_inside);
	RUN(pipeline); RUN(barrier_arrive); RUN(cp_async_asm); RUN(invoke_one); RUN(labeled); RUN(memcpy_group); RUN(cub_load); RUN(block_sort);
	return finish();
}
#else
namespace cg = cooperative_groups;
__global__ void tile_before(G g)
{
	unsigned k = 1;
	if (blockDim.x % 32 == 0) {
		auto t = cg::tiled_partition<8>(cg::this_thread_block());
		k = t.shfl_xor(mix(thread_id()), 3) + t.thread_rank();
	}
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			g.out[i] = work(x + k);
	}
}
LAUNCH(tile_before)
__global__ void tile_reduce(G g)
{
	unsigned s = 0;
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			s += work(x);
	}
	if (blockDim.x % 32 == 0) {
		auto t = cg::tiled_partition<16>(cg::this_thread_block());
		s = cg::reduce(t, s, cg::plus<unsigned>());
	}
	g.thread[thread_id()] = s;
}
LAUNCH(tile_reduce)
__global__ void grid_sync(G g) // two loops with a grid-wide barrier in between
{
	cg::grid_group grid = cg::this_grid();
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			g.out[i] = work(x);
	}
	grid.sync();
	FOR
	EACH(i) {
		unsigned x = g.out[(i * 7) % g.n];
		IF
		if (x & 1)
			g.f[i] = work(x) & 1023;
	}
}
inline void launch_grid_sync(const G &g, int blocks, int block)
{
	G copy = g;
	void *args[] = { &copy };
	CHECK_LAUNCH(cudaLaunchCooperativeKernel((const void *)grid_sync, blocks, block, args, 0, 0));
}
__global__ void coalesced_path(G g) // the schedule decides which lanes are together: only a sum is checked
{
	SEQ
	EACH(i) {
		unsigned x = g.in[i];
		SIF
		if (rare(x)) {
			cg::coalesced_group c = cg::coalesced_threads();
			unsigned base = 0;
			if (c.thread_rank() == 0)
				base = atomicAdd(&g.count[0], c.size());
			base = c.shfl(base, 0);
			atomicAdd(&g.count[1], base + c.thread_rank());
			g.out[i] = work(x);
		}
	}
}
LAUNCH(coalesced_path)
__global__ void tile_inside(G g)
{
	auto t = cg::tiled_partition<4>(cg::this_thread_block());
	unsigned s = 0;
	SEQ
	for (int r = 0; r < 6; r++) {
		unsigned x = g.in[(thread_id() + r * threads()) % g.n];
		if (blockDim.x % 32 == 0)
			x += t.shfl(x, 1);
		SIF
		if (rare(x))
			s = work(s + x);
	}
	g.thread[thread_id()] = s;
}
LAUNCH(tile_inside)
template <int T> __global__ void block_reduce(G g)
{
	using Reduce = cub::BlockReduce<unsigned, T>;
	__shared__ typename Reduce::TempStorage temp;
	unsigned s = 0;
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			s += work(x);
	}
	s = Reduce(temp).Sum(s);
	if (threadIdx.x == 0)
		g.thread[blockIdx.x] = s;
}
inline void launch_block_reduce(const G &g, int blocks, int block) { block_reduce<64><<<blocks, 64>>>(g); }
__global__ void block_scan(G g)
{
	using Scan = cub::BlockScan<unsigned, 96>;
	__shared__ Scan::TempStorage temp;
	unsigned n = 0, at;
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x)) {
			g.out[i] = work(x);
			n++;
		}
	}
	Scan(temp).ExclusiveSum(n, at);
	g.thread[thread_id()] = at;
}
inline void launch_block_scan(const G &g, int blocks, int block) { block_scan<<<blocks, 96>>>(g); }
__global__ void warp_reduce(G g)
{
	using Reduce = cub::WarpReduce<unsigned>;
	__shared__ Reduce::TempStorage temp[4];
	unsigned m = 0;
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			m = max(m, work(x));
	}
	m = Reduce(temp[threadIdx.x / 32]).Reduce(m, cuda::maximum<>());
	if (threadIdx.x % 32 == 0)
		g.thread[thread_id()] = m;
}
inline void launch_warp_reduce(const G &g, int blocks, int block) { warp_reduce<<<blocks, 64>>>(g); }
__global__ void copy_before(G g) // cp.async loads a table
{
	__shared__ unsigned t[256];
	auto block = cg::this_thread_block();
	cg::memcpy_async(block, t, g.in, sizeof t);
	cg::wait(block);
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			g.out[i] = work(x) + t[x >> 5 & 255];
	}
}
LAUNCH(copy_before)
__global__ void copy_inside(G g) // each thread copies its own data, in each iteration
{
	__shared__ __align__(16) unsigned t[128];
	FOR
	EACH(i) {
		__pipeline_memcpy_async(&t[threadIdx.x], &g.in[i], 4);
		__pipeline_commit();
		__pipeline_wait_prior(0);
		unsigned x = t[threadIdx.x];
		IF
		if (rare(x))
			g.out[i] = work(x);
	}
}
LAUNCH(copy_inside)
__global__ void pipeline(G g) // two stages of block tiles, with the annotated loop over a tile
{
	__shared__ unsigned t[2][64];
	auto block = cg::this_thread_block();
	int tiles = g.n / 64, first = blockIdx.x;
	if (first < tiles)
		cg::memcpy_async(block, t[0], g.in + first * 64, 256);
	int stage = 0;
	for (int tile = first; tile < tiles; tile += gridDim.x, stage ^= 1) {
		if (tile + gridDim.x < tiles) {
			cg::memcpy_async(block, t[stage ^ 1], g.in + (tile + gridDim.x) * 64, 256);
			cg::wait_prior<1>(block);
		} else
			cg::wait(block);
		block.sync();
		FOR
		for (int k = threadIdx.x; k < 64; k += blockDim.x) {
			unsigned x = t[stage][k];
			IF
			if (rare(x))
				g.out[tile * 64 + k] = work(x);
		}
		block.sync();
	}
}
LAUNCH(pipeline)
__global__ void barrier_arrive(G g) // an mbarrier: arrival, then the loop, then the wait
{
	__shared__ cuda::barrier<cuda::thread_scope_block> bar;
	__shared__ unsigned t[128];
	if (threadIdx.x == 0)
		init(&bar, blockDim.x);
	__syncthreads();
	t[threadIdx.x] = thread_id();
	auto token = bar.arrive();
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			g.out[i] = work(x);
	}
	bar.wait(cuda::std::move(token));
	g.thread[thread_id()] = t[blockDim.x - 1 - threadIdx.x];
}
LAUNCH(barrier_arrive)
__global__ void cp_async_asm(G g) // a copy that starts before the loop, and is waited for after it
{
	__shared__ __align__(16) unsigned t[128];
	unsigned to = (unsigned)__cvta_generic_to_shared(&t[threadIdx.x]);
	asm volatile("cp.async.ca.shared.global [%0], [%1], 4;\n\tcp.async.commit_group;" ::"r"(to), "l"(g.in + thread_id()) : "memory");
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			g.out[i] = work(x);
	}
	asm volatile("cp.async.wait_group 0;" ::: "memory");
	g.thread[thread_id()] = t[threadIdx.x];
}
LAUNCH(cp_async_asm)
__global__ void invoke_one(G g)
{
	auto block = cg::this_thread_block();
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			g.out[i] = work(x) + block.thread_rank() * 0;
	}
	block.sync();
	if (block.thread_rank() == 0)
		g.thread[blockIdx.x] = block.size();
}
LAUNCH(invoke_one)
__global__ void labeled(G g)
{
	unsigned s = 0;
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			s += work(x) & 3;
	}
	if (blockDim.x % 32 == 0) {
		auto w = cg::tiled_partition<32>(cg::this_thread_block());
		auto same = cg::labeled_partition(w, s);
		g.thread[thread_id()] = same.size();
	}
}
LAUNCH(labeled)
__global__ void memcpy_group(G g)
{
	__shared__ unsigned t[256];
	auto block = cg::this_thread_block();
	for (int base = blockIdx.x * 256; base + 256 <= g.n; base += gridDim.x * 256) {
		block.sync();
		cg::memcpy_async(block, t, g.in + base, sizeof t);
		cg::wait(block);
		FOR
		for (int k = threadIdx.x; k < 256; k += blockDim.x) {
			unsigned x = t[k];
			IF
			if (rare(x))
				g.out[base + k] = work(x);
		}
	}
}
LAUNCH(memcpy_group)
__global__ void cub_load(G g)
{
	using Load = cub::BlockLoad<unsigned, 64, 4, cub::BLOCK_LOAD_TRANSPOSE>;
	__shared__ Load::TempStorage temp;
	unsigned items[4];
	Load(temp).Load(g.in + blockIdx.x * 256, items);
	unsigned s = 0;
	FOR
#pragma unroll
	for (int k = 0; k < 4; k++) {
		IF
		if (rare(items[k]))
			s += work(items[k]);
	}
	g.thread[thread_id()] = s;
}
inline void launch_cub_load(const G &g, int blocks, int block) { cub_load<<<2, 64>>>(g); }
__global__ void block_sort(G g)
{
	using Sort = cub::BlockRadixSort<unsigned, 64, 2>;
	__shared__ Sort::TempStorage temp;
	unsigned keys[2] = { 0, 0 };
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x)) {
			unsigned y = work(x);
			keys[0] ^= y;
			keys[1] += y;
		}
	}
	Sort(temp).Sort(keys);
	g.thread[2 * thread_id()] = keys[0], g.thread[2 * thread_id() + 1] = keys[1];
}
inline void launch_block_sort(const G &g, int blocks, int block) { block_sort<<<2, 64>>>(g); }
#endif
