// SPDX-License-Identifier: MIT
#include "work.cuh"
// Macros: a loop's head, a whole statement, two statements on one line, and a statement inside.
#define EACH(i, n) for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
#define CHECK(x) if (x > 0.95f) out[i] = work(x)
#define TWO(x) if (x > 0.9f) out[i] = work(x); if (x < 0.1f) out[i] = work(x + 1)
#define STORE(x) do { if (x > 0.75f) out[i] = work(x) * work(x + 1); } while (0)
__global__ void head(const float *in, float *out, int n)
{
	EACH(i, n) {
		float x = in[i];
		if (x > 0.5f)
			out[i] = work(x);
	}
}
__global__ void whole(const float *in, float *out, int n)
{
	EACH(i, n) {
		float x = in[i];
		CHECK(x);
	}
}
__global__ void two(const float *in, float *out, int n)
{
	EACH(i, n) {
		float x = in[i];
		TWO(x);
	}
}
__global__ void inside(const float *in, float *out, int n)
{
	EACH(i, n) {
		float x = in[i];
		STORE(x);
	}
}
