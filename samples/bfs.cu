// Level-by-level breadth-first search of a graph: the example of the CCC paper (Figure 1), annotated.
//
// Each thread examines the vertices v, v + stride, ... In any level, few vertices are on the frontier, so few lanes of
// a warp have neighbours to visit while the others wait. `#pragma ccc if` marks that branch: ptxccc collects the
// vertices of several iterations until every lane of the warp has one. Plain nvcc ignores the pragmas.
//
//	cccnvcc -O3 -arch=native bfs.cu -o bfs                       with collection
//	nvcc -diag-suppress 20199 -O3 -arch=native bfs.cu -o bfs     without
//
//	bfs [--scale N] [--edges M]   R-MAT graph (.48 .21 .21 .10) of 2^N vertices, M edges; 16 and 16 << N by default
//	bfs --grid N                  grid of N x N crossings with 3 of 4 streets
//	    [--threads T,T,...]       threads per block, one run for each (256)
//	    [--blocks B]              blocks (default: as many as the GPU holds at once)
//	    [--reps R]                repetitions; the fastest one counts (3)
//
// One line per run: threads, blocks, levels, kernel ms, million edges per second, and "ok" or "WRONG" (against the CPU).
// Exit code: 0 all ok, 1 a wrong result, 2 no GPU or an invalid command line.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>
#include <cuda_runtime.h>

static void check(cudaError_t e, const char *what)
{
	if (e == cudaSuccess)
		return;
	fprintf(stderr, "bfs: %s: %s\n", what, cudaGetErrorString(e));
	exit(2);
}
#define CHECK(call) check(call, #call)

constexpr int UNREACHED = 0x3fffffff;

// ---- the kernel ------------------------------------------------------------------------------------------------------
// The graph in CSR form: the neighbours of v are col[row[v]] .. col[row[v + 1] - 1].
__device__ __forceinline__ void visit_neighbours(int v, int next, int *level, const int *row, const int *col, int *changed)
{
	const int end = row[v + 1];
	for (int e = row[v]; e < end; ++e) {
		const int u = col[e];
		if (level[u] > next) {
			level[u] = next;        // several threads may write it, all the same value
			*changed = 1;
		}
	}
}

__global__ void bfs_level(int n, int curr, int *level, const int *__restrict__ row, const int *__restrict__ col,
                          int *changed)
{
	#pragma ccc for
	for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < n; v += gridDim.x * blockDim.x) {
		#pragma ccc if
		if (level[v] == curr)
			visit_neighbours(v, curr + 1, level, row, col, changed);
	}
}

// ---- graphs ----------------------------------------------------------------------------------------------------------
struct Graph {
	int n = 0;
	std::vector<int> row, col;
};
struct Edge { int from, to; };

static uint64_t random64(uint64_t x)            // splitmix64
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

// A permutation of 0 .. 2^bits - 1. Without it, the high-degree vertices of an R-MAT graph would have small, adjacent numbers.
static uint32_t shuffle(uint32_t x, int bits)
{
	const uint32_t mask = (1u << bits) - 1;
	for (int i = 0; i < 2; ++i) {
		x = (x * 0x9e3779b1u + 0x7f4a7c15u) & mask;
		x ^= x >> (bits / 2 + 1);
	}
	return x;
}

// Edge i: each of `bits` steps selects a quarter of the adjacency matrix with 16 random bits.
static Edge rmat_edge(uint64_t i, int bits)
{
	const uint32_t a = 0.48 * 65536, ab = a + 0.21 * 65536, abc = ab + 0.21 * 65536;
	uint32_t u = 0, v = 0;
	uint64_t r = 0;
	for (int b = 0; b < bits; ++b, r >>= 16) {
		if (b % 4 == 0)
			r = random64(i * 8 + b / 4);
		const uint32_t x = r & 0xffff;
		u = 2 * u + (x >= ab);
		v = 2 * v + ((x >= a && x < ab) || x >= abc);
	}
	return {(int)shuffle(u, bits), (int)shuffle(v, bits)};
}

static Graph from_edges(int n, const std::vector<Edge> &edges)
{
	Graph g;
	g.n = n;
	g.row.assign(n + 2, 0);
	g.col.resize(edges.size());
	for (const Edge &e : edges)
		g.row[e.from + 2]++;
	for (int v = 0; v < n; ++v)
		g.row[v + 2] += g.row[v + 1];
	for (const Edge &e : edges)
		g.col[g.row[e.from + 1]++] = e.to;      // leaves the end of v's row in row[v + 1]
	return g;
}

static Graph rmat(int bits, size_t m)
{
	std::vector<Edge> edges(m);
	std::vector<std::thread> team;
	const size_t share = m / std::max(1u, std::thread::hardware_concurrency()) + 1;
	for (size_t from = 0; from < m; from += share)
		team.emplace_back([&edges, from, to = std::min(m, from + share), bits] {
			for (size_t i = from; i < to; ++i)
				edges[i] = rmat_edge(i, bits);
		});
	for (std::thread &t : team)
		t.join();
	return from_edges(1 << bits, edges);
}

static Graph grid(int side)
{
	std::vector<Edge> edges;
	for (int v = 0; v < side * side; ++v)
		for (int down = 0; down < 2; ++down) {
			if ((down ? v / side : v % side) + 1 == side || random64(2 * (uint64_t)v + down) % 4 == 0)
				continue;
			const int u = v + (down ? side : 1);
			edges.push_back({v, u});
			edges.push_back({u, v});
		}
	return from_edges(side * side, edges);
}

static std::vector<int> bfs_on_cpu(const Graph &g, int source)
{
	std::vector<int> level(g.n, UNREACHED), queue{source};
	level[source] = 0;
	for (size_t i = 0; i < queue.size(); ++i) {
		const int v = queue[i];
		for (int e = g.row[v]; e < g.row[v + 1]; ++e)
			if (level[g.col[e]] == UNREACHED) {
				level[g.col[e]] = level[v] + 1;
				queue.push_back(g.col[e]);
			}
	}
	return level;
}

// ---- one search on the GPU ---------------------------------------------------------------------------------------------
struct DeviceGraph { int n, *row, *col, *level, *changed; };

template <class T> static T *to_device(const std::vector<T> &v)
{
	void *p;
	CHECK(cudaMalloc(&p, v.size() * sizeof(T)));
	CHECK(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
	return static_cast<T *>(p);
}

// Returns the ms spent in the kernels; *levels is the number of launches.
static float search(const DeviceGraph &d, int source, int blocks, int threads, int *levels)
{
	cudaEvent_t start, stop;
	float total = 0, ms;
	int changed = 1;

	CHECK(cudaEventCreate(&start));
	CHECK(cudaEventCreate(&stop));
	std::vector<int> level(d.n, UNREACHED);
	level[source] = 0;
	CHECK(cudaMemcpy(d.level, level.data(), d.n * sizeof(int), cudaMemcpyHostToDevice));
	for (*levels = 0; changed; ++*levels) {
		CHECK(cudaMemset(d.changed, 0, sizeof(int)));
		CHECK(cudaEventRecord(start));
		bfs_level<<<blocks, threads>>>(d.n, *levels, d.level, d.row, d.col, d.changed);
		CHECK(cudaGetLastError());
		CHECK(cudaEventRecord(stop));
		CHECK(cudaMemcpy(&changed, d.changed, sizeof(int), cudaMemcpyDeviceToHost));
		CHECK(cudaEventElapsedTime(&ms, start, stop));
		total += ms;
	}
	CHECK(cudaEventDestroy(start));
	CHECK(cudaEventDestroy(stop));
	return total;
}

// ---- command line ------------------------------------------------------------------------------------------------------
struct Options {
	int scale = 16, side = 0, blocks = 0, reps = 3;
	size_t edges = 0;
	std::vector<int> threads;
};

static void usage()
{
	fprintf(stderr, "usage: bfs [--scale N] [--edges M] [--grid N] [--threads T,T,...] [--blocks B] [--reps R]\n");
	exit(2);
}

static Options parse(int argc, char **argv)
{
	Options o;
	for (int i = 1; i + 1 < argc; i += 2) {
		const std::string name = argv[i];
		char *end = argv[i + 1];
		const long long x = strtoll(end, &end, 10);
		if (x < 1 || (*end && name != "--threads"))
			usage();
		else if (name == "--scale" && x <= 28)
			o.scale = (int)x;
		else if (name == "--edges" && x <= INT32_MAX)
			o.edges = (size_t)x;
		else if (name == "--grid" && x <= 32768)
			o.side = (int)x;
		else if (name == "--blocks" && x <= INT32_MAX)
			o.blocks = (int)x;
		else if (name == "--reps" && x <= 1000)
			o.reps = (int)x;
		else if (name == "--threads")
			for (char *s = argv[i + 1]; *s; s = *end ? end + 1 : end) {
				o.threads.push_back((int)strtol(s, &end, 10));
				if (end == s || o.threads.back() < 1 || o.threads.back() > 1024 || (*end && *end != ','))
					usage();
			}
		else
			usage();
	}
	if (argc % 2 == 0)
		usage();
	if (o.threads.empty())
		o.threads = {256};
	if (!o.edges)
		o.edges = std::min<size_t>((size_t)16 << o.scale, INT32_MAX);
	return o;
}

int main(int argc, char **argv)
{
	const Options o = parse(argc, argv);
	const Graph g = o.side ? grid(o.side) : rmat(o.scale, o.edges);

	// A source from the middle that is neither a leaf nor one of the vertices with the highest degrees.
	int source = o.side ? g.n / 2 + o.side / 2 : 0;
	while (source < g.n - 1 && g.row[source + 1] - g.row[source] < (o.side ? 3 : 16))
		++source;
	const std::vector<int> want = bfs_on_cpu(g, source);
	size_t reached = 0, edges = 0;
	for (int v = 0; v < g.n; ++v)
		if (want[v] != UNREACHED)
			++reached, edges += g.row[v + 1] - g.row[v];
	printf("%s: %d vertices, %zu edges; from vertex %d %zu vertices are reached, over %zu edges\n",
	       o.side ? "grid" : "R-MAT", g.n, g.col.size(), source, reached, edges);

	const DeviceGraph d = {g.n, to_device(g.row), to_device(g.col), to_device(want), to_device(std::vector<int>(1))};
	bool ok = true;
	printf("threads  blocks  levels         ms  Medges/s  result\n");
	for (int threads : o.threads) {
		int blocks = o.blocks, sms, levels = 0;
		if (!blocks) {
			CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, bfs_level, threads, 0));
			CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
			blocks *= sms;
		}
		float best = 1e30f;
		std::vector<int> got(g.n);
		bool right = true;
		for (int r = 0; r < o.reps; ++r) {
			best = std::min(best, search(d, source, blocks, threads, &levels));
			CHECK(cudaMemcpy(got.data(), d.level, g.n * sizeof(int), cudaMemcpyDeviceToHost));
			right = right && got == want;
		}
		printf("%7d %7d %7d %10.3f %9.0f  %s\n", threads, blocks, levels, best, edges / best / 1000,
		       right ? "ok" : "WRONG");
		ok = ok && right;
	}
	for (int *p : {d.row, d.col, d.level, d.changed})
		CHECK(cudaFree(p));
	return ok ? 0 : 1;
}
// SPDX-License-Identifier: MIT
