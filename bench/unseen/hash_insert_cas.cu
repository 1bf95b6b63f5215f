// SPDX-License-Identifier: MIT
// Counting keys in a hash table with open addressing: a slot is claimed by compare-and-swap, then
// its count is incremented; linear probing. A second kernel looks all keys up. Data set a has many
// duplicates and a load near 0.9, b distinct keys and a load of 0.25.
#include "unseen.h"

#define EMPTY 0xffffffffffffffffull

struct Table {
	unsigned long long *keys;
	unsigned *counts;
	unsigned capacity; // a power of two
};

__device__ __forceinline__ unsigned long long
murmur64(unsigned long long k)
{
	k ^= k >> 33;
	k *= 0xff51afd7ed558ccdull;
	k ^= k >> 33;
	k *= 0xc4ceb9fe1a85ec53ull;
	return k ^ k >> 33;
}

__global__ void
insert(Table table, const unsigned long long *__restrict__ keys, int n, bool hashed)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	unsigned long long key = keys[i];
	unsigned slot = (unsigned)(hashed ? murmur64(key) : key) & (table.capacity - 1);
	while (true) {
		unsigned long long before = atomicCAS(&table.keys[slot], EMPTY, key);
		if (before == EMPTY || before == key) {
			atomicAdd(&table.counts[slot], 1u);
			return;
		}
		slot = (slot + 1) & (table.capacity - 1);
	}
}

__global__ void
lookup(Table table, const unsigned long long *__restrict__ keys, int n, bool hashed, unsigned *result)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	unsigned long long key = keys[i];
	unsigned slot = (unsigned)(hashed ? murmur64(key) : key) & (table.capacity - 1), found = 0;
	for (;;) {
		unsigned long long k = table.keys[slot];
		if (k == EMPTY)
			break;
		if (k == key) {
			found = table.counts[slot];
			break;
		}
		slot = (slot + 1) & (table.capacity - 1);
	}
	result[i] = found;
}

int
main(int argc, char **argv)
{
	Options options(argc, argv);
	int n = options.size(options.divergent ? 1 << 21 : 1 << 23);
	unsigned capacity = 1024;
	while (capacity < (options.divergent ? 0.5 : 2.0) * n)
		capacity *= 2;
	Rng rng(22);
	std::vector<unsigned long long> keys(n), queries(n);
	unsigned distinct = (unsigned)(1.05 * capacity); // of which n draws hit about 0.9 capacity
	for (int i = 0; i < n; i++) {
		unsigned long long k = options.divergent ? rng.below(distinct) * 0x9e3779b97f4a7c15ull >> 1 : i;
		keys[i] = k;
	}
	for (int i = 0; i < n; i++)
		queries[i] = options.divergent && rng.below(2) ? rng.next() >> 1 : keys[i];
	Table table = { device_zeros<unsigned long long>(capacity), device_zeros<unsigned>(capacity), capacity };
	unsigned long long *d_keys = to_device(keys), *d_queries = to_device(queries);
	unsigned *result = device_zeros<unsigned>(n);
	auto reset = [&] {
		CUDA_CHECK(cudaMemset(table.keys, 0xff, capacity * sizeof *table.keys));
		CUDA_CHECK(cudaMemset(table.counts, 0, capacity * sizeof *table.counts));
	};
	double ms = time_ms(options, reset, [&] {
		insert<<<blocks_for(n, 256), 256>>>(table, d_keys, n, options.divergent);
		lookup<<<blocks_for(n, 256), 256>>>(table, d_queries, n, options.divergent, result);
	});
	// The slot of a key depends on the schedule; its count does not.
	auto slots = to_host(table.keys, capacity);
	auto counts = to_host(table.counts, capacity);
	uint64_t contents = 0;
	for (unsigned i = 0; i < capacity; i++)
		if (slots[i] != EMPTY)
			contents += (slots[i] ^ counts[i] * 0xff51afd7ed558ccdull) * 0xc4ceb9fe1a85ec53ull;
	Checksum sum;
	sum.word(contents);
	sum.device(result, n);
	return report(sum, ms);
}
