// SPDX-License-Identifier: MIT
// A backtracking search: queens on a board from a given start, one thread per start. A step of the search places or removes a
// queen; the stack is a word with four bits per row. The trees of some starts are many times larger than others: those for all solutions,
// even more so if the first one ends the search. By hand: a lane whose search has ended fetches the warp's next start.
#include "programs.cuh"

// The queens in the first rows of task i, four bits each, are begin[i]. limit: the number of solutions that ends the search.
struct Args { int n, queens, rows, limit; const uint32_t *begin; int *found; };
struct Search { uint32_t columns, up, down, untried; uint64_t stack; int row, found; };

static __device__ __forceinline__ uint32_t unattacked(const Args &g, const Search &s)
{
	return ~(s.columns | s.up >> s.row | s.down >> (15 - s.row)) & ((1u << g.queens) - 1);
}
// Places a queen or removes it.
static __device__ __forceinline__ void flip(Search &s, int column)
{
	s.columns ^= 1u << column;
	s.up ^= 1u << (s.row + column);
	s.down ^= 1u << (15 - s.row + column);
}
static __device__ __forceinline__ Search start(const Args &g, int i)
{
	Search s = {0, 0, 0, 0, 0, 0, 0};
	for (uint32_t begin = g.begin[i]; s.row < g.rows; ++s.row, begin >>= 4)
		flip(s, begin & 15);
	s.untried = unattacked(g, s);
	return s;
}
// Returns whether the search continues.
static __device__ __forceinline__ bool step(const Args &g, Search &s)
{
	if (s.untried) {
		const int column = __ffs(s.untried) - 1;
		if (s.row == g.queens - 1) {
			s.untried = 0;
			return ++s.found < g.limit;
		}
		flip(s, column);
		s.stack = s.stack << 4 | column;
		++s.row;
		s.untried = unattacked(g, s);
		return true;
	}
	if (s.row == g.rows)
		return false;
	const int column = int(s.stack & 15);
	s.stack >>= 4;
	--s.row;
	flip(s, column);
	s.untried = unattacked(g, s) & ~0u << column << 1;
	return true;
}

// ---- original, annotated, by hand -----------------------------------------------------------------------------------------
static __global__ void __launch_bounds__(BLOCK) k_base(Args g)
{
	for (int i = blockIdx.x * BLOCK + threadIdx.x; i < g.n; i += gridDim.x * BLOCK) {
		Search s = start(g, i);
		while (step(g, s))
			;
		g.found[i] = s.found;
	}
}

static __global__ void __launch_bounds__(BLOCK) k_ccc(Args g)
{
	#pragma ccc assign
	for (int i = blockIdx.x * BLOCK + threadIdx.x; i < g.n; i += gridDim.x * BLOCK) {
		Search s = start(g, i);
		#pragma ccc while
		while (step(g, s))
			;
		g.found[i] = s.found;
	}
}

static __global__ void __launch_bounds__(BLOCK) k_hand(Args g)
{
	const int warps = gridDim.x * WARPS, warp = blockIdx.x * WARPS + warp_id();
	int next = 32, i = warp * 32 + lane_id();
	Search s;
	if (i < g.n)
		s = start(g, i);
	while (__any_sync(FULL, i < g.n)) {
		bool done = false;
#pragma unroll
		for (int u = 0; u < 4; ++u)             // one vote per four steps
			done = done || (i < g.n && !step(g, s));
		const unsigned all = __ballot_sync(FULL, done);
		if (done) {
			g.found[i] = s.found;
			const int k = next + __popc(all & lanes_below());
			i = (k / 32 * warps + warp) * 32 + k % 32;
			if (i < g.n)
				s = start(g, i);
		}
		next += __popc(all);
	}
}

// ---- host -----------------------------------------------------------------------------------------------------------------
static void add_begins(std::vector<uint32_t> &v, int queens, int rows, int row, uint32_t begin, uint32_t columns, uint32_t up, uint32_t down)
{
	if (row == rows) {
		v.push_back(begin);
		return;
	}
	for (int c = 0; c < queens; ++c)
		if (!((columns >> c | up >> (row + c) | down >> (15 - row + c)) & 1))
			add_begins(v, queens, rows, row + 1, begin | uint32_t(c) << (4 * row), columns | 1u << c, up | 1u << (row + c),
				down | 1u << (15 - row + c));
}

// solutions: their total number, if all are searched for
static void bench_queens(Bench &b, int queens, int rows, bool all, long solutions)
{
	std::vector<uint32_t> begin;
	std::vector<int> want;
	char data[48];
	add_begins(begin, queens, rows, 0, 0, 0, 0, 0);
	const Args a{int(begin.size()), queens, rows, all ? 1 << 30 : 1, to_device(begin), on_device<int>(begin.size())};
	const auto variant = [&](const char *name, void (*kernel)(Args), size_t tasks = 0) -> Variant {
		const int blocks = fill_device(b.o, kernel, tasks);
		return {name, [=] { kernel<<<blocks, BLOCK>>>(a); }, [&want, a, all, solutions] {
			const std::vector<int> got = to_host(a.found, a.n);
			long sum = 0;
			for (int x : got)
				sum += x;
			if (want.empty())
				want = got;
			return got == want && (!all || sum == solutions);
		}};
	};
	snprintf(data, sizeof data, "%d queens, %s, from row %d", queens, all ? "all" : "first", rows);
	measure(b, data, [=] { CHECK(cudaMemset(a.found, 0xff, a.n * sizeof *a.found)); },
		{variant("base", k_base), variant("annotated", k_ccc), variant("by hand", k_hand), variant("one a thread", k_base, a.n)});
	CHECK(cudaFree(const_cast<uint32_t *>(a.begin)));
	CHECK(cudaFree(a.found));
}

int main(int argc, char **argv)
{
	Bench b{"search", read_options(argc, argv)};
	if (b.o.small) {
		bench_queens(b, 8, 3, true, 92);
		bench_queens(b, 9, 3, false, 0);
	} else if (b.o.quick) {
		bench_queens(b, 15, 7, true, 2279184);
		bench_queens(b, 15, 7, false, 0);
	} else {
		bench_queens(b, 16, 7, true, 14772512);
		bench_queens(b, 16, 7, false, 0);
	}
	return b.all_right ? 0 : 1;
}
