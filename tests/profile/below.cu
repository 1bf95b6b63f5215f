// SPDX-License-Identifier: MIT
// A loop whose code starts far below the annotation. The profile of the program without annotations has the line of that code.
__global__ void rows(const int *row, const float *v, const int *col, const float *x, float *y, int n)
{
#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		float s = 0;
		int e = row[i + 1];
		int k = row[i];
#pragma unroll 1
#pragma ccc while
		for (;;) {
			// A row
			// has
			// columns
			// and values.
			int c = col[k];
			float w = v[k];
			s += w * x[c];
			s += 1.0f;
			if (++k >= e)
				break;
		}
		y[i] = s;
	}
}
