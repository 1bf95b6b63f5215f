// SPDX-License-Identifier: MIT
// Label propagation on a graph in CSR form. The inner loop loads row[v + 1] again after each store.
__global__ void labels(const int *row, const int *col, int *label, int n)
{
	for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < n; v += gridDim.x * blockDim.x) {
		const int own = label[v];
#pragma unroll 1
		for (int e = row[v]; e < row[v + 1]; e++)
			if (label[col[e]] > own)
				label[col[e]] = own;
	}
}
