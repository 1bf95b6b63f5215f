// SPDX-License-Identifier: MIT
// Range queries on a bulk-loaded B+tree: descent to the leaf, then a scan of linked leaves up to
// the upper bound; one query a thread. Data set a has ranges of skewed lengths, b short ones of
// equal length in sorted order.
#include "unseen.h"

constexpr int ORDER = 16;

struct BTreeNode {
	int keys[ORDER]; // inner: the smallest key of each child
	int next[ORDER]; // inner: the children; leaf: the values
	int count;
	int sibling; // leaf: the next leaf, or -1
};

struct RangeQuery {
	int lo, hi;
};

__global__ void
range_query(int n, const RangeQuery *__restrict__ queries, const BTreeNode *__restrict__ tree,
	int root, int height, long long *sums, int *counts)
{
	int q = blockIdx.x * blockDim.x + threadIdx.x;
	if (q >= n)
		return;
	const RangeQuery range = queries[q];
	const BTreeNode *node = &tree[root];
	for (int level = 1; level < height; level++) {
		int lo = 0, hi = node->count - 1;
		while (lo < hi) { // the last child whose smallest key is at most range.lo
			int mid = (lo + hi + 1) / 2;
			if (node->keys[mid] <= range.lo)
				lo = mid;
			else
				hi = mid - 1;
		}
		node = &tree[node->next[lo]];
	}
	long long sum = 0;
	int count = 0, at = 0;
	while (at < node->count && node->keys[at] < range.lo)
		at++;
	for (;;) {
		if (at == node->count) {
			if (node->sibling < 0)
				break;
			node = &tree[node->sibling];
			at = 0;
			continue;
		}
		if (node->keys[at] > range.hi)
			break;
		int value = node->next[at];
		if (value & 1) // a predicate of the query
			sum += (long long)value * node->keys[at];
		count++;
		at++;
	}
	sums[q] = sum;
	counts[q] = count;
}

int
main(int argc, char **argv)
{
	Options options(argc, argv);
	int n = options.size(1 << 20), queries = options.size(1 << 20);
	Rng rng(16);
	std::vector<int> keys(n);
	for (int i = 0, key = 0; i < n; i++)
		keys[i] = key += 1 + rng.below(options.divergent ? 100 : 3);
	std::vector<BTreeNode> tree;
	std::vector<int> level; // the nodes of a level, and the smallest key of each
	std::vector<int> smallest;
	for (int i = 0; i < n;) {
		BTreeNode leaf = {};
		int fill = std::min(n - i, options.divergent ? 8 + (int)rng.below(9) : 14);
		for (int k = 0; k < fill; k++, i++) {
			leaf.keys[k] = keys[i];
			leaf.next[k] = (int)rng.below(1000);
		}
		leaf.count = fill;
		leaf.sibling = i < n ? (int)tree.size() + 1 : -1;
		level.push_back((int)tree.size());
		smallest.push_back(leaf.keys[0]);
		tree.push_back(leaf);
	}
	int height = 1;
	while (level.size() > 1) {
		std::vector<int> above, above_smallest;
		for (size_t i = 0; i < level.size();) {
			BTreeNode inner = {};
			inner.sibling = -1;
			for (; i < level.size() && inner.count < ORDER; i++) {
				inner.keys[inner.count] = smallest[i];
				inner.next[inner.count++] = level[i];
			}
			above.push_back((int)tree.size());
			above_smallest.push_back(inner.keys[0]);
			tree.push_back(inner);
		}
		level = above;
		smallest = above_smallest;
		height++;
	}
	std::vector<RangeQuery> list(queries);
	for (int q = 0; q < queries; q++) {
		int first = options.divergent ? rng.below(n) : (int)((long long)q * (n - 20) / queries);
		int length = options.divergent ? (int)std::min(2000.0, 4 / (rng.real() + 1e-3)) : 16;
		list[q] = { keys[first], keys[std::min(n - 1, first + length)] };
	}
	RangeQuery *d_queries = to_device(list);
	BTreeNode *d_tree = to_device(tree);
	long long *sums = device_zeros<long long>(queries);
	int *counts = device_zeros<int>(queries);
	double ms = time_ms(options, [&] {
		range_query<<<blocks_for(queries, 256), 256>>>(queries, d_queries, d_tree, level[0], height, sums, counts);
	});
	Checksum sum;
	sum.device(sums, queries);
	sum.device(counts, queries);
	return report(sum, ms);
}
