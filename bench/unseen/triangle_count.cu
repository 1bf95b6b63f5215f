// SPDX-License-Identifier: MIT
// Triangle counting: for each edge (u, v) with u < v, the common neighbours above v by merging two
// sorted lists; by binary search if one list is much longer. One edge a thread.
#include "unseen.h"

__device__ int
lower_bound(const int *list, int n, int key)
{
	int lo = 0, hi = n;
	while (lo < hi) {
		int mid = (lo + hi) >> 1;
		if (list[mid] < key)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

__global__ void
triangles(int edges, const int *__restrict__ source, const int *__restrict__ row, const int *__restrict__ col,
	int *per_edge, unsigned *per_vertex)
{
	int e = blockIdx.x * blockDim.x + threadIdx.x;
	if (e >= edges)
		return;
	int u = source[e], v = col[e];
	const int *a = col + row[u], *b = col + row[v];
	int na = row[u + 1] - row[u], nb = row[v + 1] - row[v];
	int skip = lower_bound(a, na, v + 1);
	a += skip;
	na -= skip;
	int found = 0;
	if (na > 16 * nb || nb > 16 * na) {
		if (na > nb) {
			const int *t = a;
			a = b;
			b = t;
			int m = na;
			na = nb;
			nb = m;
		}
		for (int i = 0; i < na; i++) {
			int at = lower_bound(b, nb, a[i]);
			if (at < nb && b[at] == a[i]) {
				found++;
				atomicAdd(&per_vertex[a[i]], 1u);
			}
		}
	} else {
		int i = 0, j = 0;
		while (i < na && j < nb) {
			int x = a[i], y = b[j];
			if (x == y) {
				found++;
				atomicAdd(&per_vertex[x], 1u);
			}
			i += x <= y;
			j += y <= x;
		}
	}
	per_edge[e] = found;
}

int
main(int argc, char **argv)
{
	Options options(argc, argv);
	int n = options.size(1 << 18);
	Graph g = random_graph(n, options.divergent ? 8 : 12, options.divergent, 6);
	if (!options.divergent) // a ring lattice: all lists have the same length
		for (int v = 0; v < n; v++)
			for (int e = g.row[v]; e < g.row[v + 1]; e++)
				g.col[e] = (v + 1 + (e - g.row[v])) % n;
	Graph s = symmetric(g), up;
	up.row.push_back(0);
	std::vector<int> source;
	for (int v = 0; v < n; v++) { // edges to higher numbers
		for (int e = s.row[v]; e < s.row[v + 1]; e++)
			if (s.col[e] > v) {
				up.col.push_back(s.col[e]);
				source.push_back(v);
			}
		up.row.push_back(up.edges());
	}
	int edges = up.edges();
	int *d_source = to_device(source), *row = to_device(up.row), *col = to_device(up.col);
	int *per_edge = device_zeros<int>(edges);
	unsigned *per_vertex = device_zeros<unsigned>(n);
	double ms = time_ms(options, [&] { CUDA_CHECK(cudaMemset(per_vertex, 0, n * sizeof(unsigned))); },
		[&] { triangles<<<blocks_for(edges, 128), 128>>>(edges, d_source, row, col, per_edge, per_vertex); });
	Checksum sum;
	sum.device(per_edge, edges);
	sum.device(per_vertex, n);
	return report(sum, ms);
}
