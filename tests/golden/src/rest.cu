// SPDX-License-Identifier: MIT
// The rest of the iteration reads what the path computes: the task runs it too, unless the loop carries its result or exits by it.
__device__ unsigned work(unsigned x)
{
	while (x % 9)
		x = x * 0x85ebca6bu >> 3;
	return x;
}

__global__ void stored(unsigned n, const unsigned *in, unsigned *out)
{
#pragma ccc for
	for (unsigned i = threadIdx.x; i < n; i += blockDim.x) {
		unsigned r = i;
#pragma ccc if
		if (in[i] & 1)
			r = work(in[i]);
		if (r & 4)
			out[n + i] = 1;
		out[i] = r;
	}
}

__global__ void goes_on(unsigned n, const unsigned *in, unsigned *out)
{
	unsigned r = 5;
#pragma ccc for
	for (unsigned i = threadIdx.x; i < n; i += blockDim.x) {
#pragma ccc if
		if (in[i] & 1)
			r = work(in[i] + r);
		out[i] = r;
	}
}

__global__ void left(unsigned n, const unsigned *in, unsigned *out)
{
#pragma ccc for
	for (unsigned i = threadIdx.x; i < n; i += blockDim.x) {
		unsigned r = i;
#pragma ccc if
		if (in[i] & 1)
			r = work(in[i]);
		if (r == 7)
			break;
		out[i] = r;
	}
}
