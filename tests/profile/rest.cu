// SPDX-License-Identifier: MIT
// The rest of an iteration as a path, with a second branch as near to the annotation as the first. The profile of the program without
// annotations has the path at the first branch.
__global__ void probe(const int *head, const int *next, const int *key, const int *base, int *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, best = 0;
	if (i >= n)
		return;
#pragma ccc for
	for (int k = head[i]; k < n; k = 1 + next[k]) {
		if (key[k] != 1)
			continue;
#pragma ccc path
		{
			int q = k;
			while (q < n && base[q] != (i & 3))
				q += 7;
			best = max(best, q);
		}
	}
	out[i] = best;
}
