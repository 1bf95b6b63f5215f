// Loops inside the annotated one that could be mistaken for it: no path of theirs is collected.
#define WORK(x) for (int k = 0; k < 20; k++) x = x * 1664525u + 1013904223u

// The inner loop starts the body, and only its condition follows it: one PTX header would do for both.
__global__ void same_header(int n, const unsigned *in, unsigned *out)
{
	unsigned t = blockIdx.x * blockDim.x + threadIdx.x, c = 0, s;
	if (t >= n)
		return;
	#pragma ccc for
	while (c < 40) {
		do {
			s = in[t + c] * 2654435761u;
			c++;
			#pragma ccc if
			if (s >> 31) {
				unsigned x = out[t];
				WORK(x);
				out[t] = x;
			}
		} while (s & 0x30000);
	}
}

// The annotated loop runs once and is optimised away; the inner one remains.
template<int N> __device__ __forceinline__ void rounds(int n, unsigned t, const unsigned *in, unsigned *out)
{
	#pragma ccc for
	for (int r = 0; r < N; r++)
		for (int i = 0; i < n; i++) {
			#pragma ccc if
			if (in[t + i] >> 31) {
				unsigned x = out[t];
				WORK(x);
				out[t] = x;
			}
		}
}
__global__ void once(int n, const unsigned *in, unsigned *out) { rounds<1>(n, blockIdx.x * blockDim.x + threadIdx.x, in, out); }
// SPDX-License-Identifier: MIT
