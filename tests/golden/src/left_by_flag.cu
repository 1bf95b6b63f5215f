// Loops that exit when memory changes: changed by lanes that leave, or by the path. And a counting loop, which is not such a loop.
#define WORK(x) for (int k = 0; k < 20; k++) x = x * 1664525u + 1013904223u

__global__ void found_on_the_way_out(const unsigned *in, unsigned key, volatile int *done, unsigned *where, unsigned *out)
{
	#pragma ccc for
	for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x;; i += gridDim.x * blockDim.x) {
		if (*done)
			break;
		unsigned x = in[i];
		if (x == key) {
			*where = i;
			*done = 1;
			break;
		}
		#pragma ccc if
		if (x >> 31) {
			WORK(x);
			out[i] = x;
		}
	}
}

__global__ void found_in_the_path(const unsigned *in, unsigned key, int *done, unsigned *where)
{
	#pragma ccc for
	for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; !atomicAdd(done, 0); i += gridDim.x * blockDim.x) {
		unsigned x = in[i];
		#pragma ccc if
		if (x >> 31) {
			WORK(x);
			if (x == key) {
				atomicMin(where, i);
				atomicExch(done, 1);
			}
		}
	}
}

__global__ void counted(int n, const unsigned *in, int *next, unsigned *out)
{
	#pragma ccc for
	for (int i; (i = atomicAdd(next, 1)) < n;) {
		unsigned x = in[i];
		#pragma ccc if
		if (x >> 31) {
			WORK(x);
			out[i] = x;
		}
	}
}
// SPDX-License-Identifier: MIT
