// SPDX-License-Identifier: MIT
// A loop in an inner loop that has another annotation than `for`.
extern "C" __global__ void in_while(int n, const int *in, int *out)
{
	#pragma ccc for
	for (int i = threadIdx.x; i < n; i += blockDim.x) {
		int v = in[i], sum = 0;
		#pragma ccc while policy(flatten)
		while (v != 1) {
			#pragma ccc while
			for (int k = v; k & 3; k = k * 3 >> 1)
				sum += k;
			v = v & 1 ? 3 * v + 1 : v / 2;
		}
		out[i] = sum;
	}
}
