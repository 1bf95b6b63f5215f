// SPDX-License-Identifier: MIT
// Shortest paths from one vertex to all others, in rounds: each vertex whose cost decreased offers
// its neighbours a lower one (Bellman-Ford, one thread per vertex).
//
// Two things leave lanes idle here: few vertices are marked in a round, and some of those have
// hundreds of neighbours. One annotation is enough for both: `for var` places the edges of all
// lanes' marked vertices end to end over the lanes. A lane whose vertex is not marked has no
// edges of its own, but visits those of others. The `if` needs no annotation.
//
// The effect of an edge is an atomicMin in memory: any lane can execute it, in any order, and the
// final costs are the same.
//
//	cccnvcc -O3 -std=c++17 -arch=native sssp.cu -o sssp
//	sssp [--vertices N] [--blocks B]        2^20 vertices by default

#include <queue>
#include "sample.cuh"

constexpr int FAR = 0x3f3f3f3f;         // greater than any cost; all bytes are equal, for memset

// The neighbours of v are column[row[v]] .. column[row[v + 1] - 1].
struct Graph { std::vector<int> row, column, weight; };

__global__ void relax(int n, const int *row, const int *column, const int *weight,
	const bool *marked, const int *cost, int *offer)
{
	#pragma ccc for
	for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < n; v += gridDim.x * blockDim.x) {
		if (marked[v]) {
			const int mine = cost[v], end = row[v + 1];
			#pragma ccc for var
			for (int e = row[v]; e < end; ++e)
				atomicMin(&offer[column[e]], mine + weight[e]);
		}
	}
}

// The second half of a round: stores the lower costs and marks their vertices.
__global__ void settle(int n, const int *offer, int *cost, bool *marked, int *changed)
{
	for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < n; v += gridDim.x * blockDim.x) {
		marked[v] = offer[v] < cost[v];
		if (marked[v]) {
			cost[v] = offer[v];
			*changed = 1;           // several threads may write it, all the same value
		}
	}
}

// Most vertices have few neighbours, some up to 300.
static Graph make_graph(int n)
{
	Graph g;
	g.row.push_back(0);
	for (int v = 0; v < n; ++v) {
		const int degree = (int)(3 / (0.01f + random01(v)));
		for (int k = 0; k < degree; ++k) {
			g.column.push_back((int)(random32(512 * v + k) % (unsigned)n));
			g.weight.push_back(1 + (int)(random32(512 * v + k + 99) & 63));
		}
		g.row.push_back((int)g.column.size());
	}
	return g;
}

static std::vector<int> dijkstra(const Graph &g)
{
	const int n = (int)g.row.size() - 1;
	std::vector<int> cost(n, FAR);
	std::priority_queue<std::pair<int, int>> queue;         // pairs of a negated cost and its vertex
	cost[0] = 0;
	for (queue.push({0, 0}); !queue.empty();) {
		const int c = -queue.top().first, v = queue.top().second;
		queue.pop();
		for (int e = g.row[v]; c == cost[v] && e < g.row[v + 1]; ++e)
			if (c + g.weight[e] < cost[g.column[e]]) {
				cost[g.column[e]] = c + g.weight[e];
				queue.push({-cost[g.column[e]], g.column[e]});
			}
	}
	return cost;
}

int main(int argc, char **argv)
{
	int n = 1 << 20, rounds = 0;
	read_options(argc, argv, {{"vertices", &n}});
	const Graph g = make_graph(n);
	std::vector<int> first(n, FAR);
	first[0] = 0;

	Array<int> row(g.row), column(g.column), weight(g.weight), cost(n), offer(n), changed(1);
	Array<bool> marked(n);
	const int blocks = resident_blocks(relax, 256);
	const float ms = best_ms([&] { cost.fill(FAR & 0xff), offer = first, rounds = 0; }, [&] {
		for (;; ++rounds) {
			changed.fill(0);
			settle<<<blocks, 256>>>(n, offer, cost, marked, changed);
			if (!changed.host()[0])
				break;
			relax<<<blocks, 256>>>(n, row, column, weight, marked, cost, offer);
		}
	});
	return result(cost.host() == dijkstra(g), ms, "%d vertices, %zu edges, %d rounds", n,
		g.column.size(), rounds);
}
