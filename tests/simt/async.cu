// Asynchronous copies, mbarriers, and accesses of 128 bits and more: as libcu++ emits them, and by inline assembly. Each kernel
// compares its results with those of plain code: wrong ones in out[0], comparisons in out[1]. On a GPU: nvcc -arch=sm_90 async.cu
#include <cstdio>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
typedef unsigned long long u64;
enum { THREADS = 96 };
__device__ int input[4 * THREADS];
__device__ __align__(16) unsigned wide_words[64];
__device__ __align__(16) float sums[8];
__device__ void check(int *out, bool right) { atomicAdd(out, !right); atomicAdd(out + 1, 1); }
__device__ unsigned shared_address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

extern "C" __global__ void phases(int *out)    // each thread's value is read by another thread, phase after phase
{
	__shared__ cuda::barrier<cuda::thread_scope_block> bar;
	__shared__ int a[2][THREADS];
	int t = threadIdx.x;
	if (t == 0)
		init(&bar, THREADS);
	__syncthreads();
	for (int k = 0; k < 6; k++) {
		a[k & 1][t] = t * 7 + k;
		auto token = bar.arrive();
		bar.wait(std::move(token));
		check(out, a[k & 1][(t + 37) % THREADS] == (t + 37) % THREADS * 7 + k);
	}
}
extern "C" __global__ void producer(int *out)    // one warp writes, two read; one thread leaves early
{
	__shared__ cuda::barrier<cuda::thread_scope_block> full, empty;
	__shared__ int a[64];
	int t = threadIdx.x, n = 5;
	if (t == 0)
		init(&full, THREADS), init(&empty, THREADS);
	__syncthreads();
	if (t < 32) {
		for (int k = 0; k < n; k++) {
			empty.arrive_and_wait();
			a[t] = 100 * k + t, a[t + 32] = 100 * k - t;
			(void)full.arrive();
		}
	} else {
		for (int k = 0; k < n; k++) {
			if (t == 95 && k == 3) {
				empty.arrive_and_drop(), full.arrive_and_drop();
				break;
			}
			(void)empty.arrive();
			full.arrive_and_wait();
			check(out, a[t - 32] == (t < 64 ? 100 * k + t - 32 : 100 * k - (t - 64)));
		}
	}
}
extern "C" __global__ void staged(int *out)    // a pipeline of two stages
{
	__shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
	__shared__ int a[2][THREADS];
	auto block = cg::this_thread_block();
	auto pipe = cuda::make_pipeline(block, &state);
	int t = threadIdx.x;
	for (int k = 0; k < 4; k++)
		input[k * THREADS + t] = k * 1000 + t;
	__syncthreads();
	for (int k = 0, next = 0; k < 4; k++) {
		for (; next < 4 && next < k + 2; next++) {
			pipe.producer_acquire();
			cuda::memcpy_async(block, a[next & 1], input + next * THREADS, sizeof a[0], pipe);
			pipe.producer_commit();
		}
		pipe.consumer_wait();
		check(out, a[k & 1][(t + 50) % THREADS] == k * 1000 + (t + 50) % THREADS);
		pipe.consumer_release();
	}
}
extern "C" __global__ void together(int *out)    // cooperative groups' copy
{
	__shared__ __align__(16) int a[4 * THREADS];
	auto block = cg::this_thread_block();
	int t = threadIdx.x;
	for (int k = 0; k < 4; k++)
		input[k * THREADS + t] = k + 4 * t;
	block.sync();
	cg::memcpy_async(block, a, input, sizeof a);
	cg::wait(block);
	check(out, a[(t * 4 + 3) % (4 * THREADS)] == input[(t * 4 + 3) % (4 * THREADS)] && a[t] == 4 * (t % THREADS) + t / THREADS);
}
extern "C" __global__ void copies(int *out)    // cp.async in all sizes, with fewer bytes than its size, with a predicate
{
	__shared__ __align__(16) unsigned char a[THREADS][48];
	int t = threadIdx.x;
	for (int k = 0; k < 4; k++)
		input[4 * t + k] = 0x01010101 * (t + k + 1);
	for (int k = 0; k < 48; k++)
		a[t][k] = 0xee;
	const int *from = input + 4 * t;
	unsigned to = shared_address(a[t]);
	asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(to), "l"(from) : "memory");
	asm volatile("cp.async.ca.shared.global [%0+8], [%1+8], 8, %2;" :: "r"(to), "l"(from), "r"(t % 9) : "memory");
	asm volatile("cp.async.cg.shared.global [%0+16], [%1], 16, %2;" :: "r"(to), "l"(from), "r"(t % 17) : "memory");
	asm volatile("{ .reg .pred p; setp.ne.s32 p, %2, 0; cp.async.cg.shared.global [%0+32], [%1], 16, p; }" :: "r"(to), "l"(from), "r"(t & 1)
		: "memory");
	asm volatile("cp.async.commit_group; cp.async.wait_group 0; cp.async.wait_all;" ::: "memory");
	int wrong = 0;
	const unsigned char *in = (const unsigned char *)from;
	for (int k = 0; k < 48; k++) {
		int byte = k < 4 ? in[k] : k < 8 ? 0xee : k < 16 ? (k - 8 < t % 9 ? in[k] : 0) : k < 32 ? (k - 16 < t % 17 ? in[k - 16] : 0) :
			t & 1 ? 0 : in[k - 32];
		wrong += a[t][k] != byte;
	}
	check(out, !wrong);
}
extern "C" __global__ void bytes(int *out)    // a phase that also waits for bytes; states, parities, pending counts
{
	__shared__ u64 bar;
	__shared__ int a[32];
	unsigned at = shared_address(&bar), t = threadIdx.x, done, left;
	u64 state;
	if (t < 32)
		a[t] = 0;
	if (t == 0)
		asm volatile("mbarrier.init.shared.b64 [%0], 2;" :: "r"(at) : "memory");
	__syncthreads();
	if (t == 0) {
		asm volatile("mbarrier.arrive.expect_tx.shared.b64 %0, [%1], 64;" : "=l"(state) : "r"(at) : "memory");
		asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(left) : "l"(state));
		check(out, left == 2);
		asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(at), "l"(state) : "memory");
		check(out, !done);
		asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(at) : "memory");
		asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(at) : "memory");
		check(out, !done); // the bytes
		asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 1; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(at) : "memory");
		check(out, done); // of the phase before
		a[5] = 9;
		asm volatile("mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%0], 40;" :: "r"(at) : "memory");
		asm volatile("mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%0], 24;" :: "r"(at) : "memory");
	}
	do
		asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(at) : "memory");
	while (!done);
	check(out, a[5] == 9);
}
extern "C" __global__ void wide(int *out)    // 128 bits: loads, stores, moves, atomics; vectors of floats
{
	__shared__ __align__(16) u64 s[2 * THREADS];
	unsigned t = threadIdx.x, *words = wide_words;
	u64 lo = 0x1234567800000000ull + t, hi = ~lo, x, y;
	asm volatile("{ .reg .b128 q, r; mov.b128 q, {%2, %3}; st.shared.b128 [%4], q; ld.shared.b128 r, [%4]; mov.b128 {%0, %1}, r; }"
		: "=l"(x), "=l"(y) : "l"(lo), "l"(hi), "r"(shared_address(s + 2 * t)) : "memory");
	check(out, x == lo && y == hi && s[2 * t] == lo && s[2 * t + 1] == hi);
	if (t == 0) { // all lanes swap, then a comparison that fails and one that succeeds
		asm volatile("{ .reg .b128 q, r; mov.b128 q, {%2, %3}; atom.global.exch.b128 r, [%4], q; mov.b128 {%0, %1}, r; }"
			: "=l"(x), "=l"(y) : "l"(lo), "l"(hi), "l"(words) : "memory");
		asm volatile("{ .reg .b128 q, r, o; mov.b128 q, {%2, %3}; mov.b128 r, {%4, %4}; atom.global.cas.b128 o, [%5], q, r; mov.b128 {%0, %1}, o; }"
			: "=l"(x), "=l"(y) : "l"(lo + 1), "l"(hi), "l"(7ull), "l"(words) : "memory");
		check(out, x == lo && y == hi && ((u64 *)words)[0] == lo);
		asm volatile("{ .reg .b128 q, r, o; mov.b128 q, {%2, %3}; mov.b128 r, {%4, %4}; atom.global.cas.b128 o, [%5], q, r; mov.b128 {%0, %1}, o; }"
			: "=l"(x), "=l"(y) : "l"(lo), "l"(hi), "l"(7ull), "l"(words) : "memory");
		check(out, x == lo && y == hi && ((u64 *)words)[0] == 7 && ((u64 *)words)[1] == 7);
		for (int k = 0; k < 8; k++)
			sums[k] = 0;
	}
	__syncthreads();
	atomicAdd((float4 *)sums, make_float4((float)t, 1, (float)(t & 1), -1));
	float2 old = atomicAdd((float2 *)(sums + 4), make_float2(1, 2));
	check(out, old.y == 2 * old.x);
	__syncthreads();
	check(out, sums[0] == 96 * 95 / 2 && sums[1] == 96 && sums[2] == 48 && sums[3] == -96 && sums[4] == 96 && sums[5] == 192);
}
int main()
{
	void (*kernels[])(int *) = { phases, producer, staged, together, copies, bytes, wide };
	static const int looks[] = { 6 * 96, 64 * 5 - 2, 4 * 96, 96, 96, 96 + 4, 3 * 96 + 2 };
	int bad = 0;
	for (int k = 0; k < 7; k++) {
		int *out, got[2] = {};
		cudaMalloc(&out, 8), cudaMemset(out, 0, 8);
		kernels[k]<<<1, THREADS>>>(out);
		cudaMemcpy(got, out, 8, cudaMemcpyDeviceToHost);
		printf("kernel %d: %d of %d wrong\n", k, got[0], got[1]);
		bad |= got[0] || got[1] != looks[k];
	}
	puts(bad ? "FAILED" : "all right");
	return bad;
}
// SPDX-License-Identifier: MIT
