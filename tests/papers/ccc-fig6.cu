// SPDX-License-Identifier: MIT
// Khorasani and others, MICRO-48 2015. Figure 6: insertion into a cuckoo hash table, a function that ends by calling itself. Context: kvp and loc;
// retKey is the upper half of kvp (4.1): 12 bytes of 16.
// LAUNCH: generate_hash_table --grid 1 --block 64 --arg s32:14000 --arg u32:16384 --arg buf:112000:rand:7 --arg buf:8
// LAUNCH: by_loop --grid 1 --block 64 --arg s32:14000 --arg u32:16384 --arg buf:112000:rand:7 --arg buf:8
// CHECK: generate_hash_table context == 12 && whole == 16 && before_lanes_B < 35 && lanes_B > 90 && warps < before_warps
// CHECK: by_loop context == 12 && whole == 16 && before_lanes < 30 && lanes > 90 && warps < before_warps
typedef unsigned uint;
typedef unsigned long long ulonglong;
#define EMPTY_KEY 0

static __device__ __forceinline__ uint hash_func(uint key, uint tSize, int f)
{
	key = (key + f * 0x9e3779b9u ^ key >> 16) * 0x85ebca6bu;
	return (key ^ key >> 13) * 0xc2b2ae35u % tSize;
}
static __device__ __forceinline__ uint find_next_location(uint retKey, uint loc, uint tSize)
{
	uint next = hash_func(retKey, tSize, 0);
	for (int f = 0; f < 3; ++f)
		if (hash_func(retKey, tSize, f) == loc)
			next = hash_func(retKey, tSize, f + 1);
	return next;
}
static __device__ __forceinline__ uint try_insert(ulonglong *pos, ulonglong &kvp)
{
	kvp = atomicExch(pos, kvp);
	return (uint)(kvp >> 32);
}
static __device__ void insert_KVPair(ulonglong kvp, uint loc, const uint tSize, ulonglong *table)
{
	uint retKey = try_insert(table + loc, kvp);
	bool p = retKey != EMPTY_KEY; // [B]
	if (p) {
		loc = find_next_location(retKey, loc, tSize);
		insert_KVPair(kvp, loc, tSize, table);
	}
}

// The final table depends on the order of the insertions, in the original as well, so it is not compared: out is the sum over its pairs.
static __device__ ulonglong table[16384];

static __device__ __forceinline__ void sum_up(ulonglong *out)
{
	__syncthreads();
	for (int i = threadIdx.x; i < 16384; i += blockDim.x)
		atomicAdd(out, *(volatile ulonglong *)&table[i]);
}

extern "C" __global__ void generate_hash_table(int nKVPairs, uint tableSize, const ulonglong *kvpairs, ulonglong *out)
{
	#pragma ccc for independent
	for (int eIdx = threadIdx.x + blockDim.x * blockIdx.x; eIdx < nKVPairs; eIdx += blockDim.x * gridDim.x) {
		ulonglong kvp = kvpairs[eIdx];
		uint key = (uint)(kvp >> 32);
		uint loc = hash_func(key, tableSize, 0);
		#pragma ccc while
		insert_KVPair(kvp, loc, tableSize, table);
	}
	sum_up(out);
}

// The same as a loop.
extern "C" __global__ void by_loop(int nKVPairs, uint tableSize, const ulonglong *kvpairs, ulonglong *out)
{
	#pragma ccc for independent
	for (int eIdx = threadIdx.x + blockDim.x * blockIdx.x; eIdx < nKVPairs; eIdx += blockDim.x * gridDim.x) {
		ulonglong kvp = kvpairs[eIdx];
		uint retKey = (uint)(kvp >> 32);
		uint loc = hash_func(retKey, tableSize, 0);
		#pragma ccc while
		while ((retKey = try_insert(table + loc, kvp)) != EMPTY_KEY)
			loc = find_next_location(retKey, loc, tableSize);
	}
	sum_up(out);
}
