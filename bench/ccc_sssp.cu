// SPDX-License-Identifier: MIT
// Shortest paths from one vertex, one thread per vertex (Harish & Narayanan): in a round, vertices whose cost decreased offer their
// neighbours a lower one. By hand: all lanes together visit the neighbours of all lanes' vertices, long rows first.
#include "graphs.cuh"

constexpr int FAR = 0x3fffffff;

struct Args {
	int n;
	const int *row, *col, *weight;
	int *cost, *offer;
	unsigned *mask;                  // vertices whose cost decreased
};

static __device__ __forceinline__ bool marked(const Args &g, int v)
{
	return g.mask[v >> 5] >> (v & 31) & 1;
}
static __device__ __forceinline__ void visit(const Args &g, int k, int cost)
{
	atomicMin(g.offer + __ldg(g.col + k), cost + __ldg(g.weight + k));
}

// ---- original, annotated, by hand -----------------------------------------------------------------------------------------
static __global__ void __launch_bounds__(BLOCK) k_base(Args g)
{
	for (int v = blockIdx.x * BLOCK + threadIdx.x; v < g.n; v += gridDim.x * BLOCK) {
		if (marked(g, v)) {
			const int end = __ldg(g.row + v + 1), cost = __ldg(g.cost + v);
			for (int k = __ldg(g.row + v); k < end; ++k)
				visit(g, k, cost);
		}
	}
}

static __global__ void __launch_bounds__(BLOCK) k_ccc(Args g)
{
	#pragma ccc for
	for (int v = blockIdx.x * BLOCK + threadIdx.x; v < g.n; v += gridDim.x * BLOCK) {
		if (marked(g, v)) {
			const int end = __ldg(g.row + v + 1), cost = __ldg(g.cost + v);
			#pragma ccc for var
			for (int k = __ldg(g.row + v); k < end; ++k)
				visit(g, k, cost);
		}
	}
}

static __global__ void __launch_bounds__(BLOCK) k_hand(Args g)
{
	for (int base = blockIdx.x * BLOCK + warp_base(); base < g.n; base += gridDim.x * BLOCK) {
		const int v = base + lane_id();
		int begin = 0, deg = 0, cost = 0;
		if (v < g.n && marked(g, v)) {
			begin = __ldg(g.row + v);
			deg = __ldg(g.row + v + 1) - begin;
			cost = __ldg(g.cost + v);
		}
		expand(begin, deg, [&](int o) { return __shfl_sync(FULL, cost, o); }, [&](int k, int, int c) { visit(g, k, c); });
	}
}

// The second kernel of a round, the same for all versions: stores the lower costs and writes the next mask.
static __global__ void __launch_bounds__(BLOCK) update(Args g)
{
	for (int base = blockIdx.x * BLOCK + warp_base(); base < g.n; base += gridDim.x * BLOCK) {
		const int v = base + lane_id();
		bool lower = false;
		if (v < g.n) {
			const int c = g.offer[v];
			lower = c < g.cost[v];
			if (lower)
				g.cost[v] = c;
		}
		const unsigned m = __ballot_sync(FULL, lower);
		if (lane_id() == 0)
			g.mask[v >> 5] = m;
	}
}

// ---- host -----------------------------------------------------------------------------------------------------------------
static std::vector<int> make_weights(const Graph &g)
{
	std::vector<int> w(g.m);
	for (int v = 0; v < g.n; ++v)
		for (int k = g.row[v]; k < g.row[v + 1]; ++k)
			w[k] = 1 + int(mix(std::min(v, g.col[k]) ^ mix(std::max(v, g.col[k]))) & 63);        // the same in both directions
	return w;
}
// Computes the reference as the kernels do, round by round; sets rounds to their number.
static std::vector<int> host_costs(const Graph &g, const std::vector<int> &weight, int source, int &rounds)
{
	std::vector<int> cost(g.n, FAR), now{source}, next;
	cost[source] = 0;
	std::vector<int> offer = cost;
	for (rounds = 0; !now.empty(); ++rounds) {
		for (int v : now)
			for (int k = g.row[v]; k < g.row[v + 1]; ++k)
				if (cost[v] + weight[k] < offer[g.col[k]]) {
					offer[g.col[k]] = cost[v] + weight[k];
					next.push_back(g.col[k]);
				}
		now.clear();
		for (int v : next)
			if (offer[v] < cost[v]) {
				cost[v] = offer[v];
				now.push_back(v);
			}
		next.clear();
	}
	return cost;
}

static void bench_graph(Bench &b, const Graph &g)
{
	int rounds, source = g.n / 2;
	while (source < g.n - 1 && g.row[source + 1] - g.row[source] < 3)
		++source;
	const std::vector<int> weight = make_weights(g), want = host_costs(g, weight, source, rounds);
	const size_t words = (g.n + 31) / 32;
	std::vector<int> first(g.n, FAR);
	std::vector<unsigned> mask(words);
	first[source] = 0;
	mask[source / 32] = 1u << source % 32;
	int *const d_weight = to_device(weight);
	const Args a{g.n, g.d_row, g.d_col, d_weight, on_device<int>(g.n), on_device<int>(g.n), on_device<unsigned>(words)};
	const int update_blocks = fill_device(b.o, update);
	const auto variant = [&](const char *name, void (*kernel)(Args), size_t tasks = 0) -> Variant {
		const int blocks = fill_device(b.o, kernel, tasks);
		return {name, [=] {
			for (int r = 0; r < rounds; ++r) {
				kernel<<<blocks, BLOCK>>>(a);
				update<<<update_blocks, BLOCK>>>(a);
			}
		}, [&] { return to_host(a.cost, g.n) == want; }};
	};
	measure(b, g.name, [&] {
		CHECK(cudaMemcpy(a.cost, first.data(), g.n * sizeof(int), cudaMemcpyHostToDevice));
		CHECK(cudaMemcpy(a.offer, first.data(), g.n * sizeof(int), cudaMemcpyHostToDevice));
		CHECK(cudaMemcpy(a.mask, mask.data(), words * sizeof(unsigned), cudaMemcpyHostToDevice));
	}, {variant("base", k_base), variant("annotated", k_ccc),
			variant("by hand", k_hand), variant("one a thread", k_base, g.n)});
	for (int *p : {d_weight, a.cost, a.offer})
		CHECK(cudaFree(p));
	CHECK(cudaFree(a.mask));
}

int main(int argc, char **argv)
{
	Bench b{"sssp", read_options(argc, argv)};
	for (Graph &g : make_graphs(b.o)) {
		bench_graph(b, g);
		free_graph(g);
	}
	return b.all_right ? 0 : 1;
}
