// SPDX-License-Identifier: MIT
// Without the lines of the three annotations, the branch would be in the line of the loop, where the program without annotations has
// another one: the loop's guard. But the source had these lines.
#pragma ccc grid
__global__ void filter(const int *head, const int *key, int *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, best = 0;
	if (i >= n)
		return;
#pragma ccc for
	for (int k = head[i]; k < head[i + 1]; k++) {
		const int q = key[k];
#pragma ccc if
		if (q % 8 == 1) {
			int x = q;
			for (int r = 0; r < 40; r++)
				x = x * x + k;
			best = max(best, x);
		}
	}
	out[i] = best;
}
