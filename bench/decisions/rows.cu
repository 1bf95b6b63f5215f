// SPDX-License-Identifier: MIT
// Sparse matrix by vector, one row a thread in a loop over rows. Integer values, so that the order of
// a sum does not matter.
//
// data a: the rows of a warp have the same length, those of other warps another: 1 to 64 entries
// data b: rows of 2 to 6 entries
// data c: a power law
//
// plan 0: for, for var
// plan 1: expand(choose)
// plan 2: expand
// plan 3: flatten
#include "plans.h"

__global__ void
multiply(int rows, const int *__restrict__ row, const int *__restrict__ col, const int *__restrict__ value,
	const int *__restrict__ x, int *__restrict__ y)
{
	PLANS(for, for, for, for)
	for (int r = blockIdx.x * blockDim.x + threadIdx.x; r < rows; r += gridDim.x * blockDim.x) {
		int sum = 0;
		const int end = row[r + 1];
		PLANS(for var, for var policy(expand(choose)), for var policy(expand), for var policy(flatten))
		for (int k = row[r]; k < end; k++)
			sum += value[k] * x[col[k]];
		y[r] = sum;
	}
}

int
main(int argc, char **argv)
{
	Options options(argc, argv, 'c');
	const int rows = options.size(options.data == 'a' ? 1 << 19 : options.data == 'b' ? 1 << 22 : 1 << 20);
	Rng rng(4);
	Graph g = random_graph(rows, 9, options.data == 'c', 4);
	if (options.data != 'c') {
		g.row.assign(rows + 1, 0);
		int length = 1;
		for (int r = 0; r < rows; r++) {
			if (r % 32 == 0)
				length = 1 + rng.below(64);
			g.row[r + 1] = g.row[r] + (options.data == 'a' ? length : 2 + (int)rng.below(5));
		}
		g.col.resize(g.row[rows]);
		for (int &c : g.col)
			c = rng.below(rows);
	}
	std::vector<int> values(g.edges()), xs(rows);
	for (int &v : values)
		v = (int)rng.below(100) - 50;
	for (int &x : xs)
		x = (int)rng.below(1000);
	int *row = to_device(g.row), *col = to_device(g.col), *value = to_device(values), *x = to_device(xs);
	int *y = device_zeros<int>(rows);
	double ms = time_ms(options, [&] {
		multiply<<<loop_blocks(rows, 256), 256>>>(rows, row, col, value, x, y);
	});
	Checksum sum;
	sum.device(y, rows);
	return report(sum, ms);
}
