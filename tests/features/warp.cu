// SPDX-License-Identifier: MIT
// Warp operations and barriers: before, after and inside annotated loops.
#ifndef KERNELS
#define KERNELS "warp.cu"
#include "features.cuh"
int main()
{
	RUN(shuffle_before); RUN(ballot_after); RUN(barrier_around); RUN(shuffle_inside); RUN(syncwarp_inside); RUN(barrier_inside); RUN(shuffle_path); RUN(match_after); RUN(reduce_after);
	RUN(activemask_before); RUN(elect); RUN(counted_barrier); RUN(barrier_or); RUN(warp_loop); RUN(divergent_loop); RUN(syncwarp_path); RUN(any_ends); RUN(lane_mask); RUN(block_scan); RUN(bound_uniform);
	return finish();
}
#else
__global__ void shuffle_before(G g)
{
	unsigned k = mix(thread_id());
	if ((threadIdx.x | 31) < blockDim.x)
		k = __shfl_xor_sync(~0u, k, 5);
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			g.out[i] = work(x + k);
	}
}
LAUNCH(shuffle_before)
__global__ void ballot_after(G g)
{
	unsigned s = 0;
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			s += work(x);
	}
	__syncwarp();
	if ((threadIdx.x | 31) < blockDim.x) {
		unsigned b = __ballot_sync(~0u, s & 1);
		for (int d = 16; d; d /= 2)
			s += __shfl_down_sync(~0u, s, d);
		g.thread[thread_id()] = b + (threadIdx.x % 32 ? 0 : s);
	}
}
LAUNCH(ballot_after)
__global__ void barrier_around(G g)
{
	__shared__ unsigned s[128];
	s[threadIdx.x] = thread_id();
	__syncthreads();
	unsigned k = s[blockDim.x - 1 - threadIdx.x];
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			g.out[i] = work(x + k);
	}
	__syncthreads();
	s[threadIdx.x] = k;
	__syncthreads();
	g.thread[thread_id()] = s[(threadIdx.x + 7) % blockDim.x];
}
LAUNCH(barrier_around)
__global__ void shuffle_inside(G g) // all lanes participate: refused where lanes may diverge
{
	unsigned s = 0;
	SEQ
	for (int r = 0; r < 8; r++) {
		unsigned x = g.in[(thread_id() + r * threads()) % g.n];
		if (blockDim.x % 32 == 0)
			x += __shfl_xor_sync(~0u, x, 1);
		SIF
		if (rare(x))
			s = work(s + x);
	}
	g.thread[thread_id()] = s;
}
LAUNCH(shuffle_inside)
__global__ void syncwarp_inside(G g)
{
	unsigned s = 0;
	SEQ
	for (int r = 0; r < 8; r++) {
		unsigned x = g.in[(thread_id() + r * threads()) % g.n];
		__syncwarp();
		SIF
		if (rare(x))
			s = work(s + x);
	}
	g.thread[thread_id()] = s;
}
LAUNCH(syncwarp_inside)
__global__ void barrier_inside(G g)
{
	__shared__ unsigned t[128];
	unsigned s = 0;
	SEQ
	for (int r = 0; r < 8; r++) {
		t[threadIdx.x] = g.in[(thread_id() + r * threads()) % g.n];
		__syncthreads();
		unsigned x = t[(threadIdx.x + r) % blockDim.x];
		SIF
		if (rare(x))
			s = work(s + x);
		__syncthreads();
	}
	g.thread[thread_id()] = s;
}
LAUNCH(barrier_inside)
__global__ void shuffle_path(G g) // in the path, between its active lanes
{
	SEQ
	for (int r = 0; r < 6; r++) {
		unsigned x = mix(r * 7 + blockIdx.x);
		SIF
		if (x & 1) {
			unsigned y = work(x + threadIdx.x);
			if (blockDim.x % 32 == 0)
				y += __shfl_sync(~0u, y, 3);
			g.thread[thread_id()] += y;
		}
	}
}
LAUNCH(shuffle_path)
__global__ void match_after(G g)
{
	unsigned s = 0;
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			s += work(x) & 1;
	}
	if (blockDim.x % 32 == 0) {
		__syncwarp();
		g.thread[thread_id()] = __match_any_sync(~0u, s);
	}
}
LAUNCH(match_after)
__global__ void reduce_after(G g)
{
	unsigned s = 0, m = 0;
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x)) {
			unsigned y = work(x);
			s += y;
			m = max(m, y);
		}
	}
	if (blockDim.x % 32 == 0) {
		s = __reduce_add_sync(~0u, s);
		m = __reduce_max_sync(~0u, m);
	}
	g.thread[thread_id()] = s ^ m;
}
LAUNCH(reduce_after)
__global__ void activemask_before(G g)
{
	unsigned m = __popc(__activemask()) > 0;
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			g.out[i] = work(x) + m;
	}
}
LAUNCH(activemask_before)
__global__ void elect(G g)
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
		unsigned leader = __ffs(__ballot_sync(~0u, s > 0)) - 1;
		s = __shfl_sync(~0u, s, leader & 31);
	}
	g.thread[thread_id()] = s;
}
LAUNCH(elect)
__global__ void counted_barrier(G g) // a barrier for some warps
{
	__shared__ unsigned t[64];
	if (threadIdx.x < 64)
		t[threadIdx.x] = threadIdx.x;
	if (blockDim.x == 96 && threadIdx.x < 64)
		asm volatile("bar.sync 3, 64;" ::: "memory");
	unsigned k = blockDim.x == 96 && threadIdx.x < 64 ? t[63 - threadIdx.x] : 0;
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			g.out[i] = work(x + k);
	}
	if (blockDim.x == 96 && threadIdx.x < 64)
		asm volatile("bar.sync 3, 64;" ::: "memory");
}
LAUNCH(counted_barrier)
__global__ void barrier_or(G g) // rounds until no thread of the block has work, with the annotated loop inside
{
	unsigned level = 0, mine = 1 + (mix(thread_id()) & 3);
	do {
		FOR
		EACH(i) {
			unsigned x = g.in[i] + level;
			IF
			if (rare(x))
				g.out[i] += work(x);
		}
		level++;
	} while (__syncthreads_or(level < mine));
	g.thread[thread_id()] = level;
}
inline void launch_barrier_or(const G &g, int blocks, int block) { barrier_or<<<1, block>>>(g); }
__global__ void warp_loop(G g) // the loop's bound is the same in a warp
{
	int warp = thread_id() / 32, lane = threadIdx.x % 32, warps = (threads() + 31) / 32;
	FOR
	for (int w = warp; w * 32 < g.n; w += warps) {
		int i = w * 32 + lane;
		if (i < g.n) {
			unsigned x = g.in[i];
			IF
			if (rare(x))
				atomicAdd(&g.out[i], work(x));
		}
	}
}
inline void launch_warp_loop(const G &g, int blocks, int block) { warp_loop<<<blocks, 64>>>(g); }
__global__ void divergent_loop(G g) // only some lanes reach the loop
{
	if (mix(thread_id()) & 1) {
		FOR
		EACH(i) {
			unsigned x = g.in[i];
			IF
			if (rare(x))
				g.out[i] = work(x);
		}
	} else
		g.thread[thread_id()] = work(threadIdx.x);
	__syncwarp();
	g.thread[thread_id()] += 1;
}
LAUNCH(divergent_loop)
__global__ void syncwarp_path(G g) // a barrier for the lane alone
{
	SEQ
	EACH(i) {
		unsigned x = g.in[i];
		SIF
		if (rare(x)) {
			__syncwarp(1u << (threadIdx.x & 31));
			g.out[i] = work(x);
		}
	}
}
LAUNCH(syncwarp_path)
__global__ void any_ends(G g) // the warp agrees on the end
{
	int i = thread_id();
	unsigned s = 0;
	SEQ
	while (blockDim.x % 32 == 0 ? __any_sync(~0u, i < g.n) : i < g.n) {
		if (i < g.n) {
			unsigned x = g.in[i];
			SIF
			if (rare(x))
				s = work(s + x);
		}
		i += threads();
	}
	g.thread[thread_id()] = s;
}
LAUNCH(any_ends)
__global__ void lane_mask(G g)
{
	unsigned lt, id;
	asm("mov.u32 %0, %%lanemask_lt;" : "=r"(lt));
	asm("mov.u32 %0, %%laneid;" : "=r"(id));
	FOR
	EACH(i) {
		unsigned x = g.in[i] + id;
		IF
		if (rare(x))
			g.out[i] = work(x) + lt;
	}
}
LAUNCH(lane_mask)
__global__ void block_scan(G g) // compaction by a scan of the block, then the loop
{
	__shared__ unsigned t[128], n, list[1024];
	if (threadIdx.x == 0)
		n = 0;
	__syncthreads();
	for (int base = 0; base < g.n; base += blockDim.x) {
		int i = base + threadIdx.x;
		bool want = i < g.n && rare(g.in[i]);
		t[threadIdx.x] = want;
		__syncthreads();
		unsigned before = 0;
		for (int k = 0; k < threadIdx.x; k++)
			before += t[k];
		if (want)
			list[n + before] = i;
		__syncthreads();
		if (threadIdx.x == blockDim.x - 1)
			n += before + want;
		__syncthreads();
	}
	FOR
	for (int k = threadIdx.x; k < n; k += blockDim.x) {
		unsigned x = g.in[list[k]];
		IF
		if (x & 8)
			g.out[list[k]] = work(x);
	}
}
inline void launch_block_scan(const G &g, int blocks, int block) { block_scan<<<1, block>>>(g); }
__global__ void bound_uniform(G g) // another thread's data determines the trip count
{
	__shared__ int limit;
	if (threadIdx.x == 0)
		limit = g.n - (int)(g.in[blockIdx.x] & 63);
	__syncthreads();
	FOR
	for (int i = thread_id(); i < limit; i += threads()) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			g.out[i] = work(x);
	}
}
inline void launch_bound_uniform(const G &g, int blocks, int block) { bound_uniform<<<1, block>>>(g); }
#endif
