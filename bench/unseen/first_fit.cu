// SPDX-License-Identifier: MIT
// Bin packing by first fit and best fit, for many random instances of a stochastic program; one
// instance a thread, open bins in a local array. Data set a has items of many sizes, b items of
// half a bin.
#include "unseen.h"

#define MAX_BINS 64

__device__ int
first_fit(const unsigned short *items, int count, int stride, int capacity, int *waste)
{
	int free[MAX_BINS], bins = 0;
	for (int i = 0; i < count; i++) {
		int size = items[i * stride], b = 0;
		while (b < bins && free[b] < size)
			b++;
		if (b == bins) {
			if (bins == MAX_BINS)
				break;
			free[bins++] = capacity;
		}
		free[b] -= size;
	}
	int sum = 0;
	for (int b = 0; b < bins; b++)
		sum += free[b];
	*waste = sum;
	return bins;
}

__device__ int
best_fit(const unsigned short *items, int count, int stride, int capacity)
{
	int free[MAX_BINS], bins = 0;
	for (int i = 0; i < count; i++) {
		int size = items[i * stride], best = -1;
		for (int b = 0; b < bins; b++) {
			if (free[b] < size)
				continue;
			if (free[b] == size) {
				best = b;
				break;
			}
			if (best < 0 || free[b] < free[best])
				best = b;
		}
		if (best < 0) {
			if (bins == MAX_BINS)
				break;
			best = bins;
			free[bins++] = capacity;
		}
		free[best] -= size;
	}
	return bins;
}

__global__ void
pack(int instances, const unsigned short *__restrict__ items, const int *__restrict__ counts,
	int capacity, int2 *bins, int *waste)
{
	int id = blockIdx.x * blockDim.x + threadIdx.x;
	if (id >= instances)
		return;
	int count = counts[id], lost;
	int first = first_fit(items + id, count, instances, capacity, &lost), best = first;
	if (lost > capacity) // else first fit is optimal
		best = best_fit(items + id, count, instances, capacity);
	bins[id] = make_int2(first, best);
	waste[id] = lost;
}

int
main(int argc, char **argv)
{
	Options options(argc, argv);
	int instances = options.size(1 << 18);
	const int most = 64, capacity = 1000;
	Rng rng(39);
	std::vector<unsigned short> items((size_t)instances * most);
	std::vector<int> counts(instances);
	for (int &c : counts)
		c = options.divergent ? 8 + (int)rng.below(most - 7) : 48;
	for (int i = 0; i < most; i++)
		for (int k = 0; k < instances; k++) {
			unsigned largest = 100 + k * 37 % 700;
			items[(size_t)i * instances + k] = options.divergent ? 20 + rng.below(largest) : 450;
		}
	unsigned short *d_items = to_device(items);
	int *d_counts = to_device(counts), *waste = device_zeros<int>(instances);
	int2 *bins = device_zeros<int2>(instances);
	double ms = time_ms(options, [&] {
		pack<<<blocks_for(instances, 128), 128>>>(
			instances, d_items, d_counts, capacity, bins, waste);
	});
	Checksum sum;
	sum.device(bins, instances);
	sum.device(waste, instances);
	return report(sum, ms);
}
