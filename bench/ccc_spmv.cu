// SPDX-License-Identifier: MIT
// y = A x, A in CSR form, one thread per row: rows differ in length, and the sum is live out of the inner loop. By hand: a warp
// whose longest row is at most twice the mean, or 4, runs one row per lane; otherwise the whole warp runs each long row, and
// the others are placed end to end over the lanes, with sums in shared memory.
#include <cmath>
#include "graphs.cuh"

struct Args { int n; const int *row, *col; const float *a, *x; float *y; };

static __device__ __forceinline__ float term(const Args &g, int k)
{
	return __ldg(g.a + k) * __ldg(g.x + __ldg(g.col + k));
}

// ---- original, annotated, by hand -----------------------------------------------------------------------------------------
static __global__ void __launch_bounds__(BLOCK) k_base(Args g)
{
	for (int v = blockIdx.x * BLOCK + threadIdx.x; v < g.n; v += gridDim.x * BLOCK) {
		float s = 0;
		const int end = g.row[v + 1];
		for (int k = g.row[v]; k < end; ++k)
			s += term(g, k);
		g.y[v] = s;
	}
}

static __global__ void __launch_bounds__(BLOCK) k_ccc(Args g)
{
	#pragma ccc for
	for (int v = blockIdx.x * BLOCK + threadIdx.x; v < g.n; v += gridDim.x * BLOCK) {
		float s = 0;
		const int end = g.row[v + 1];
		#pragma ccc for var reduction(+: s)
		for (int k = g.row[v]; k < end; ++k)
			s += term(g, k);
		g.y[v] = s;
	}
}

// Runs rows of at least 32 elements with the whole warp; returns the sum of the lane's own row if it is one of them.
static __device__ __forceinline__ float long_rows(const Args &g, int begin, int deg)
{
	float own = 0;
	for (unsigned m = __ballot_sync(FULL, deg >= 32); m; m &= m - 1) {
		const int o = __ffs(m) - 1, first = __shfl_sync(FULL, begin, o), last = first + __shfl_sync(FULL, deg, o);
		float s = 0;
		for (int k = first + lane_id(); k < last; k += 32)
			s += term(g, k);
#pragma unroll
		for (int d = 16; d; d >>= 1)
			s += __shfl_xor_sync(FULL, s, d);
		if (lane_id() == o)
			own = s;
	}
	return own;
}
static __global__ void __launch_bounds__(BLOCK) k_hand(Args g)
{
	__shared__ float sums[BLOCK];
	float *const sum = sums + warp_base();
	for (int base = blockIdx.x * BLOCK + warp_base(); base < g.n; base += gridDim.x * BLOCK) {
		const int v = base + lane_id();
		int begin = 0, deg = 0;
		if (v < g.n) {
			begin = __ldg(g.row + v);
			deg = __ldg(g.row + v + 1) - begin;
		}
		const int most = __reduce_max_sync(FULL, deg);
		if (most <= 4 || most * 16 <= __reduce_add_sync(FULL, deg)) {
			float s = 0;
			for (int k = begin; k < begin + deg; ++k)
				s += term(g, k);
			if (v < g.n)
				g.y[v] = s;
			continue;
		}
		const float own = long_rows(g, begin, deg);
		sum[lane_id()] = 0;
		__syncwarp();
		expand_short(begin, deg >= 32 ? 0 : deg, Nothing(), [&](int k, int o, int) { atomicAdd(sum + o, term(g, k)); });
		__syncwarp();
		if (v < g.n)
			g.y[v] = own + sum[lane_id()];
		__syncwarp();
	}
}

// ---- host -----------------------------------------------------------------------------------------------------------------
static std::vector<float> values(int n, unsigned seed)
{
	std::vector<float> v(n);
	for (int i = 0; i < n; ++i)
		v[i] = (mix(i + seed) >> 8) * 0x1p-24f;
	return v;
}
static std::vector<double> host_product(const Graph &g, const std::vector<float> &a, const std::vector<float> &x)
{
	std::vector<double> y(g.n);
	for (int v = 0; v < g.n; ++v)
		for (int k = g.row[v]; k < g.row[v + 1]; ++k)
			y[v] += double(a[k]) * x[g.col[k]];
	return y;
}
static bool same(const std::vector<float> &got, const std::vector<double> &want)
{
	for (size_t i = 0; i < got.size(); ++i)
		if (!(std::fabs(got[i] - want[i]) <= 1e-3 * want[i] + 1e-5))
			return false;
	return true;
}

static void bench_matrix(Bench &b, const Graph &g)
{
	const std::vector<float> a = values(g.m, 1), x = values(g.n, 77);
	const std::vector<double> want = host_product(g, a, x);
	float *const d_a = to_device(a), *const d_x = to_device(x), *const y = on_device<float>(g.n);
	const Args args{g.n, g.d_row, g.d_col, d_a, d_x, y};
	const auto variant = [&](const char *name, void (*kernel)(Args), size_t tasks = 0) -> Variant {
		const int blocks = fill_device(b.o, kernel, tasks);
		return {name, [args, kernel, blocks] { kernel<<<blocks, BLOCK>>>(args); },
			[&] { return same(to_host(args.y, g.n), want); }};
	};
	measure(b, g.name, [&] { CHECK(cudaMemset(y, 0xff, g.n * sizeof(float))); },
		{variant("base", k_base), variant("annotated", k_ccc),
			variant("by hand", k_hand), variant("one a thread", k_base, g.n)});
	for (float *p : {d_a, d_x, y})
		CHECK(cudaFree(p));
}

// Rows with similar lengths within a warp: length(v) columns in row v.
static Graph make_even_rows(const char *name, int n, const std::function<int(int)> &length)
{
	Graph g{name, n, 0, {0}, {}, nullptr, nullptr};
	for (int v = 0; v < n; ++v) {
		for (int k = length(v); k > 0; --k)
			g.col.push_back(int(mix(uint32_t(g.col.size())) % uint32_t(n)));
		g.row.push_back(int(g.col.size()));
	}
	g.m = int(g.col.size());
	g.d_row = to_device(g.row);
	g.d_col = to_device(g.col);
	return g;
}
static std::vector<Graph> make_matrices(const Options &o)
{
	const int n = size_of_work(o, 1 << 22, 1 << 18, 1 << 11);
	std::vector<Graph> g = make_graphs(o);
	g.push_back(make_even_rows("rows of 2 to 6", n, [](int v) { return 2 + int(mix(v) % 5); }));
	g.push_back(make_even_rows("rows of 1 to 31, alike in a warp", n, [](int v) { return 1 + int(mix(v / 32) % 31); }));
	return g;
}

int main(int argc, char **argv)
{
	Bench b{"spmv", read_options(argc, argv)};
	for (Graph &g : make_matrices(b.o)) {
		bench_matrix(b, g);
		free_graph(g);
	}
	return b.all_right ? 0 : 1;
}
