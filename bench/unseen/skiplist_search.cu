// SPDX-License-Identifier: MIT
// Searches in a skip list whose nodes lie in memory in random order; one search a thread. In data
// set b a warp searches for one key.
#include "unseen.h"

#define MAX_LEVEL 20
#define NIL -1

struct SkipNode {
	unsigned long long key;
	int tower; // the first of this node's links
	int height;
};

struct SkipList {
	const SkipNode *nodes;
	const int *links;
	int head, levels;
};

__device__ int
find(const SkipList &list, unsigned long long key, int *steps)
{
	int at = list.head;
	for (int level = list.levels - 1; level >= 0; level--) {
		while (true) {
			int next = list.links[list.nodes[at].tower + level];
			++*steps;
			if (next == NIL)
				break;
			unsigned long long k = list.nodes[next].key;
			if (k == key)
				return next;
			if (k > key)
				break;
			at = next;
		}
	}
	return NIL;
}

__global__ void
lookup(SkipList list, const unsigned long long *__restrict__ keys, int n, int *found, int *steps)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		int count = 0;
		found[i] = find(list, keys[i], &count);
		steps[i] = count;
	}
}

int
main(int argc, char **argv)
{
	Options options(argc, argv);
	int n = options.size(1 << 19), searches = options.size(options.divergent ? 1 << 20 : 1 << 22);
	Rng rng(17);
	std::vector<int> place(n); // the node of the i-th key
	std::iota(place.begin(), place.end(), 1);
	for (int i = n - 1; i > 0; i--)
		std::swap(place[i], place[rng.below(i + 1)]);
	std::vector<SkipNode> nodes(n + 1);
	std::vector<int> links(MAX_LEVEL, NIL);
	nodes[0] = { 0, 0, MAX_LEVEL };
	int last[MAX_LEVEL] = {}; // the last node of each level
	unsigned long long key = 0;
	int levels = 1;
	for (int i = 0; i < n; i++) {
		int height = 1;
		while (height < MAX_LEVEL && rng.below(2))
			height++;
		levels = std::max(levels, height);
		key += 1 + (rng.next() >> 40);
		int me = place[i];
		nodes[me] = { key, (int)links.size(), height };
		for (int l = 0; l < height; l++) {
			links[nodes[last[l]].tower + l] = me;
			last[l] = me;
			links.push_back(NIL);
		}
	}
	std::vector<unsigned long long> keys(searches);
	for (int i = 0; i < searches; i++) {
		if (options.divergent)
			keys[i] = rng.below(4) ? nodes[1 + rng.below(n)].key : rng.next() % key;
		else
			keys[i] = nodes[place[(long long)(i / 32) * n / (searches / 32 + 1)]].key;
	}
	SkipList list = { to_device(nodes), to_device(links), 0, levels };
	unsigned long long *d_keys = to_device(keys);
	int *found = device_zeros<int>(searches), *steps = device_zeros<int>(searches);
	double ms = time_ms(options, [&] {
		lookup<<<blocks_for(searches, 256), 256>>>(list, d_keys, searches, found, steps);
	});
	Checksum sum;
	sum.device(found, searches);
	sum.device(steps, searches);
	return report(sum, ms);
}
