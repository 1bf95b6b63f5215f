// SPDX-License-Identifier: MIT
// Reductions of the loop: a sum and a maximum; a floating-point sum with a clause, and one without.
__device__ unsigned work(unsigned x)
{
	while (x % 9)
		x = x * 0x85ebca6bu >> 3;
	return x;
}

__global__ void sums(unsigned n, const unsigned *in, unsigned *out)
{
	unsigned s = 0, most = 0;
#pragma ccc for threads(256)
	for (unsigned i = threadIdx.x; i < n; i += blockDim.x) {
#pragma ccc if
		if (in[i] & 1) {
			const unsigned x = work(in[i]);
			s += x;
			most = max(most, x);
		}
	}
	out[threadIdx.x] = s + most;
}

__global__ void floats(unsigned n, const float *in, float *out)
{
	float s = 0, t = 0;
#pragma ccc for
	for (unsigned i = threadIdx.x; i < n; i += blockDim.x) {
#pragma ccc if reduction(+: s)
		if (in[i] > 1)
			s += in[i] / work(i);
	}
#pragma ccc for
	for (unsigned i = threadIdx.x; i < n; i += blockDim.x) {
#pragma ccc if
		if (in[i] > 1)
			t += in[i] / work(i);
	}
	out[threadIdx.x] = s + t;
}

__global__ void read_in_loop(unsigned n, const unsigned *in, unsigned *out)
{
	unsigned s = 0;
#pragma ccc for
	for (unsigned i = threadIdx.x; i < n; i += blockDim.x) {
#pragma ccc if
		if (in[i] & 1)
			s += work(in[i]);
		out[i] = s;
	}
}
