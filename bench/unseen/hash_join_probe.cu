// SPDX-License-Identifier: MIT
// The probe of a hash join: chained buckets of the build relation, a filter on its payload, and
// aggregation of the matches; one tuple of the probe relation a thread, grid-stride loop. Data set
// a has Zipf-distributed build keys, b unique keys without collisions.
#include "unseen.h"

struct Tuple {
	int key, payload;
};

struct HashTable {
	const Tuple *build;
	const int *head, *next;
	unsigned mask;
};

__host__ __device__ inline unsigned
bucket_of(int key, unsigned mask)
{
	return ((unsigned)key * 2654435761u >> 7) & mask;
}

__global__ void
probe(HashTable table, const Tuple *__restrict__ probes, int n, int threshold, long long *sums,
	unsigned short *matches)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
		Tuple t = probes[i];
		long long sum = 0;
		int count = 0;
		for (int at = table.head[bucket_of(t.key, table.mask)]; at >= 0; at = table.next[at]) {
			Tuple candidate = table.build[at];
			if (candidate.key != t.key)
				continue;
			if (candidate.payload < threshold)
				continue;
			count++;
			sum += (long long)candidate.payload * t.payload;
		}
		sums[i] = sum;
		matches[i] = count;
	}
}

int
main(int argc, char **argv)
{
	Options options(argc, argv);
	int rows = options.size(1 << 20), probes = options.size(1 << 22);
	unsigned buckets = 1;
	while ((int)buckets < (options.divergent ? rows : 2 * rows))
		buckets *= 2;
	Rng rng(21);
	std::vector<Tuple> build(rows), list(probes);
	std::vector<int> head(buckets, -1), next(rows);
	for (int i = 0; i < rows; i++) {
		double u = rng.real();
		int key = options.divergent ? (int)(rows * u * u * u) : i;
		build[i] = { key, (int)rng.below(1000) };
		unsigned b = bucket_of(key, buckets - 1);
		while (!options.divergent && head[b] >= 0) { // seek a key that has its bucket for itself
			key = (int)((unsigned)key + (rows | 1));
			b = bucket_of(key, buckets - 1);
			build[i].key = key;
		}
		next[i] = head[b];
		head[b] = i;
	}
	for (Tuple &t : list) {
		double u = rng.real();
		int at = (int)((options.divergent ? pow(u, 1.3) : u) * rows);
		t = { options.divergent ? (rng.below(3) ? at : at + rows) : build[at].key, (int)rng.below(1000) };
	}
	HashTable table = { to_device(build), to_device(head), to_device(next), buckets - 1 };
	Tuple *d_probes = to_device(list);
	long long *sums = device_zeros<long long>(probes);
	unsigned short *matches = device_zeros<unsigned short>(probes);
	int blocks = std::min(blocks_for(probes, 256), 132 * 32);
	double ms = time_ms(options, [&] { probe<<<blocks, 256>>>(table, d_probes, probes, 200, sums, matches); });
	Checksum sum;
	sum.device(sums, probes);
	sum.device(matches, probes);
	return report(sum, ms);
}
