// SPDX-License-Identifier: MIT
// Edges that pass a cheap test. The stand-in for ptxas proves how the products are rounded, so the loop is selected; in the text with
// explicit products it is refused for its sums, and the branch in it was left for it.
__global__ void left(int n, const int *__restrict__ row, const int *__restrict__ col, const unsigned *__restrict__ sign,
	const float *__restrict__ x, float *__restrict__ y, int *__restrict__ kept, int most)
{
	const int u = blockIdx.x * blockDim.x + threadIdx.x;
	if (u >= n)
		return;
	const unsigned own = sign[u];
	float acc = 0, sum = 0;
	int k = 0;
	for (int e = row[u]; e < row[u + 1]; e++) {
		const int v = col[e];
		if (__popc(own ^ sign[v]) <= most) {
			const float w = powf(1.0f + x[v], 0.75f);
			acc = fmaf(w, x[v], acc);
			sum += w;
			k++;
		}
	}
	y[u] = sum > 0 ? acc / sum : x[u];
	kept[u] = k;
}
