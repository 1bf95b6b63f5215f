// SPDX-License-Identifier: MIT
// Counts the solutions of the n-queens problem: the host places the first rows, and a thread
// completes one placement by backtracking with bit masks and a stack. In data set b the threads of
// a warp have the same placement.
#include "unseen.h"

#define MAX_ROWS 20

struct Placement {
	unsigned columns, left, right; // attacked squares of the next row
};

__global__ void
solve(int n, int placed, const Placement *__restrict__ placements, int count, unsigned *solutions,
	unsigned *nodes)
{
	int id = blockIdx.x * blockDim.x + threadIdx.x;
	if (id >= count)
		return;
	const unsigned full = (1u << n) - 1;
	Placement p = placements[id];
	unsigned columns[MAX_ROWS], left[MAX_ROWS], right[MAX_ROWS], free[MAX_ROWS];
	int depth = 0, rows = n - placed;
	unsigned found = 0, visited = 0;
	columns[0] = p.columns;
	left[0] = p.left;
	right[0] = p.right;
	free[0] = full & ~(p.columns | p.left | p.right);
	while (depth >= 0) {
		unsigned choices = free[depth];
		if (choices == 0) {
			depth--;
			continue;
		}
		unsigned bit = choices & -choices;
		free[depth] = choices ^ bit;
		visited++;
		if (depth == rows - 1) {
			found++;
			continue;
		}
		columns[depth + 1] = columns[depth] | bit;
		left[depth + 1] = (left[depth] | bit) << 1 & full;
		right[depth + 1] = (right[depth] | bit) >> 1;
		depth++;
		free[depth] = full & ~(columns[depth] | left[depth] | right[depth]);
	}
	solutions[id] = found;
	nodes[id] = visited;
}

// All ways to place queens in the first rows.
static void
place(int n, int rows, Placement p, std::vector<Placement> &list)
{
	unsigned full = (1u << n) - 1;
	if (rows == 0) {
		list.push_back(p);
		return;
	}
	for (unsigned free = full & ~(p.columns | p.left | p.right); free; free &= free - 1) {
		unsigned bit = free & -free;
		place(n, rows - 1, { p.columns | bit, (p.left | bit) << 1 & full, (p.right | bit) >> 1 }, list);
	}
}

int
main(int argc, char **argv)
{
	Options options(argc, argv);
	int n = options.scale >= 1 ? 14 : options.scale >= 0.1 ? 12 : 9, placed = options.scale >= 0.1 ? 5 : 3;
	std::vector<Placement> list;
	place(n, placed, { 0, 0, 0 }, list);
	int count = (int)list.size();
	if (!options.divergent) {
		std::vector<Placement> all = list;
		for (int i = 0; i < count; i++)
			list[i] = all[(size_t)(i / 32 * 32)];
	}
	Placement *placements = to_device(list);
	unsigned *solutions = device_zeros<unsigned>(count), *nodes = device_zeros<unsigned>(count);
	double ms = time_ms(options, [&] {
		solve<<<blocks_for(count, 128), 128>>>(
			n, placed, placements, count, solutions, nodes);
	});
	if (options.divergent) {
		unsigned total = 0;
		for (unsigned s : to_host(solutions, count))
			total += s;
		if (total != (n == 14 ? 365596 : n == 12 ? 14200 : 352)) {
			fprintf(stderr, "nqueens: %u solutions for n = %d\n", total, n);
			return 1;
		}
	}
	Checksum sum;
	sum.device(solutions, count);
	sum.device(nodes, count);
	return report(sum, ms);
}
