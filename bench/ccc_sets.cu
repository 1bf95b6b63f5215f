// SPDX-License-Identifier: MIT
// Set intersection per edge: the triangles of an undirected graph, with each edge directed from the end with fewer neighbours to the other
// one, one thread per edge. It searches for each neighbour in the shorter list in the longer, sorted one. Lists of different lengths make
// lanes wait. By hand: the whole warp for an edge with at least 32 neighbours, one lane each for the others.
#include "graphs.cuh"

struct Args { int m; const int *row, *from, *col; int *count; };
struct Lists { int begin, end, low, high; };        // the range of neighbours to search for, and the range to search

static __device__ __forceinline__ Lists lists(const Args &g, int e)
{
	const int u = g.from[e], v = g.col[e], ub = g.row[u], ue = g.row[u + 1], vb = g.row[v], ve = g.row[v + 1];
	return ue - ub < ve - vb ? Lists{ub, ue, vb, ve} : Lists{vb, ve, ub, ue};
}
static __device__ __forceinline__ int is_in(const Args &g, int what, int low, int high)
{
	while (low < high) {
		const int mid = (low + high) >> 1, x = g.col[mid];
		if (x == what)
			return 1;
		if (x < what)
			low = mid + 1;
		else
			high = mid;
	}
	return 0;
}

// ---- original, annotated, by hand -----------------------------------------------------------------------------------------
static __global__ void __launch_bounds__(BLOCK) k_base(Args g)
{
	for (int e = blockIdx.x * BLOCK + threadIdx.x; e < g.m; e += gridDim.x * BLOCK) {
		const Lists l = lists(g, e);
		int count = 0;
		for (int k = l.begin; k < l.end; ++k)
			count += is_in(g, g.col[k], l.low, l.high);
		g.count[e] = count;
	}
}

static __global__ void __launch_bounds__(BLOCK) k_ccc(Args g)
{
	#pragma ccc for
	for (int e = blockIdx.x * BLOCK + threadIdx.x; e < g.m; e += gridDim.x * BLOCK) {
		const Lists l = lists(g, e);
		int count = 0;
		#pragma ccc for var
		for (int k = l.begin; k < l.end; ++k)
			count += is_in(g, g.col[k], l.low, l.high);
		g.count[e] = count;
	}
}

static __global__ void __launch_bounds__(BLOCK) k_hand(Args g)
{
	for (int base = blockIdx.x * BLOCK + warp_base(); base < g.m; base += gridDim.x * BLOCK) {
		const int e = base + lane_id();
		const Lists l = e < g.m ? lists(g, e) : Lists{0, 0, 0, 0};
		const bool is_long = l.end - l.begin >= 32;
		int count = 0;
		for (unsigned m = __ballot_sync(FULL, is_long); m; m &= m - 1) {
			const int o = __ffs(m) - 1, end = __shfl_sync(FULL, l.end, o), low = __shfl_sync(FULL, l.low, o);
			const int high = __shfl_sync(FULL, l.high, o), begin = __shfl_sync(FULL, l.begin, o);
			int sum = 0;
			for (int k = begin + lane_id(); k < end; k += 32)
				sum += is_in(g, g.col[k], low, high);
			sum = __reduce_add_sync(FULL, sum);
			if (lane_id() == o)
				count = sum;
		}
		if (!is_long)
			for (int k = l.begin; k < l.end; ++k)
				count += is_in(g, g.col[k], l.low, l.high);
		if (e < g.m)
			g.count[e] = count;
	}
}

// ---- host -----------------------------------------------------------------------------------------------------------------
struct Directed { std::vector<int> row, from, col; };

// Each edge once, from the end with fewer neighbours (the smaller number if both have equally many).
static Directed direct(const Graph &g)
{
	std::vector<uint64_t> edge;
	std::vector<int> degree(g.n);
	Directed d;
	for (int v = 0; v < g.n; ++v)
		for (int k = g.row[v]; k < g.row[v + 1]; ++k)
			if (g.col[k] != v)
				edge.push_back(uint64_t(std::min(v, g.col[k])) << 32 | uint32_t(std::max(v, g.col[k])));
	edge = sort_edges(sort_edges(edge, g.n, 0), g.n, 32);
	edge.erase(std::unique(edge.begin(), edge.end()), edge.end());
	for (uint64_t e : edge) {
		++degree[e >> 32];
		++degree[uint32_t(e)];
	}
	for (uint64_t &e : edge)
		if (degree[e >> 32] > degree[uint32_t(e)])
			e = e << 32 | e >> 32;
	edge = sort_edges(sort_edges(edge, g.n, 0), g.n, 32);
	d.row.resize(g.n + 1);
	for (uint64_t e : edge) {
		++d.row[(e >> 32) + 1];
		d.from.push_back(int(e >> 32));
		d.col.push_back(int(uint32_t(e)));
	}
	for (int v = 0; v < g.n; ++v)
		d.row[v + 1] += d.row[v];
	return d;
}
static std::vector<int> intersect(const Directed &d)
{
	std::vector<int> count;
	for (size_t e = 0; e < d.col.size(); ++e) {
		int a = d.row[d.from[e]], b = d.row[d.col[e]], n = 0;
		while (a < d.row[d.from[e] + 1] && b < d.row[d.col[e] + 1]) {
			n += d.col[a] == d.col[b];
			const int step_a = d.col[a] <= d.col[b], step_b = d.col[b] <= d.col[a];
			a += step_a;
			b += step_b;
		}
		count.push_back(n);
	}
	return count;
}

static void bench_triangles(Bench &b, Graph g)
{
	const Directed d = direct(g);
	const std::vector<int> want = intersect(d);
	const Args a{int(d.col.size()), to_device(d.row), to_device(d.from), to_device(d.col), on_device<int>(d.col.size())};
	const auto variant = [&](const char *name, void (*kernel)(Args), size_t tasks = 0) -> Variant {
		const int blocks = fill_device(b.o, kernel, tasks);
		return {name, [=] { kernel<<<blocks, BLOCK>>>(a); }, [&want, a] { return to_host(a.count, a.m) == want; }};
	};
	measure(b, g.name, [=] { CHECK(cudaMemset(a.count, 0xff, a.m * sizeof *a.count)); },
		{variant("base", k_base), variant("annotated", k_ccc), variant("by hand", k_hand), variant("one a thread", k_base, a.m)});
	CHECK(cudaFree(const_cast<int *>(a.row)));
	CHECK(cudaFree(const_cast<int *>(a.from)));
	CHECK(cudaFree(const_cast<int *>(a.col)));
	CHECK(cudaFree(a.count));
	free_graph(g);
}

int main(int argc, char **argv)
{
	Bench b{"sets", read_options(argc, argv)};
	if (b.o.small)
		bench_triangles(b, make_graph("R-MAT 2^9", false, 9, 1 << 12));
	else if (b.o.quick)
		bench_triangles(b, make_graph("R-MAT 2^16", false, 16, 1 << 20));
	else
		bench_triangles(b, make_graph("R-MAT 2^18", false, 18, 1 << 23));
	return b.all_right ? 0 : 1;
}
