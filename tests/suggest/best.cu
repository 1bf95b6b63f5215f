// SPDX-License-Identifier: MIT
// Label propagation: each vertex takes the label with the largest weight among its neighbours. The loop is no reduction.
#include <cstdint>
__global__ void propagate(const uint32_t *__restrict__ row, const uint32_t *__restrict__ col, const float *__restrict__ weight, const uint32_t *__restrict__ label,
	uint32_t *__restrict__ next, uint32_t n)
{
	uint32_t v = blockIdx.x * blockDim.x + threadIdx.x;
	if (v >= n)
		return;
	uint32_t best = label[v];
	float most = 0;
	for (uint32_t e = row[v]; e < row[v + 1]; e++) {
		uint32_t l = label[col[e]];
		float score = weight[e] / (1.0f + fabsf((float)l - (float)label[v]) * 1e-3f);
		if (score > most) {
			most = score;
			best = l;
		}
	}
	next[v] = best;
}
