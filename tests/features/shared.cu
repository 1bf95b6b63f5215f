// SPDX-License-Identifier: MIT
// CCC: --ccc-dynamic-shared=8192
// Shared memory: per-thread rows, tables, extern of several types, together with static, in templates, as generic pointers.
#ifndef KERNELS
#define KERNELS "shared.cu"
#include "features.cuh"
int main()
{
	RUN(table_first); RUN(row_own); RUN(row_path); RUN(row_carried); RUN(extern_one); RUN(extern_two); RUN(extern_static); RUN(extern_template); RUN(by_pointer); RUN(through_function);
	RUN(shared_atomic); RUN(shared_struct); RUN(barrier_between); RUN(reduce_after); RUN(volatile_shared); RUN(shared_float4); RUN(swizzled); RUN(queue_in_shared); RUN(two_loops); RUN(bool_flags);
	return finish();
}
#else
__global__ void table_first(G g)
{
	__shared__ unsigned t[256];
	for (int k = threadIdx.x; k < 256; k += blockDim.x)
		t[k] = mix(k);
	__syncthreads();
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			g.out[i] = work(x) + t[x >> 8 & 255];
	}
}
LAUNCH(table_first)
__global__ void row_own(G g) // the common code uses the thread's row
{
	__shared__ unsigned row[4][128];
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		for (int k = 0; k < 4; k++)
			row[k][threadIdx.x] = x >> (5 * k);
		unsigned y = row[x & 3][threadIdx.x];
		IF
		if (rare(x))
			g.out[i] = work(y);
	}
}
LAUNCH(row_own)
__global__ void row_path(G g) // only the path: the iterations of a thread share the row, so lanes must keep their iterations
{
	__shared__ unsigned row[4][128];
	SEQ
	EACH(i) {
		unsigned x = g.in[i];
		SIF
		if (rare(x)) {
			for (int k = 0; k < 4; k++)
				row[k][threadIdx.x] = work(x >> k);
			g.out[i] = row[x >> 3 & 3][threadIdx.x];
		}
	}
}
LAUNCH(row_path)
__global__ void row_carried(G g)
{
	__shared__ unsigned row[4][128];
	for (int k = 0; k < 4; k++)
		row[k][threadIdx.x] = k;
	SEQ
	EACH(i) {
		unsigned x = g.in[i];
		SIF
		if (rare(x))
			row[x >> 3 & 3][threadIdx.x] = work(row[x >> 5 & 3][threadIdx.x] + x);
	}
	g.thread[thread_id()] = row[0][threadIdx.x] + 3 * row[1][threadIdx.x] + 5 * row[2][threadIdx.x] + 7 * row[3][threadIdx.x];
}
LAUNCH(row_carried)
extern __shared__ unsigned dynamic[];
__global__ void extern_one(G g)
{
	for (int k = threadIdx.x; k < 1024; k += blockDim.x)
		dynamic[k] = mix(k);
	__syncthreads();
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			g.out[i] = work(x) + dynamic[x >> 8 & 1023];
	}
}
inline void launch_extern_one(const G &g, int blocks, int block) { extern_one<<<blocks, block, 4096>>>(g); }
extern __shared__ double doubles[];
extern __shared__ unsigned char bytes[];
__global__ void extern_two(G g) // two names for one memory
{
	for (int k = threadIdx.x; k < 512; k += blockDim.x)
		doubles[k] = k * 0.5;
	unsigned char *tail = bytes + 512 * 8;
	for (int k = threadIdx.x; k < 256; k += blockDim.x)
		tail[k] = k * 7;
	__syncthreads();
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		unsigned b = tail[x >> 4 & 255];
		IF
		if (rare(x))
			g.out[i] = work(x) + (unsigned)(doubles[x >> 8 & 511] * 2) + b;
	}
	__syncthreads();
	if (threadIdx.x == 0)
		g.thread[blockIdx.x] = bytes[4096 + 3] + bytes[7];
}
inline void launch_extern_two(const G &g, int blocks, int block) { extern_two<<<blocks, block, 512 * 8 + 256>>>(g); }
__global__ void extern_static(G g)
{
	__shared__ unsigned fixed[64];
	__shared__ unsigned long long wide[32];
	unsigned *d = dynamic;
	if (threadIdx.x < 64)
		fixed[threadIdx.x] = threadIdx.x;
	for (int k = threadIdx.x; k < 64; k += blockDim.x)
		fixed[k] = k * 3;
	for (int k = threadIdx.x; k < 32; k += blockDim.x)
		wide[k] = (unsigned long long)k << 33 | k;
	for (int k = threadIdx.x; k < 2048; k += blockDim.x)
		d[k] = k;
	__syncthreads();
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			g.out[i] = work(x) + d[x >> 7 & 2047] + fixed[x & 63] + (unsigned)(wide[x >> 3 & 31] >> 32);
	}
}
inline void launch_extern_static(const G &g, int blocks, int block) { extern_static<<<blocks, block, 8192>>>(g); }
template <class T> struct Dynamic {
	__device__ static T *get()
	{
		extern __shared__ __align__(16) unsigned char raw[];
		return reinterpret_cast<T *>(raw);
	}
};
template <class T> __device__ void templated(G g)
{
	T *t = Dynamic<T>::get();
	for (int k = threadIdx.x; k < 128; k += blockDim.x)
		t[k] = (T)(k * 3);
	__syncthreads();
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			g.out[i] += work(x) + (unsigned)t[x >> 8 & 127];
	}
	__syncthreads();
}
__global__ void extern_template(G g)
{
	templated<float>(g);
	templated<unsigned long long>(g);
	templated<unsigned short>(g);
}
inline void launch_extern_template(const G &g, int blocks, int block) { extern_template<<<blocks, block, 1024>>>(g); }
__device__ __noinline__ unsigned pick(const unsigned *p, unsigned k) { return p[k & 63] + p[0]; }
__global__ void by_pointer(G g) // a generic pointer to shared memory is passed to a function that is called in the path
{
	__shared__ unsigned a[64], b[64];
	for (int k = threadIdx.x; k < 64; k += blockDim.x)
		a[k] = k, b[k] = mix(k);
	__syncthreads();
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		const unsigned *p = x & 256 ? a : b;
		IF
		if (rare(x))
			g.out[i] = work(x) + pick(p, x >> 9);
	}
}
LAUNCH(by_pointer)
__device__ __noinline__ void put(unsigned *p, unsigned v) { *p += v; }
__global__ void through_function(G g) // the common code writes its own row through a pointer, the path another array
{
	__shared__ unsigned own[128], sums[128];
	own[threadIdx.x] = 1, sums[threadIdx.x] = 0;
	SEQ
	EACH(i) {
		unsigned x = g.in[i];
		put(&own[threadIdx.x], x & 7);
		SIF
		if (rare(x))
			put(&sums[threadIdx.x], work(x));
	}
	g.thread[thread_id()] = own[threadIdx.x] ^ sums[threadIdx.x];
}
LAUNCH(through_function)
__global__ void shared_atomic(G g)
{
	__shared__ unsigned h[64];
	for (int k = threadIdx.x; k < 64; k += blockDim.x)
		h[k] = 0;
	__syncthreads();
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			atomicAdd(&h[work(x) & 63], x), atomicMax(&h[(x >> 5) & 0], 1u), g.out[i] = x;
	}
	__syncthreads();
	for (int k = threadIdx.x; k < 64; k += blockDim.x)
		atomicAdd(&g.count[k], k ? h[k] : 0);
}
LAUNCH(shared_atomic)
struct Node {
	unsigned a;
	double b;
	unsigned char c;
};
__global__ void shared_struct(G g)
{
	__shared__ Node nodes[32];
	for (int k = threadIdx.x; k < 32; k += blockDim.x)
		nodes[k] = Node { unsigned(k), k * 1.5, (unsigned char)(k * 9) };
	__syncthreads();
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		const Node &q = nodes[x >> 5 & 31];
		IF
		if (rare(x))
			g.out[i] = work(x + q.a) + (unsigned)q.b + q.c;
	}
}
LAUNCH(shared_struct)
__global__ void barrier_between(G g) // two loops with a barrier in between: the second reads what the first one's path wrote
{
	__shared__ unsigned box[1024];
	for (int k = threadIdx.x; k < 1024; k += blockDim.x)
		box[k] = 0;
	__syncthreads();
	FOR
	for (int i = threadIdx.x; i < 1024 && i < g.n; i += blockDim.x) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			box[i] = work(x);
	}
	__syncthreads();
	FOR
	for (int i = threadIdx.x; i < 512; i += blockDim.x) {
		unsigned x = box[i * 7 & 1023];
		IF
		if (x)
			g.out[i] = work(x) + blockIdx.x * 0;
	}
}
inline void launch_barrier_between(const G &g, int blocks, int block) { barrier_between<<<1, block>>>(g); }
__global__ void reduce_after(G g)
{
	__shared__ unsigned s[128];
	unsigned sum = 0;
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			sum += work(x);
	}
	s[threadIdx.x] = sum;
	__syncthreads();
	for (int k = 64; k; k >>= 1) {
		if (threadIdx.x < k && threadIdx.x + k < blockDim.x)
			s[threadIdx.x] += s[threadIdx.x + k];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		g.thread[blockIdx.x] = s[0];
}
LAUNCH(reduce_after)
__global__ void volatile_shared(G g)
{
	__shared__ volatile unsigned s[128];
	s[threadIdx.x] = 0;
	SEQ
	EACH(i) {
		unsigned x = g.in[i];
		SIF
		if (rare(x))
			s[threadIdx.x] = s[threadIdx.x] * 3 + work(x);
	}
	g.thread[thread_id()] = s[threadIdx.x];
}
LAUNCH(volatile_shared)
__global__ void shared_float4(G g)
{
	__shared__ float4 v[64];
	for (int k = threadIdx.x; k < 64; k += blockDim.x)
		v[k] = make_float4(k, k + 1, k * 2, k * 3);
	__syncthreads();
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		float4 q = v[x >> 6 & 63];
		IF
		if (rare(x)) {
			float4 r = v[x >> 12 & 63];
			g.f[i] = q.x * r.y + q.z * r.w + (work(x) & 15);
		}
	}
}
LAUNCH(shared_float4)
__global__ void swizzled(G g) // one row per thread of the dynamic array, with a computed index
{
	unsigned *row = dynamic + threadIdx.x * 8;
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		row[(x ^ threadIdx.x) & 7] = x * 5;
		unsigned y = row[(x ^ threadIdx.x) & 7];
		IF
		if (rare(x))
			g.out[i] = work(y);
	}
}
inline void launch_swizzled(const G &g, int blocks, int block) { swizzled<<<blocks, block, 128 * 32>>>(g); }
__global__ void queue_in_shared(G g) // a queue of the block, filled by atomicAdd in the path, sorted after the loop
{
	__shared__ unsigned n, items[1024];
	if (threadIdx.x == 0)
		n = 0;
	__syncthreads();
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x)) {
			unsigned y = work(x);
			items[atomicAdd(&n, 1) & 1023] = y;
		}
	}
	__syncthreads();
	for (int k = threadIdx.x; k < n && k < 1024; k += blockDim.x)
		atomicAdd(&g.count[items[k] & 63], items[k]);
}
LAUNCH(queue_in_shared)
__global__ void two_loops(G g) // two annotated loops in one kernel, and dynamic memory
{
	unsigned *t = dynamic;
	for (int k = threadIdx.x; k < 64; k += blockDim.x)
		t[k] = k;
	__syncthreads();
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			g.out[i] = work(x) + t[x >> 4 & 63];
	}
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x >> 3))
			g.out[i] += work(~x) * t[x >> 5 & 63];
	}
}
inline void launch_two_loops(const G &g, int blocks, int block) { two_loops<<<blocks, block, 256>>>(g); }
__global__ void bool_flags(G g) // flags that the paths of all lanes set to the same value
{
	__shared__ bool seen[64];
	for (int k = threadIdx.x; k < 64; k += blockDim.x)
		seen[k] = false;
	__syncthreads();
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			seen[work(x) & 63] = true;
	}
	__syncthreads();
	for (int k = threadIdx.x; k < 64; k += blockDim.x)
		if (seen[k])
			atomicAdd(&g.count[k], 1);
}
LAUNCH(bool_flags)
#endif
