/* corpus: cuda::barrier, cuda::pipeline, cuda::atomic, memory orders */
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cooperative_groups.h>

__global__ void
pipe(const int *in, int *out, int n)
{
	__shared__ int buf[2][128];
	__shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
	auto block = cooperative_groups::this_thread_block();
	auto p = cuda::make_pipeline(block, &state);
	for (int i = 0, k = 0; i < n; i += 128, k ^= 1) {
		p.producer_acquire();
		cuda::memcpy_async(block, buf[k], in + i, cuda::aligned_size_t<16>(sizeof buf[k]), p);
		p.producer_commit();
		p.consumer_wait();
		out[i + threadIdx.x] = buf[k][127 - threadIdx.x];
		p.consumer_release();
	}
}

__global__ void
barrier(int *out)
{
	__shared__ cuda::barrier<cuda::thread_scope_block> b;
	if (threadIdx.x == 0)
		init(&b, blockDim.x);
	__syncthreads();
	auto token = b.arrive();
	out[threadIdx.x] = 1;
	b.wait(std::move(token));
	b.arrive_and_wait();
}

__global__ void
orders(int *flag, unsigned long long *count, int *out)
{
	cuda::atomic_ref<int, cuda::thread_scope_device> f(*flag);
	cuda::atomic_ref<unsigned long long, cuda::thread_scope_system> c(*count);
	while (f.load(cuda::std::memory_order_acquire) == 0)
		__nanosleep(100);
	c.fetch_max(7, cuda::std::memory_order_relaxed);
	f.store(2, cuda::std::memory_order_release);
	cuda::atomic_thread_fence(cuda::std::memory_order_seq_cst, cuda::thread_scope_device);
	int expected = 2;
	*out = f.compare_exchange_strong(expected, 3) + (int)clock64();
}
// SPDX-License-Identifier: MIT
