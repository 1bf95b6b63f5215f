// SPDX-License-Identifier: MIT
// Shared by the programs of bench/unseen and bench/decisions: the command line
// `PROGRAM a|b [REPEAT [SCALE]]`, random numbers on the host, copies between host and device,
// timing, the checksum, and random graphs.
#ifndef UNSEEN_H
#define UNSEEN_H

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <vector>
#include <cuda_runtime.h>

inline void
unseen_check(cudaError_t error, const char *call)
{
	if (error == cudaSuccess)
		return;
	fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(error));
	exit(2);
}
#define CUDA_CHECK(call) unseen_check(call, #call)

// The arguments. `divergent` is true for data set a; the last data set is b unless the constructor
// gets another letter. SCALE, or UNSEEN_SCALE in the environment, multiplies the sizes.
struct Options {
	bool divergent;
	char data;
	int repeat = 5;
	double scale = 1;

	Options(int argc, char **argv, char last = 'b')
	{
		data = argc < 2 ? 0 : argv[1][0];
		if (argc < 2 || argc > 4 || data < 'a' || data > last || argv[1][1]) {
			fprintf(stderr, "usage: %s a..%c [REPEAT [SCALE]]\n", argv[0], last);
			exit(2);
		}
		divergent = data == 'a';
		const char *env = getenv("UNSEEN_SCALE");
		if (env)
			scale = atof(env);
		if (argc > 2)
			repeat = atoi(argv[2]);
		if (argc > 3)
			scale = atof(argv[3]);
		if (repeat < 1 || !(scale > 0)) {
			fprintf(stderr, "%s: REPEAT and SCALE are positive\n", argv[0]);
			exit(2);
		}
	}
	// n scaled, but at least `least`.
	int size(int n, int least = 256) const
	{
		return std::max(least, (int)(n * scale));
	}
	// The side of a square or a cube (dims 2, 3) whose scaled volume is n^dims * scale.
	int side(int n, int dims, int least = 16) const
	{
		return std::max(least, (int)(n * pow(scale, 1.0 / dims)));
	}
};

// splitmix64
struct Rng {
	uint64_t state;

	explicit Rng(uint64_t seed) : state(seed * 0x9e3779b97f4a7c15ull) {}
	uint64_t next()
	{
		uint64_t z = state += 0x9e3779b97f4a7c15ull;
		z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
		z = (z ^ z >> 27) * 0x94d049bb133111ebull;
		return z ^ z >> 31;
	}
	uint32_t below(uint32_t n) { return (uint32_t)((next() >> 32) * n >> 32); }
	double real() { return (next() >> 11) * 0x1p-53; }
	double real(double lo, double hi) { return lo + (hi - lo) * real(); }
};

inline int
blocks_for(size_t n, int threads)
{
	return (int)((n + threads - 1) / threads);
}

// n zeros on the device
template <class T> T *
device_zeros(size_t n)
{
	T *p;
	CUDA_CHECK(cudaMalloc(&p, n * sizeof(T)));
	CUDA_CHECK(cudaMemset(p, 0, n * sizeof(T)));
	return p;
}

template <class T> T *
to_device(const std::vector<T> &v)
{
	T *p;
	CUDA_CHECK(cudaMalloc(&p, v.size() * sizeof(T)));
	CUDA_CHECK(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
	return p;
}

template <class T> std::vector<T>
to_host(const T *p, size_t n)
{
	std::vector<T> v(n);
	CUDA_CHECK(cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
	return v;
}

// A checksum of the bytes of arrays, in their order.
struct Checksum {
	uint64_t h = 0xcbf29ce484222325ull;

	void word(uint64_t w)
	{
		h = (h ^ w) * 0x9fb21c651e98df25ull;
		h ^= h >> 32;
	}
	template <class T> void device(const T *p, size_t n)
	{
		std::vector<T> v = to_host(p, n);
		const char *bytes = (const char *)v.data();
		size_t length = n * sizeof(T), i = 0;
		for (; i < length; i += 8) {
			uint64_t w = 0;
			memcpy(&w, bytes + i, std::min<size_t>(8, length - i));
			word(w);
		}
		word(length);
	}
};

// The median of the times of launch() in milliseconds. reset() runs before each launch, untimed.
template <class Reset, class Launch> double
time_ms(const Options &options, Reset reset, Launch launch)
{
	cudaEvent_t start, stop;
	CUDA_CHECK(cudaEventCreate(&start));
	CUDA_CHECK(cudaEventCreate(&stop));
	std::vector<float> times;
	for (int i = 0; i <= options.repeat; i++) {
		reset();
		CUDA_CHECK(cudaEventRecord(start));
		launch();
		CUDA_CHECK(cudaGetLastError());
		CUDA_CHECK(cudaEventRecord(stop));
		CUDA_CHECK(cudaEventSynchronize(stop));
		float ms;
		CUDA_CHECK(cudaEventElapsedTime(&ms, start, stop));
		if (i > 0)
			times.push_back(ms);
	}
	std::sort(times.begin(), times.end());
	return times[times.size() / 2];
}

template <class Launch> double
time_ms(const Options &options, Launch launch)
{
	return time_ms(options, [] {}, launch);
}

inline int
report(const Checksum &sum, double ms)
{
	printf("check %016llx\nms %.3f\n", (unsigned long long)sum.h, ms);
	return 0;
}

// A graph in compressed sparse rows.
struct Graph {
	int n = 0;
	std::vector<int> row, col;

	int edges() const { return (int)col.size(); }
};

// n vertices with `degree` random neighbours each; if skewed, degrees follow a power law with
// about that mean, and vertices with small numbers are preferred as neighbours.
inline Graph
random_graph(int n, int degree, bool skewed, uint64_t seed)
{
	Graph g;
	Rng rng(seed);
	g.n = n;
	g.row.resize(n + 1, 0);
	for (int v = 0; v < n; v++) {
		double d = degree;
		if (skewed)
			d = std::min(degree * 64.0, degree * 0.37 * pow(1 - rng.real(), -0.66));
		g.row[v + 1] = g.row[v] + (int)d;
	}
	g.col.resize(g.row[n]);
	for (int &c : g.col) {
		double u = rng.real();
		c = std::min(n - 1, (int)((skewed ? u * sqrt(u) : u) * n));
	}
	return g;
}

// The same graph with each edge in both directions; rows sorted, without loops and duplicates.
inline Graph
symmetric(const Graph &g)
{
	std::vector<int> fill(g.n + 1, 0);
	for (int v = 0; v < g.n; v++)
		for (int e = g.row[v]; e < g.row[v + 1]; e++) {
			fill[v]++;
			fill[g.col[e]]++;
		}
	std::vector<int> at(g.n + 1, 0);
	for (int v = 0; v < g.n; v++)
		at[v + 1] = at[v] + fill[v];
	std::vector<int> both(at[g.n]), next(at.begin(), at.end() - 1);
	for (int v = 0; v < g.n; v++)
		for (int e = g.row[v]; e < g.row[v + 1]; e++) {
			both[next[v]++] = g.col[e];
			both[next[g.col[e]]++] = v;
		}
	Graph s;
	s.n = g.n;
	s.row.resize(g.n + 1, 0);
	s.col.reserve(both.size());
	for (int v = 0; v < g.n; v++) {
		std::sort(both.begin() + at[v], both.begin() + at[v + 1]);
		for (int e = at[v]; e < at[v + 1]; e++)
			if (both[e] != v && (e == at[v] || both[e] != both[e - 1]))
				s.col.push_back(both[e]);
		s.row[v + 1] = (int)s.col.size();
	}
	return s;
}

#endif
