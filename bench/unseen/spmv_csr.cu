// SPDX-License-Identifier: MIT
// Sparse matrix by vector in compressed sparse rows, the scalar kernel: one row a thread. A few
// steps of a damped Jacobi iteration. Data set a has rows of a power law, b nine entries in each.
#include "unseen.h"

template <typename Index, typename Value> struct CsrMatrix {
	Index rows;
	const Index *start, *column;
	const Value *value;
};

template <typename Index, typename Value> __global__ void
spmv(CsrMatrix<Index, Value> a, const Value *__restrict__ x, Value *__restrict__ y)
{
	Index row = blockIdx.x * blockDim.x + threadIdx.x;
	if (row < a.rows) {
		Value sum = 0;
		for (Index k = a.start[row]; k < a.start[row + 1]; k++)
			sum += a.value[k] * x[a.column[k]];
		y[row] = sum;
	}
}

template <typename Index, typename Value>
__global__ void
jacobi(Index rows, const Value *__restrict__ b, const Value *__restrict__ diagonal,
	const Value *__restrict__ ax, Value *x, Value omega)
{
	Index row = blockIdx.x * blockDim.x + threadIdx.x;
	if (row >= rows)
		return;
	x[row] += omega * (b[row] - ax[row]) / diagonal[row];
}

int
main(int argc, char **argv)
{
	Options options(argc, argv);
	int rows = options.size(1 << 20);
	const int iterations = 5;
	Graph g;
	if (options.divergent) {
		g = random_graph(rows, 9, true, 37);
	} else { // nine diagonals
		g.n = rows;
		g.row.resize(rows + 1);
		for (int r = 0; r < rows; r++) {
			for (int k = -4; k <= 4; k++)
				g.col.push_back(std::min(std::max(r + k * 16, 0), rows - 1));
			g.row[r + 1] = g.edges();
		}
	}
	Rng rng(38);
	std::vector<double> values(g.edges()), b(rows), diagonal(rows, 1);
	for (double &v : values)
		v = rng.real(-1, 1);
	for (int r = 0; r < rows; r++) {
		b[r] = rng.real();
		for (int e = g.row[r]; e < g.row[r + 1]; e++)
			diagonal[r] += fabs(values[e]);
	}
	CsrMatrix<int, double> a = { rows, to_device(g.row), to_device(g.col), to_device(values) };
	double *d_b = to_device(b), *d_diagonal = to_device(diagonal),
	       *x = device_zeros<double>(rows), *ax = device_zeros<double>(rows);
	int blocks = blocks_for(rows, 256);
	double ms = time_ms(options, [&] { CUDA_CHECK(cudaMemset(x, 0, rows * sizeof(double))); }, [&] {
		for (int i = 0; i < iterations; i++) {
			spmv<<<blocks, 256>>>(a, x, ax);
			jacobi<<<blocks, 256>>>(rows, d_b, d_diagonal, ax, x, 0.7);
		}
	});
	Checksum sum;
	sum.device(x, rows);
	sum.device(ax, rows);
	return report(sum, ms);
}
