// SPDX-License-Identifier: MIT
// Whether the loop ends depends on what one side computes: lanes that look ahead do not know it.
__global__ void leaves_by_a_result(int n, unsigned *out, const unsigned *in)
{
	unsigned t = threadIdx.x;
	#pragma ccc for
	for (int i = 0; i < n; i++) {
		unsigned v = in[t * 8 + i], s = v * 3;
		#pragma ccc unify policy(ahead(5))
		if (v & 1) {
			if (v & 2) s += v >> 7;
			out[t * 8 + i] = s * 5;
		} else {
			out[t * 8 + i] = s * 7;
		}
		if ((s >> 3) % 7 == 0) break;
	}
}
