// SPDX-License-Identifier: MIT
// GPU
// Thread block clusters: distributed shared memory, barriers of the cluster, around annotated loops and inside.
#ifndef KERNELS
#define KERNELS "clusters.cu"
#define HEADERS "clusters.cuh"
#include "features.cuh"
int main()
{
	RUN(cluster_tables); RUN(cluster_atomics); RUN(cluster_barrier_inside); RUN(cluster_split); RUN(cluster_remote_path); RUN(bulk_copy);
	return finish();
}
#else
namespace cg = cooperative_groups;
__global__ void __cluster_dims__(2, 1, 1) cluster_tables(G g) // the path reads the other block's table
{
	__shared__ unsigned t[64];
	cg::cluster_group c = cg::this_cluster();
	for (int k = threadIdx.x; k < 64; k += blockDim.x)
		t[k] = k * 3 + c.block_rank();
	c.sync();
	const unsigned *other = c.map_shared_rank(t, c.block_rank() ^ 1);
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			g.out[i] = work(x) + other[x >> 5 & 63];
	}
	c.sync();
}
inline void launch_cluster_tables(const G &g, int blocks, int block) { cluster_tables<<<4, block>>>(g); }
__global__ void __cluster_dims__(2, 1, 1) cluster_atomics(G g) // the path increments counters in the first block's memory
{
	__shared__ unsigned h[64];
	cg::cluster_group c = cg::this_cluster();
	for (int k = threadIdx.x; k < 64; k += blockDim.x)
		h[k] = 0;
	c.sync();
	unsigned *first = c.map_shared_rank(h, 0);
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			atomicAdd(&first[work(x) & 63], x);
	}
	c.sync();
	if (c.block_rank() == 0)
		for (int k = threadIdx.x; k < 64; k += blockDim.x)
			atomicAdd(&g.count[k], h[k]);
}
inline void launch_cluster_atomics(const G &g, int blocks, int block) { cluster_atomics<<<4, block>>>(g); }
__global__ void __cluster_dims__(2, 1, 1) cluster_barrier_inside(G g)
{
	__shared__ unsigned s;
	cg::cluster_group c = cg::this_cluster();
	unsigned sum = 0;
	SEQ
	for (int r = 0; r < 5; r++) {
		if (threadIdx.x == 0)
			s = r + c.block_rank();
		c.sync();
		unsigned x = mix(thread_id() + *c.map_shared_rank(&s, c.block_rank() ^ 1));
		c.sync();
		SIF
		if (rare(x))
			sum = work(sum + x);
	}
	g.thread[thread_id()] = sum;
}
inline void launch_cluster_barrier_inside(const G &g, int blocks, int block) { cluster_barrier_inside<<<2, block>>>(g); }
__global__ void __cluster_dims__(2, 1, 1) cluster_split(G g) // arrive, then the loop, then wait
{
	__shared__ unsigned t[128];
	cg::cluster_group c = cg::this_cluster();
	t[threadIdx.x] = thread_id() * 5;
	auto token = c.barrier_arrive();
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			g.out[i] = work(x);
	}
	c.barrier_wait(cuda::std::move(token));
	g.thread[thread_id()] = c.map_shared_rank(t, c.block_rank() ^ 1)[threadIdx.x];
	c.sync();
}
inline void launch_cluster_split(const G &g, int blocks, int block) { cluster_split<<<2, block>>>(g); }
__global__ void __cluster_dims__(2, 1, 1) cluster_remote_path(G g) // each thread's own row, in the other block
{
	__shared__ unsigned rows[128][2];
	cg::cluster_group c = cg::this_cluster();
	rows[threadIdx.x][0] = rows[threadIdx.x][1] = 0;
	c.sync();
	unsigned *mine = c.map_shared_rank(&rows[threadIdx.x][0], c.block_rank() ^ 1);
	SEQ
	EACH(i) {
		unsigned x = g.in[i];
		SIF
		if (rare(x))
			mine[x >> 6 & 1] = work(mine[x >> 7 & 1] + x);
	}
	c.sync();
	g.thread[thread_id()] = rows[threadIdx.x][0] + 3 * rows[threadIdx.x][1];
}
inline void launch_cluster_remote_path(const G &g, int blocks, int block) { cluster_remote_path<<<2, block>>>(g); }
__global__ void bulk_copy(G g) // a bulk copy loads the table, and an mbarrier waits for it
{
	__shared__ __align__(128) unsigned t[256];
	__shared__ cuda::barrier<cuda::thread_scope_block> bar;
	if (threadIdx.x == 0) {
		init(&bar, blockDim.x);
		cuda::device::experimental::fence_proxy_async_shared_cta();
	}
	__syncthreads();
	cuda::barrier<cuda::thread_scope_block>::arrival_token token;
	if (threadIdx.x == 0) {
		cuda::device::experimental::cp_async_bulk_global_to_shared(t, g.in, sizeof t, bar);
		token = cuda::device::barrier_arrive_tx(bar, 1, sizeof t);
	} else
		token = bar.arrive();
	bar.wait(cuda::std::move(token));
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			g.out[i] = work(x) + t[x >> 4 & 255];
	}
}
LAUNCH(bulk_copy)
#endif
