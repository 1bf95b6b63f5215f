// SPDX-License-Identifier: MIT
// Various atomic operations, cuda::atomic and atomic_ref, compare-and-swap, locks that are tried once: in the common code and in paths.
#ifndef KERNELS
#define KERNELS "atomics.cu"
#define HEADERS "atomics.cuh"
#include "features.cuh"
int main()
{
	RUN(add_path); RUN(add_both); RUN(slots_path); RUN(cas_loop); RUN(min_max); RUN(exchange); RUN(float_add); RUN(double_add); RUN(cuda_atomic); RUN(atomic_ref_path);
	RUN(relaxed_order); RUN(inc_dec); RUN(bit_ops); RUN(add64); RUN(cas64); RUN(block_scope); RUN(add_own_used); RUN(hash_table); RUN(shared_cas); RUN(union_find);
	return finish();
}
#else
__global__ void add_path(G g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			atomicAdd(&g.count[x >> 4 & 63], work(x));
	}
}
LAUNCH(add_path)
__global__ void add_both(G g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		atomicAdd(&g.count[x & 63], 1);
		IF
		if (rare(x))
			atomicAdd(&g.count[work(x) & 63], x);
	}
}
LAUNCH(add_both)
__global__ void slots_path(G g) // one slot per arriving lane; which one is not fixed, so only the sum of all is checked
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x)) {
			unsigned k = atomicAdd(&g.count[0], 1);
			atomicAdd(&g.count[1], k);
			atomicXor(&g.count[2], work(x));
		}
	}
}
LAUNCH(slots_path)
__global__ void cas_loop(G g) // sums are commutative
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x)) {
			unsigned *p = &g.count[blockIdx.x * 8 + (x >> 3 & 1)], old = *(volatile unsigned *)p, seen;
			do {
				seen = old;
				old = atomicCAS(p, seen, seen + (work(x) | 1));
			} while (old != seen);
		}
	}
}
inline void launch_cas_loop(const G &g, int blocks, int block) { cas_loop<<<1, block>>>(g); }
__global__ void min_max(G g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x)) {
			atomicMax(&g.count[x >> 4 & 31], work(x));
			atomicMin((int *)&g.count[32 + (x >> 4 & 31)], (int)work(x + 1));
		}
	}
}
LAUNCH(min_max)
__global__ void exchange(G g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			g.f[i] = (float)atomicExch(&g.out[i], work(x));
	}
}
LAUNCH(exchange)
__global__ void float_add(G g) // exact sums
{
	float *c = (float *)g.count;
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			atomicAdd(&c[x >> 4 & 63], (float)(work(x) & 1023));
	}
}
LAUNCH(float_add)
__global__ void double_add(G g)
{
	double *c = (double *)g.count;
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			atomicAdd(&c[x >> 4 & 31], (double)(work(x) & 1023));
	}
}
LAUNCH(double_add)
__device__ cuda::atomic<unsigned, cuda::thread_scope_device> total;
__global__ void cuda_atomic(G g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			total.fetch_add(work(x), cuda::memory_order_relaxed);
	}
}
__global__ void total_out(G g) { g.count[0] = total.exchange(0); }
inline void launch_cuda_atomic(const G &g, int blocks, int block)
{
	cuda_atomic<<<blocks, block>>>(g);
	total_out<<<1, 1>>>(g);
}
__global__ void atomic_ref_path(G g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x)) {
			cuda::atomic_ref<unsigned, cuda::thread_scope_device> r(g.count[x >> 4 & 63]);
			r.fetch_xor(work(x), cuda::memory_order_relaxed);
			r.fetch_add(0);
		}
	}
}
LAUNCH(atomic_ref_path)
__global__ void relaxed_order(G g)
{
	FOR
	EACH(i) {
		cuda::atomic_ref<const unsigned, cuda::thread_scope_device> r(g.in[i]);
		unsigned x = r.load(cuda::memory_order_acquire);
		IF
		if (rare(x)) {
			cuda::atomic_ref<unsigned, cuda::thread_scope_device> o(g.out[i]);
			o.store(work(x), cuda::memory_order_release);
		}
	}
}
LAUNCH(relaxed_order)
__global__ void inc_dec(G g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x)) {
			atomicInc(&g.count[x >> 4 & 31], 5);
			atomicSub(&g.count[32 + (x >> 9 & 31)], work(x));
		}
	}
}
LAUNCH(inc_dec)
__global__ void bit_ops(G g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x)) {
			unsigned y = work(x);
			atomicOr(&g.count[y & 31], 1u << (y >> 5 & 31));
			atomicXor(&g.count[32 + (y & 31)], y);
		}
	}
}
LAUNCH(bit_ops)
__global__ void add64(G g)
{
	unsigned long long *c = (unsigned long long *)g.count;
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			atomicAdd(&c[x >> 4 & 31], (unsigned long long)work(x) << 20);
	}
}
LAUNCH(add64)
__global__ void cas64(G g) // the smallest key with its item
{
	unsigned long long *c = (unsigned long long *)g.count;
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x)) {
			unsigned long long mine = (unsigned long long)(work(x) | 1) << 32 | i, old = c[x >> 4 & 15], seen;
			while (old == 0 || mine < old) {
				seen = old;
				old = atomicCAS(&c[x >> 4 & 15], seen, mine);
				if (old == seen)
					break;
			}
		}
	}
}
LAUNCH(cas64)
__global__ void block_scope(G g)
{
	__shared__ unsigned s;
	if (threadIdx.x == 0)
		s = 0;
	__syncthreads();
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			atomicAdd_block(&s, work(x));
	}
	__syncthreads();
	if (threadIdx.x == 0)
		atomicAdd(&g.count[0], s);
}
LAUNCH(block_scope)
__global__ void add_own_used(G g) // the common code takes a ticket: only sums over all tickets are checked
{
	FOR
	EACH(i) {
		unsigned t = atomicAdd(&g.count[0], 1), x = g.in[i];
		atomicAdd(&g.count[1], t * t);
		IF
		if (rare(x))
			g.out[i] = work(x);
	}
}
LAUNCH(add_own_used)
__device__ unsigned keys[2048];
__global__ void clear_keys()
{
	for (int k = threadIdx.x; k < 2048; k += blockDim.x)
		keys[k] = 0;
}
__global__ void hash_table(G g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i] | 1;
		IF
		if (x & 2) {
			unsigned k = mix(x) & 2047, old;
			while ((old = atomicCAS(&keys[k], 0, x)) != 0 && old != x)
				k = (k + 1) & 2047;
		}
	}
}
__global__ void find_keys(G g)
{
	EACH(i) {
		unsigned x = g.in[i] | 1, k = mix(x) & 2047;
		while (keys[k] && keys[k] != x)
			k = (k + 1) & 2047;
		g.out[i] = keys[k] == x;
	}
}
inline void launch_hash_table(const G &g, int blocks, int block)
{
	clear_keys<<<1, 256>>>();
	hash_table<<<blocks, block>>>(g);
	find_keys<<<blocks, block>>>(g);
}
__global__ void shared_cas(G g)
{
	__shared__ float m[16];
	for (int k = threadIdx.x; k < 16; k += blockDim.x)
		m[k] = 0;
	__syncthreads();
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x)) {
			float v = (float)(work(x) & 0xffffff);
			int *p = (int *)&m[x >> 4 & 15], old = *(volatile int *)p, seen;
			while (__int_as_float(old) < v) {
				seen = old;
				old = atomicCAS(p, seen, __float_as_int(v));
				if (old == seen)
					break;
			}
		}
	}
	__syncthreads();
	for (int k = threadIdx.x; k < 16; k += blockDim.x)
		atomicMax(&g.count[k], (unsigned)m[k]);
}
LAUNCH(shared_cas)
__device__ unsigned parent[N];
__global__ void parents()
{
	for (int i = thread_id(); i < N; i += threads())
		parent[i] = i;
}
__device__ unsigned root(unsigned v)
{
	unsigned p;
	while ((p = *(volatile unsigned *)&parent[v]) != v)
		v = p;
	return v;
}
__global__ void union_find(G g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x)) {
			unsigned a = i, b = work(x) % g.n;
			for (;;) {
				a = root(a), b = root(b);
				if (a == b)
					break;
				if (a < b) {
					unsigned t = a;
					a = b, b = t;
				}
				if (atomicCAS(&parent[a], a, b) == a)
					break;
			}
		}
	}
}
__global__ void roots(G g)
{
	EACH(i)
		g.out[i] = root(i);
}
inline void launch_union_find(const G &g, int blocks, int block)
{
	parents<<<1, 256>>>();
	union_find<<<blocks, block>>>(g);
	roots<<<blocks, block>>>(g);
}
#endif
