// SPDX-License-Identifier: MIT
// Sparse matrix-vector product, one thread per row. The rows differ in length, so in the inner loop
// a warp waits for its longest row. `for var` says that the inner iterations are independent: ptxccc
// places the iterations of all lanes' rows end to end over the lanes (policy expand).
//
// Where the rows of a warp have similar lengths, that would cost more than it gains:
// `expand(choose)` checks in each round, and lanes then run their own rows. Half of this matrix is
// such a case: the upper rows hold 8 values each, the lower ones 1 to a thousand.
//
// The sum is live out of the inner loop: each lane receives the partial sums that others computed.
// That changes the order of floating-point additions, which the clause `reduction(+: sum)` allows.
//
//	cccnvcc -O3 -std=c++17 -arch=native spmv.cu -o spmv
//	spmv [--rows N] [--blocks B]            2^22 rows by default

#include "sample.cuh"

struct Matrix { std::vector<int> row, column; std::vector<float> value; };

__global__ void multiply(
	int n, const int *row, const int *column, const float *value, const float *x, float *y)
{
	#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		const int end = row[i + 1];
		float sum = 0;
		#pragma ccc for var policy(expand(choose)) reduction(+: sum)
		for (int k = row[i]; k < end; ++k)
			sum += value[k] * x[column[k]];
		y[i] = sum;
	}
}

static Matrix make_matrix(int n)
{
	Matrix m;
	m.row.push_back(0);
	for (int i = 0; i < n; ++i) {
		const int length = i < n / 2 ? 8 : (int)(1.2f / (0.001f + random01(i)));
		for (int k = 0; k < length; ++k) {
			m.column.push_back((int)(random32(31 * i + k) % (unsigned)n));
			m.value.push_back(random01(77 * i + k));
		}
		m.row.push_back((int)m.column.size());
	}
	return m;
}

int main(int argc, char **argv)
{
	int n = 1 << 22;
	read_options(argc, argv, {{"rows", &n}});
	const Matrix m = make_matrix(n);
	std::vector<float> vector(n);
	for (int i = 0; i < n; ++i)
		vector[i] = random01(i + 12345);

	Array<int> row(m.row), column(m.column);
	Array<float> value(m.value), x(vector), y(n);
	const int blocks = resident_blocks(multiply, 256);
	const float ms = best_ms([&] { y.fill(0xff); },
		[&] { multiply<<<blocks, 256>>>(n, row, column, value, x, y); });

	const std::vector<float> got = y.host();
	bool ok = true;
	for (int i = 0; i < n; ++i) {
		double want = 0;
		for (int k = m.row[i]; k < m.row[i + 1]; ++k)
			want += (double)m.value[k] * vector[m.column[k]];
		ok = ok && close_to(got[i], want, 1e-4);
	}
	return result(ok, ms, "%d rows, %zu values", n, m.value.size());
}
