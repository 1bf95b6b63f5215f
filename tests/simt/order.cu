// Correct programs whose blocks and warps pass results to each other; order.sh removes the fences and barriers one at a time.
// order.ptx: nvcc -ptx -arch=sm_80 order.cu, and a comment after each one whose removal cannot be noticed.
#include <cuda/atomic>

__device__ unsigned arrived;

// The last block adds the results of all blocks (the CUDA C++ Programming Guide's sample).
extern "C" __global__ void last_block(const float *in, volatile float *part, float *out, int n)
{
	__shared__ float sum;
	__shared__ bool last;
	if (threadIdx.x == 0)
		sum = 0;
	__syncthreads();
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		atomicAdd(&sum, in[i]);
	__syncthreads();
	if (threadIdx.x == 0) {
		part[blockIdx.x] = sum;
		__threadfence();
		last = atomicInc(&arrived, gridDim.x) == gridDim.x - 1;
	}
	__syncthreads();
	if (last && threadIdx.x == 0) {
		float all = 0;
		for (int i = 0; i < gridDim.x; i++)
			all += part[i];
		*out = all;
		arrived = 0;
	}
}

// All threads write and execute a fence; a barrier makes it cumulative for the thread that counts.
extern "C" __global__ void all_threads(int *a, int *out)
{
	__shared__ bool last;
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	a[i] = i * 3 + 1;
	__threadfence();
	__syncthreads();
	if (threadIdx.x == 0)
		last = atomicAdd(&arrived, 1) == gridDim.x - 1;
	__syncthreads();
	if (last)
		for (int j = threadIdx.x; j < gridDim.x * blockDim.x; j += blockDim.x)
			out[j] = a[j];
}

// Decoupled look-back (Merrill and Garland 2016): a block waits for the prefix of the previous one.
extern "C" __global__ void look_back(const int *in, int *out, int *sum, volatile int *ready)
{
	__shared__ int s[64], prefix;
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	s[threadIdx.x] = in[i];
	__syncthreads();
	if (threadIdx.x == 0) {
		int p = 0;
		if (blockIdx.x) {
			while (!ready[blockIdx.x - 1])
				;
			__threadfence();
			p = sum[blockIdx.x - 1];
		}
		prefix = p;
		for (int k = 0; k < blockDim.x; k++)
			p += s[k];
		sum[blockIdx.x] = p;
		__threadfence();
		ready[blockIdx.x] = 1;
	}
	__syncthreads();
	out[i] = s[threadIdx.x] + prefix;
}

// A message from a block to the others, with release and acquire.
extern "C" __global__ void message(int *data, int *flag, int *out)
{
	cuda::atomic_ref<int, cuda::thread_scope_device> f(*flag);
	if (blockIdx.x == 0) {
		data[threadIdx.x] = threadIdx.x + 1;
		__syncthreads();
		if (threadIdx.x == 0)
			f.store(1, cuda::memory_order_release);
	} else if (threadIdx.x == 0) {
		while (f.load(cuda::memory_order_acquire) == 0)
			;
		for (int i = 0; i < blockDim.x; i++)
			out[(blockIdx.x - 1) * blockDim.x + i] = data[i];
	}
}

// Two blocks put items into a queue, one takes them out.
extern "C" __global__ void queue(int *head, int *tail, int *item, int *ready, int *out, int n)
{
	if (threadIdx.x)
		return;
	if (blockIdx.x < 2) {
#pragma unroll 1
		for (int i = 0; i < n; i++) {
			int t = atomicAdd(tail, 1);
			item[t] = 5;
			__threadfence();
			atomicExch(&ready[t], 1);
		}
		return;
	}
	for (int h; (h = atomicAdd(head, 1)) < 2 * n;) {
		while (atomicAdd(&ready[h], 0) == 0)
			;
		__threadfence();
		out[h] = item[h];
	}
}

// A lock for each bucket, taken lane by lane.
extern "C" __global__ void locks(int *lock, int *data, int n, int m)
{
	unsigned x = blockIdx.x * blockDim.x + threadIdx.x + 1;
	for (int i = 0; i < n; i++) {
		x = x * 1664525u + 1013904223u;
		int b = (x >> 12) % m;
		for (bool done = false; !done;)
			if (atomicCAS(&lock[b], 0, 1) == 0) {
				__threadfence();
				data[b] += 1;
				__threadfence();
				atomicExch(&lock[b], 0);
				done = true;
			}
	}
}

// A barrier of all blocks, for blocks that are resident together.
extern "C" __global__ void grid_barrier(int *a, unsigned *count, int *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
	a[i] = i * 7 + 1;
	__syncthreads();
	if (threadIdx.x == 0) {
		__threadfence();
		atomicAdd(count, 1);
		while (*(volatile unsigned *)count < gridDim.x)
			;
		__threadfence();
	}
	__syncthreads();
	out[i] = a[(i + blockDim.x + 3) % n];
}

// One warp passes buffers to another by a flag in shared memory.
extern "C" __global__ void two_warps(int *out)
{
	__shared__ volatile int full;
	__shared__ int buf[32];
	int l = threadIdx.x % 32;
	if (threadIdx.x == 0)
		full = 0;
	__syncthreads();
#pragma unroll 1
	for (int r = 0; r < 5; r++)
		if (threadIdx.x < 32) {
			while (full)
				;
			__threadfence_block();
			buf[l] = r * 32 + l;
			__threadfence_block();
			__syncwarp();
			if (l == 0)
				full = 1;
			__syncwarp();
		} else {
			while (!full)
				;
			__threadfence_block();
			out[r * 32 + l] = buf[l];
			__threadfence_block();
			__syncwarp();
			if (l == 0)
				full = 0;
			__syncwarp();
		}
}
// SPDX-License-Identifier: MIT
