// SPDX-License-Identifier: MIT
// Insertion into a cuckoo hash table, one thread per pair. A pair takes its slot by an atomic
// exchange, and the pair that it evicts must move to its own next slot. Most pairs are done at once;
// in a table that is nearly full, some take dozens of evictions, and the lanes that are done wait
// for them.
//
// `while` says that each iteration of the inner loop needs the one before it, and that the trip
// count is unknown (section 3.3 of the CCC paper). A task is one iteration: when too few lanes have
// one, the warp sets them aside and fetches new pairs. Any lane can continue an eviction, because
// everything that it needs (the pair, its slot, the count) is in the task.
//
// The table differs from run to run, as it does without the annotation; each pair is in one of its
// four slots.
//
//	cccnvcc -O3 -std=c++17 -arch=native hash.cu -o hash
//	hash [--pairs N] [--blocks B]           2^23 pairs by default, in a table with 1.11 times as many slots

#include "sample.cuh"

typedef unsigned long long Pair;                // key << 32 | value
constexpr unsigned EMPTY = 0;                   // no pair's key
constexpr int MOST = 1000;                      // evictions before an insertion fails

__host__ __device__ inline unsigned key_of(Pair p) { return (unsigned)(p >> 32); }
__host__ __device__ inline unsigned slot_of(unsigned key, int function, unsigned slots)
{
	return random32(key + 0x9e3779b9u * (unsigned)(function + 1)) % slots;
}
// The slot by the hash function that follows the one that gave this slot.
__host__ __device__ inline unsigned next_slot(unsigned key, unsigned slot, unsigned slots)
{
	unsigned next = slot_of(key, 0, slots);
	for (int f = 2; f >= 0; --f)
		if (slot_of(key, f, slots) == slot)
			next = slot_of(key, f + 1, slots);
	return next;
}

__global__ void insert(int n, const Pair *pair, unsigned slots, Pair *table, int *failed)
{
	#pragma ccc for independent
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		Pair p = pair[i];
		unsigned slot = slot_of(key_of(p), 0, slots);
		int evicted = 0;
		#pragma ccc while
		while (true) {
			p = atomicExch(&table[slot], p);
			if (key_of(p) == EMPTY)
				break;
			if (++evicted > MOST) {
				atomicAdd(failed, 1);
				break;
			}
			slot = next_slot(key_of(p), slot, slots);
		}
	}
}

int main(int argc, char **argv)
{
	int n = 1 << 23;
	read_options(argc, argv, {{"pairs", &n}});
	const unsigned slots = (unsigned)(n / 0.9) + 1;
	std::vector<Pair> pairs;
	// random32 is a bijection: no key occurs twice.
	for (int i = 0; i < n; ++i)
		pairs.push_back((Pair)(random32(i + 1)) << 32 | (unsigned)i);

	Array<Pair> pair(pairs), table(slots);
	Array<int> failed(1);
	const int blocks = resident_blocks(insert, 256);
	const float ms = best_ms([&] { table.fill(0), failed.fill(0); },
		[&] { insert<<<blocks, 256>>>(n, pair, slots, table, failed); });

	const std::vector<Pair> got = table.host();
	bool ok = failed.host()[0] == 0;
	for (Pair p : pairs) {
		bool found = false;
		for (int f = 0; f < 4; ++f)
			found = found || got[slot_of(key_of(p), f, slots)] == p;
		ok = ok && found;
	}
	return result(ok, ms, "%d pairs in %u slots", n, slots);
}
