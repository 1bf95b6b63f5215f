// SPDX-License-Identifier: MIT
// Thread-data remapping (Lin, Wang and Liu: On-GPU Thread-Data Remapping for Branch Divergence Reduction, ACM TACO 15(3), 2018) on
// their micro-benchmark (section 4.2): blocks of 256 threads, one branch, or one nested in another, with P equally likely paths, each a permutation
// of the same instructions. By hand: the threads of a block exchange indices of their elements, by Head-or-Tail (two paths), Data Group Indexing,
// and a stable partition by ballots.
#include "programs.cuh"

struct Args { const int *path; const float *data; float *out; int n, length; float a, b; };  // length: in units of 32 multiply-adds

// Path Q executes the 32 multiply-adds in its own order.
template <int Q> static __device__ __forceinline__ float path(const Args &g, float x)
{
#pragma unroll 1
	for (int l = 0; l < g.length; ++l)
#pragma unroll
		for (int k = 0; k < 32; ++k) {
			const int op = (k * (2 * Q + 1) + 5 * Q) & 31;
			x = fmaf(x, (op & 1 ? -0.5f : 0.5f) + op / 128.0f, op & 2 ? g.a : g.b);
		}
	return x;
}
template <int P, int Q = 0> static __device__ __forceinline__ float branch(const Args &g, int p, float x)
{
	if constexpr (Q + 1 == P)
		return path<Q>(g, x);
	else
		return p == Q ? path<Q>(g, x) : branch<P, Q + 1>(g, p, x);
}

template <int P> static __global__ void __launch_bounds__(BLOCK) base(Args g)
{
	const int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i >= g.n)
		return;
	g.out[i] = branch<P>(g, g.path[i], g.data[i]);
}

// ---- annotated ------------------------------------------------------------------------------------------------------------
#define TWO(NAME, ...) \
	static __global__ void __launch_bounds__(BLOCK) NAME(Args g) \
	{ \
		const int i = blockIdx.x * BLOCK + threadIdx.x; \
		if (i >= g.n) \
			return; \
		const int p = g.path[i]; \
		__VA_ARGS__ \
		if (p == 0) \
			g.out[i] = path<0>(g, g.data[i]); \
		else \
			g.out[i] = path<1>(g, g.data[i]); \
	}
#define EIGHT(NAME, ...) \
	static __global__ void __launch_bounds__(BLOCK) NAME(Args g) \
	{ \
		const int i = blockIdx.x * BLOCK + threadIdx.x; \
		if (i >= g.n) \
			return; \
		const int p = g.path[i]; \
		__VA_ARGS__ \
		if (p == 0) \
			g.out[i] = path<0>(g, g.data[i]); \
		else if (p == 1) \
			g.out[i] = path<1>(g, g.data[i]); \
		else if (p == 2) \
			g.out[i] = path<2>(g, g.data[i]); \
		else if (p == 3) \
			g.out[i] = path<3>(g, g.data[i]); \
		else if (p == 4) \
			g.out[i] = path<4>(g, g.data[i]); \
		else if (p == 5) \
			g.out[i] = path<5>(g, g.data[i]); \
		else if (p == 6) \
			g.out[i] = path<6>(g, g.data[i]); \
		else \
			g.out[i] = path<7>(g, g.data[i]); \
	}
TWO(two_partition, _Pragma("ccc remap policy(partition)"))
TWO(two_hot, _Pragma("ccc remap policy(hot)"))
EIGHT(eight_dgi, _Pragma("ccc remap policy(dgi)"))
EIGHT(eight_partition, _Pragma("ccc remap policy(partition)"))

// Two layers, whose four leaves are the paths (section 3.1).
#define NEST(NAME, ...) \
	static __global__ void __launch_bounds__(BLOCK) NAME(Args g) \
	{ \
		const int i = blockIdx.x * BLOCK + threadIdx.x; \
		if (i >= g.n) \
			return; \
		const int p = g.path[i]; \
		__VA_ARGS__ \
		if (p & 2) { \
			if (p & 1) \
				g.out[i] = path<3>(g, g.data[i]); \
			else \
				g.out[i] = path<2>(g, g.data[i]); \
		} else { \
			if (p & 1) \
				g.out[i] = path<1>(g, g.data[i]); \
			else \
				g.out[i] = path<0>(g, g.data[i]); \
		} \
	}
NEST(nest)
NEST(nest_partition, _Pragma("ccc remap policy(partition)"))
NEST(nest_dgi, _Pragma("ccc remap policy(dgi)"))

// ---- by hand ----------------------------------------------------------------------------------------------------------------
struct Work { int thread, path; };

template <int P> static __device__ __forceinline__ Work partition(int p)
{
	static_assert(P <= 8, "two packed scans of 32 counts");
	__shared__ int count[WARPS * 8], pool[BLOCK];
	const int lane = lane_id(), warp = threadIdx.x >> 5;
	unsigned mine = 0;
	int c = 0;
#pragma unroll
	for (int q = 0; q < P; ++q) {
		const unsigned b = __ballot_sync(FULL, p == q);
		if (p == q)
			mine = b;
		if (lane == q)
			c = __popc(b);
	}
	if (lane < P)
		count[lane * WARPS + warp] = c;
	__syncthreads();
	// Every warp scans the P * WARPS counts, path by path: two per lane, packed, if there are more than 32.
	unsigned own = lane < P * WARPS ? count[lane] : 0;
	if (P * WARPS > 32)
		own |= (unsigned)count[lane + 32] << 16;
	unsigned sum = own;
#pragma unroll
	for (int d = 1; d < 32; d *= 2) {
		const unsigned s = __shfl_up_sync(FULL, sum, d);
		if (lane >= d)
			sum += s;
	}
	const int at = p * WARPS + warp;
	const unsigned before = __shfl_sync(FULL, sum - own, at & 31);
	int slot = before & 0xffff;
	if (P * WARPS > 32) {
		const int low = __shfl_sync(FULL, sum, 31) & 0xffff;
		if (at >= 32)
			slot = low + (before >> 16);
	}
	pool[slot + __popc(mine & lanes_below())] = threadIdx.x | p << 8;
	__syncthreads();
	const int w = pool[threadIdx.x];
	return {w & 255, w >> 8};
}
static __device__ __forceinline__ Work head_or_tail(int p)
{
	__shared__ int pool[BLOCK], head, tail;
	const int tid = threadIdx.x;
	if (tid == 0) {
		head = 0;
		tail = BLOCK - 1;
	}
	__syncthreads();
	const int slot = p ? atomicAdd(&head, 1) : atomicSub(&tail, 1);
	pool[slot] = p ? tid : tid - BLOCK;
	__syncthreads();
	const int w = pool[tid];
	return w < 0 ? Work{w + BLOCK, 0} : Work{w, 1};
}
// Neighbourhoods of 16; it reads the conditions again from global memory.
template <int P> static __device__ __forceinline__ Work group_indexing(const int *paths, int p)
{
	constexpr int N = 16, GROUPS = BLOCK / N;
	__shared__ int4 counter4[P * GROUPS / 4];
	int *const counter = (int *)counter4;
	const int tid = threadIdx.x;
	if (tid < P * GROUPS)
		counter[tid] = 0;
	__syncthreads();
	atomicAdd(&counter[p * GROUPS + tid / N], 1);
	__syncthreads();
	int group = 0, rank = tid;
	bool found = false;
#pragma unroll
	for (int q = 0; q < P - 1; ++q) {
		int total = 0;
#pragma unroll
		for (int k = 0; k < GROUPS; k += 4) {
			const int4 c = counter4[(q * GROUPS + k) / 4];
			total += c.x + c.y + c.z + c.w;
		}
		if (!found) {
			if (rank < total)
				found = true;
			else {
				rank -= total;
				++group;
			}
		}
	}
	int mark = 0, near = 0;
	while (rank >= mark) {
		mark += counter[group * GROUPS + near];
		++near;
	}
	int t = min(near * N - 1, BLOCK - 1);
	while (mark != rank) {
		if (paths[t] == group)
			--mark;
		--t;
	}
	return {t + 1, group};
}
enum Form { PARTITION, HEAD_OR_TAIL, GROUP_INDEXING };

template <int P, Form FORM> static __global__ void __launch_bounds__(BLOCK) by_hand(Args g)
{
	const int first = blockIdx.x * BLOCK, p = g.path[first + threadIdx.x];
	Work w;
	if constexpr (FORM == PARTITION)
		w = partition<P>(p);
	else if constexpr (FORM == HEAD_OR_TAIL)
		w = head_or_tail(p);
	else
		w = group_indexing<P>(g.path + first, p);
	g.out[first + w.thread] = branch<P>(g, w.path, g.data[first + w.thread]);
}

// ---- host -----------------------------------------------------------------------------------------------------------------
using Kernel = void (*)(Args);

template <int P> static void bench(Bench &b, const char *form, Kernel annotated, Kernel hand, int length, Kernel plain = base<P>)
{
	const int n = size_of_work(b.o, 132 * 8 * 16, 132 * 8 * 2, 4) * BLOCK;
	std::vector<int> path(n);
	std::vector<float> data(n), want;
	unsigned s = 12345;
	for (int i = 0; i < n; ++i) {
		s ^= s << 13;
		s ^= s >> 17;
		s ^= s << 5;
		path[i] = (s >> 8) % P;
		data[i] = (s >> 8) / 16777216.0f;
	}
	Args g{to_device(path), to_device(data), on_device<float>(n), n, length, 0.25f, -0.125f};
	const auto variant = [&](const char *name, Kernel kernel) -> Variant {
		return {name, [=] { kernel<<<n / BLOCK, BLOCK>>>(g); }, [&want, g, n] {
			const std::vector<float> got = to_host(g.out, n);
			if (want.empty())
				want = got;
			return !memcmp(got.data(), want.data(), n * sizeof(float));
		}};
	};
	char text[64];
	snprintf(text, sizeof text, "%s, %d paths, %d operations", form, P, 32 * length);
	measure(b, text, [=] { CHECK(cudaMemset(g.out, 0xff, n * sizeof *g.out)); },
		{variant("base", plain), variant("annotated", annotated), variant("by hand", hand)});
	CHECK(cudaFree((void *)g.path));
	CHECK(cudaFree((void *)g.data));
	CHECK(cudaFree(g.out));
}

int main(int argc, char **argv)
{
	Bench b{"tdr", read_options(argc, argv)};
	for (int length : {4, 16, 64}) {
		const int l = b.o.small ? 1 : length;
		bench<2>(b, "partition", two_partition, by_hand<2, PARTITION>, l);
		bench<2>(b, "hot", two_hot, by_hand<2, HEAD_OR_TAIL>, l);
		bench<8>(b, "dgi", eight_dgi, by_hand<8, GROUP_INDEXING>, l);
		bench<8>(b, "partition", eight_partition, by_hand<8, PARTITION>, l);
		bench<4>(b, "leaves, partition", nest_partition, by_hand<4, PARTITION>, l, nest);
		bench<4>(b, "leaves, dgi", nest_dgi, by_hand<4, GROUP_INDEXING>, l, nest);
		if (b.o.small)
			break;
	}
	return b.all_right ? 0 : 1;
}
