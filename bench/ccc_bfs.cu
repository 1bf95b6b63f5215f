// SPDX-License-Identifier: MIT
// Level-by-level breadth-first search, one thread per vertex (Harish & Narayanan): few vertices are on the frontier, and few of
// them have many neighbours. By hand: a queue collects the frontier vertices of four rounds, and all lanes together visit
// the neighbours of 32 of them.
#include "graphs.cuh"

constexpr int UNREACHED = 0x3fffffff;

struct Args {
	int n, curr;                     // vertices; level of the frontier
	const int *row, *col;
	int *level, *changed;
};

static __device__ __forceinline__ void visit(const Args &g, int k)
{
	const int u = __ldg(g.col + k);
	if (g.level[u] > g.curr + 1) {
		g.level[u] = g.curr + 1;
		*g.changed = 1;
	}
}

// ---- original, annotated, by hand -----------------------------------------------------------------------------------------
static __global__ void __launch_bounds__(BLOCK) k_base(Args g)
{
	for (int v = blockIdx.x * BLOCK + threadIdx.x; v < g.n; v += gridDim.x * BLOCK) {
		if (g.level[v] == g.curr) {
			const int end = __ldg(g.row + v + 1);
			for (int k = __ldg(g.row + v); k < end; ++k)
				visit(g, k);
		}
	}
}

static __global__ void __launch_bounds__(BLOCK) k_ccc(Args g)
{
	#pragma ccc for
	for (int v = blockIdx.x * BLOCK + threadIdx.x; v < g.n; v += gridDim.x * BLOCK) {
		#pragma ccc if
		if (g.level[v] == g.curr) {
			const int end = __ldg(g.row + v + 1);
			#pragma ccc for var
			for (int k = __ldg(g.row + v); k < end; ++k)
				visit(g, k);
		}
	}
}

static __device__ __forceinline__ void visit_all(const Args &g, int v, bool p)
{
	int begin = 0, deg = 0;
	if (p) {
		begin = __ldg(g.row + v);
		deg = __ldg(g.row + v + 1) - begin;
	}
	expand(begin, deg, Nothing(), [&](int k, int, int) { visit(g, k); });
}
static __global__ void __launch_bounds__(BLOCK) k_hand(Args g)
{
	constexpr int U = 4;
	__shared__ int queues[(U + 1) * BLOCK];
	int *const queue = queues + (U + 1) * warp_base();
	const int stride = gridDim.x * BLOCK;
	int count = 0;
	for (int base = blockIdx.x * BLOCK + warp_base(); base < g.n; base += U * stride) {
		bool p[U];
#pragma unroll
		for (int u = 0; u < U; ++u) {
			const int v = base + u * stride + lane_id();
			p[u] = v < g.n && g.level[v] == g.curr;
		}
#pragma unroll
		for (int u = 0; u < U; ++u) {
			const unsigned m = __ballot_sync(FULL, p[u]);
			if (p[u])
				queue[count + __popc(m & lanes_below())] = base + u * stride + lane_id();
			count += __popc(m);
		}
		while (count >= 32) {
			count -= 32;
			__syncwarp();
			const int v = queue[count + lane_id()];
			__syncwarp();
			visit_all(g, v, true);
		}
	}
	__syncwarp();
	if (count)
		visit_all(g, lane_id() < count ? queue[lane_id()] : 0, lane_id() < count);
}

// ---- host -----------------------------------------------------------------------------------------------------------------
// Sets levels to the number of launches; the last one changes nothing.
static std::vector<int> host_levels(const Graph &g, int source, int &levels)
{
	std::vector<int> level(g.n, UNREACHED), queue{source};
	level[source] = 0;
	for (size_t i = 0; i < queue.size(); ++i) {
		const int v = queue[i];
		levels = level[v] + 1;
		for (int k = g.row[v]; k < g.row[v + 1]; ++k)
			if (level[g.col[k]] == UNREACHED) {
				level[g.col[k]] = level[v] + 1;
				queue.push_back(g.col[k]);
			}
	}
	return level;
}

static void bench_graph(Bench &b, const Graph &g)
{
	int levels = 0, source = g.n / 2;
	while (source < g.n - 1 && g.row[source + 1] - g.row[source] < 3)
		++source;
	const std::vector<int> want = host_levels(g, source, levels);
	std::vector<int> first(g.n, UNREACHED);
	first[source] = 0;
	Args a{g.n, 0, g.d_row, g.d_col, on_device<int>(g.n), on_device<int>(1)};
	const auto variant = [&](const char *name, void (*kernel)(Args), size_t tasks = 0) -> Variant {
		const int blocks = fill_device(b.o, kernel, tasks);
		return {name, [&a, kernel, blocks, levels] {
			for (a.curr = 0; a.curr < levels; ++a.curr)
				kernel<<<blocks, BLOCK>>>(a);
		}, [&] { return to_host(a.level, g.n) == want; }};
	};
	measure(b, g.name, [&] { CHECK(cudaMemcpy(a.level, first.data(), g.n * sizeof(int), cudaMemcpyHostToDevice)); },
		{variant("base", k_base), variant("annotated", k_ccc),
			variant("by hand", k_hand), variant("one a thread", k_base, g.n)});
	CHECK(cudaFree(a.level));
	CHECK(cudaFree(a.changed));
}

int main(int argc, char **argv)
{
	Bench b{"bfs", read_options(argc, argv)};
	for (Graph &g : make_graphs(b.o)) {
		bench_graph(b, g);
		free_graph(g);
	}
	return b.all_right ? 0 : 1;
}
