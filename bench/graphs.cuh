// SPDX-License-Identifier: MIT
// The graphs of the benchmark programs, in CSR form: the neighbours of v are col[row[v]] .. col[row[v + 1] - 1], in ascending order.
// R-MAT (.48 .21 .21 .10) with shuffled vertex numbers: hubs of about 20,000 neighbours at 2^22 vertices and 2^26 edges, a
// quarter of a gigabyte; and a 16th of that, which fits into the L2 cache.
// Streets: a lattice with three of four streets.
#ifndef BENCH_GRAPHS_CUH
#define BENCH_GRAPHS_CUH

#include "programs.cuh"

struct Graph {
	const char *name;
	int n, m;
	std::vector<int> row, col;
	int *d_row, *d_col;
};

constexpr uint64_t NO_EDGE = ~0ull;

static __host__ __device__ inline uint32_t shuffle_id(uint32_t x, int bits)        // a bijection on 0..2^bits-1
{
	const uint32_t mask = (1u << bits) - 1u;
	for (int i = 0; i < 2; ++i) {
		x = (x * 0x9e3779b1u + 0x7f4a7c15u) & mask;
		x ^= x >> (bits / 2);
	}
	return x;
}
static __host__ __device__ inline uint64_t rmat_edge(uint32_t i, int bits)
{
	const uint32_t s = mix(i + 0x51ed270bu);
	const uint32_t a = 2061584302u, ab = a + 901943132u, abc = ab + 901943132u;
	uint32_t u = 0, v = 0;
	for (int b = 0; b < bits; ++b) {
		const uint32_t r = mix(s + b * 0x9e3779b9u);
		u = 2 * u + (r >= ab);
		v = 2 * v + ((r >= a && r < ab) || r >= abc);
	}
	return uint64_t(shuffle_id(u, bits)) << 32 | shuffle_id(v, bits);
}
// Slot i; each crossing has four.
static __host__ __device__ inline uint64_t street_edge(uint32_t i, int side)
{
	const uint32_t v = i >> 2, d = i & 3, x = v % side, y = v / side, last = side - 1;
	if ((d == 0 && x == last) || (d == 1 && y == last) || (d == 2 && x == 0) || (d == 3 && y == 0))
		return NO_EDGE;
	const uint32_t u = d == 0 ? v + 1 : d == 1 ? v + side : d == 2 ? v - 1 : v - side;
	const uint32_t street = 2 * (u < v ? u : v) + (d & 1);
	return mix(street + 0x2545f491u) < 0xc0000000u ? uint64_t(v) << 32 | u : NO_EDGE;
}
static __global__ void make_edges(uint64_t *edge, int slots, int param, bool streets)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < slots; i += gridDim.x * blockDim.x)
		edge[i] = streets ? street_edge(i, param) : rmat_edge(i, param);
}

// Sorts the edges by one of their two ends; the sort is stable.
static std::vector<uint64_t> sort_edges(const std::vector<uint64_t> &in, int n, int shift)
{
	std::vector<size_t> at(n + 1);
	std::vector<uint64_t> out(in.size());
	for (uint64_t e : in)
		++at[uint32_t(e >> shift) + 1];
	for (int v = 0; v < n; ++v)
		at[v + 1] += at[v];
	for (uint64_t e : in)
		out[at[uint32_t(e >> shift)]++] = e;
	return out;
}

// param: bits of the vertex number, or side of the lattice.
static Graph make_graph(const char *name, bool streets, int param, int slots)
{
	Graph g{name, streets ? param * param : 1 << param, 0, {}, {}, nullptr, nullptr};
	uint64_t *d_edge = on_device<uint64_t>(slots);
	make_edges<<<1024, BLOCK>>>(d_edge, slots, param, streets);
	std::vector<uint64_t> edge = to_host(d_edge, slots);
	CHECK(cudaFree(d_edge));
	edge.erase(std::remove(edge.begin(), edge.end(), NO_EDGE), edge.end());
	edge = sort_edges(sort_edges(edge, g.n, 0), g.n, 32);
	edge.erase(std::unique(edge.begin(), edge.end()), edge.end());
	g.row.resize(g.n + 1);
	for (uint64_t e : edge) {
		++g.row[(e >> 32) + 1];
		g.col.push_back(int(uint32_t(e)));
	}
	for (int v = 0; v < g.n; ++v)
		g.row[v + 1] += g.row[v];
	g.m = int(g.col.size());
	g.d_row = to_device(g.row);
	g.d_col = to_device(g.col);
	return g;
}
static void free_graph(Graph &g)
{
	CHECK(cudaFree(g.d_row));
	CHECK(cudaFree(g.d_col));
}
static std::vector<Graph> make_graphs(const Options &o)
{
	std::vector<Graph> g;
	if (o.small) {
		g.push_back(make_graph("R-MAT 2^11", false, 11, 1 << 14));
		g.push_back(make_graph("streets 40^2", true, 40, 4 * 40 * 40));
	} else if (o.quick) {
		g.push_back(make_graph("R-MAT 2^18", false, 18, 1 << 22));
		g.push_back(make_graph("streets 512^2", true, 512, 4 * 512 * 512));
		g.push_back(make_graph("R-MAT 2^14", false, 14, 1 << 18));
	} else {
		g.push_back(make_graph("R-MAT 2^22", false, 22, 1 << 26));
		g.push_back(make_graph("streets 1408^2", true, 1408, 4 * 1408 * 1408));
		g.push_back(make_graph("R-MAT 2^18", false, 18, 1 << 22));
	}
	return g;
}

// ---- by hand --------------------------------------------------------------------------------------------------------------
// Distributes the iterations k = begin .. begin + deg - 1 of all lanes over the lanes: long rows over the whole warp, the others end to
// end by prefix sums. Some lane calls visit(k, owner, value) for each k of each owner, where value is fetch(owner), which all
// lanes call. All 32 lanes call this.
struct Nothing { __device__ int operator()(int) const { return 0; } };
template <class Fetch, class Visit> __device__ __forceinline__ void expand_short(int begin, int deg, Fetch fetch, Visit visit)
{
	int upto = deg;
#pragma unroll
	for (int d = 1; d < 32; d <<= 1) {
		const int t = __shfl_up_sync(FULL, upto, d);
		if (lane_id() >= d)
			upto += t;
	}
	const int total = __shfl_sync(FULL, upto, 31), off = begin - (upto - deg);
	for (int b = 0; b < total; b += 32) {
		const int t = b + lane_id();
		int o = 0;
#pragma unroll
		for (int w = 16; w; w >>= 1)
			if (__shfl_sync(FULL, upto, o + w - 1) <= t)
				o += w;
		const int k = t + __shfl_sync(FULL, off, o), v = fetch(o);
		if (t < total)
			visit(k, o, v);
	}
}
template <class Fetch, class Visit> __device__ __forceinline__ void expand(int begin, int deg, Fetch fetch, Visit visit)
{
	for (unsigned m = __ballot_sync(FULL, deg >= 32); m; m &= m - 1) {
		const int o = __ffs(m) - 1, first = __shfl_sync(FULL, begin, o), last = first + __shfl_sync(FULL, deg, o);
		const int v = fetch(o);
		for (int k = first + lane_id(); k < last; k += 32)
			visit(k, o, v);
	}
	if (deg >= 32)
		deg = 0;
	if (__any_sync(FULL, deg))
		expand_short(begin, deg, fetch, visit);
}

#endif
