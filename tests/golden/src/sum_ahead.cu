// SPDX-License-Identifier: MIT
// A path with a floating-point sum, which cannot be collected without a clause: lanes look ahead, and the report names the clause.
__global__ void sum_ahead(int n, const int *row, const float *x, const float *y, float *out)
{
	int u = blockIdx.x * blockDim.x + threadIdx.x;
	if (u >= n) return;
	float acc = 0;
	#pragma ccc for
	for (int e = row[u]; e < row[u + 1]; e++) {
		float v = x[e];
		#pragma ccc if
		if (v > 0.9f) {
			float w = v;
			for (int j = 0; j < 16; j++) w = sqrtf(w + y[j]) / (v + j);
			acc += w;
		}
	}
	out[u] = acc;
}
