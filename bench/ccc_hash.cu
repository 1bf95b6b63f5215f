// SPDX-License-Identifier: MIT
// Insertion into a cuckoo hash table (CCC paper, section 6.1; Alcantara and others: four hash functions, pairs of 8 bytes, atomic
// exchange). A pair that takes a full slot evicts another one, which is tried at its next slot, and so on. By hand: as in section
// 3.3 of the paper, each retry is collected, and fresh pairs are fetched when fewer than 32 lanes have one to retry.
#include "programs.cuh"

typedef unsigned long long Pair;        // key << 32 | value
constexpr uint32_t EMPTY = 0;           // no pair has this key
constexpr int MOST_EVICTIONS = 1000;    // before an insertion fails

struct Args { int n; uint32_t size; const Pair *in; Pair *table; unsigned *fails; };

// ---- the workload ---------------------------------------------------------------------------------------------------------
static __host__ __device__ inline uint32_t key_of(Pair p) { return uint32_t(p >> 32); }
static __host__ __device__ inline uint32_t place(uint32_t key, int f, uint32_t size)
{
	const uint32_t a[4] = {0x9e3779b9u, 0x3c6ef372u, 0xdaa66d2bu, 0x78dde6e4u};
	const uint32_t b[4] = {0x2545f491u, 0xb5297a4du, 0x68e31da4u, 0x1b56c4e9u};
	return ((a[f] ^ key) + b[f]) % 4294967291u % size;
}
// The slot of a key evicted from `from`: by the hash function that follows the one that gave `from`.
static __device__ __forceinline__ uint32_t next_place(uint32_t key, uint32_t from, uint32_t size)
{
	uint32_t p[4], next;
#pragma unroll
	for (int f = 0; f < 4; ++f)
		p[f] = place(key, f, size);
	next = p[0];
#pragma unroll
	for (int f = 2; f >= 0; --f)
		next = from == p[f] ? p[f + 1] : next;
	return next;
}
static __device__ __forceinline__ void retry(const Args &g, Pair pair, uint32_t at)
{
	for (int t = 0; t < MOST_EVICTIONS; ++t) {
		at = next_place(key_of(pair), at, g.size);
		pair = atomicExch(g.table + at, pair);
		if (key_of(pair) == EMPTY)
			return;
	}
	atomicAdd(g.fails, 1u);
}

// ---- original, annotated, by hand -----------------------------------------------------------------------------------------
static __global__ void __launch_bounds__(BLOCK) k_base(Args g)
{
	for (int i = blockIdx.x * BLOCK + threadIdx.x; i < g.n; i += gridDim.x * BLOCK) {
		const Pair own = __ldg(g.in + i);
		const uint32_t at = place(key_of(own), 0, g.size);
		const Pair pair = atomicExch(g.table + at, own);
		if (key_of(pair) != EMPTY)
			retry(g, pair, at);
	}
}
static __global__ void __launch_bounds__(BLOCK) k_ccc(Args g)
{
	#pragma ccc for
	for (int i = blockIdx.x * BLOCK + threadIdx.x; i < g.n; i += gridDim.x * BLOCK) {
		const Pair own = __ldg(g.in + i);
		uint32_t at = place(key_of(own), 0, g.size);
		Pair pair = atomicExch(g.table + at, own);
		int tries = 0;
		#pragma ccc while
		while (key_of(pair) != EMPTY) {
			if (++tries > MOST_EVICTIONS) {
				atomicAdd(g.fails, 1u);
				break;
			}
			at = next_place(key_of(pair), at, g.size);
			pair = atomicExch(g.table + at, pair);
		}
	}
}
// An endless chain is bounded by a budget of the warp: as many rounds per fetch as a lane of the loop above could make.
static __global__ void __launch_bounds__(BLOCK) k_hand(Args g)
{
	__shared__ Pair pairs[BLOCK];
	__shared__ uint32_t places[BLOCK];
	const int warp = warp_base(), lane = lane_id();
	int top = 0, budget = 0;
	for (int base = blockIdx.x * BLOCK + warp; base < g.n; base += gridDim.x * BLOCK) {
		bool busy = base + lane < g.n;
		Pair pair = busy ? __ldg(g.in + base + lane) : 0;
		uint32_t at = busy ? place(key_of(pair), 0, g.size) : 0;
		budget += MOST_EVICTIONS;
		while (true) {
			if (busy) {
				pair = atomicExch(g.table + at, pair);
				busy = key_of(pair) != EMPTY;
			}
			const unsigned votes = __ballot_sync(FULL, busy);
			const int wanted = __popc(votes);
			if (top + wanted < 32) {
				if (busy) {
					const int slot = warp + top + __popc(votes & lanes_below());
					pairs[slot] = pair;
					places[slot] = at;
				}
				top += wanted;
				__syncwarp();
				break;
			}
			if (--budget < 0) {
				if (lane == 0)
					atomicAdd(g.fails, unsigned(top + wanted));
				top = budget = 0;
				break;
			}
			if (!busy) {
				const int slot = warp + top - 1 - __popc(~votes & lanes_below());
				pair = pairs[slot];
				at = places[slot];
				busy = true;
			}
			top += wanted - 32;
			__syncwarp();
			at = next_place(key_of(pair), at, g.size);
		}
	}
	if (lane < top)
		retry(g, pairs[warp + lane], places[warp + lane]);
}

// ---- host -----------------------------------------------------------------------------------------------------------------
static __global__ void make_pairs(Pair *in, int n)
{
	for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK)
		in[i] = Pair(mix(i + 1)) << 32 | uint32_t(i);
}
// Counts the pairs that are in none of their four slots.
static __global__ void count_missing(Args g, unsigned *missing)
{
	for (int i = blockIdx.x * BLOCK + threadIdx.x; i < g.n; i += gridDim.x * BLOCK) {
		bool found = false;
		for (int f = 0; f < 4; ++f)
			found |= g.table[place(key_of(g.in[i]), f, g.size)] == g.in[i];
		if (!found)
			atomicAdd(missing, 1u);
	}
}

int main(int argc, char **argv)
{
	Bench b{"hash", read_options(argc, argv)};
	const int n = size_of_work(b.o, 100000000, 4000000, 9001);
	const uint32_t size = uint32_t(n / 0.9);
	Pair *const in = on_device<Pair>(n), *const table = on_device<Pair>(size);
	unsigned *const counts = on_device<unsigned>(2);
	const Args g{n, size, in, table, counts};
	make_pairs<<<b.o.small ? 2 : 2048, BLOCK>>>(in, n);
	CHECK(cudaGetLastError());
	const auto variant = [&](const char *name, void (*kernel)(Args), size_t tasks = 0) -> Variant {
		const int blocks = fill_device(b.o, kernel, tasks);
		return {name, [=] { kernel<<<blocks, BLOCK>>>(g); }, [=] {
			count_missing<<<b.o.small ? 2 : 2048, BLOCK>>>(g, counts + 1);
			CHECK(cudaGetLastError());
			const std::vector<unsigned> c = to_host(counts, 2);      // failed, missing
			return c[0] == c[1] && c[0] <= unsigned(n) / 1000;
		}};
	};
	char data[32];
	snprintf(data, sizeof data, "%d pairs, load .9", n);
	measure(b, data, [=] {
		CHECK(cudaMemset(table, 0, size * sizeof *table));
		CHECK(cudaMemset(counts, 0, 2 * sizeof *counts));
	}, {variant("base", k_base), variant("annotated", k_ccc),
			variant("by hand", k_hand), variant("one a thread", k_base, n)});
	return b.all_right ? 0 : 1;
}
