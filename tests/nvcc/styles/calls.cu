// SPDX-License-Identifier: MIT
#include "work.cuh"
// A loop whose condition calls a function; a condition that is an inlined predicate.
__global__ void calls(const float *in, float *out, int n)
{
	for (int i = threadIdx.x; i < n; i += blockDim.x) {
		float x = in[i];
		while (is_large(x,
			in[i + n]))
		{
			x = work(x) -
				work(x * 0.5f);
		}
		if (is_large(x, 0.25f))
			x = work(work(x));
		out[i] = x;
	}
}
