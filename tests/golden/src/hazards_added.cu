// Atomic additions in the path and outside of it: uses of their results.
#define STRIDE(i) for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
#define WORK(x) for (int k = 0; k < 20; k++) x = x * 1664525u + 1013904223u

__global__ void looked_at(int n, const unsigned *in, unsigned *sum, unsigned *out)
{
	#pragma ccc for
	STRIDE(i) {
		#pragma ccc if
		if (in[i] >> 31) {
			unsigned x = in[i];
			WORK(x);
			atomicAdd(&sum[i], x);
		}
		out[i] = atomicAdd(&sum[i], 1);
	}
}

__global__ void loaded(int n, const unsigned *in, unsigned *sum, unsigned *out)
{
	#pragma ccc for
	STRIDE(i) {
		#pragma ccc if
		if (in[i] >> 31) {
			unsigned x = in[i];
			WORK(x);
			atomicAdd(&sum[i], x);
		}
		out[i] = atomicAdd(&sum[i], 0);
	}
}

__global__ void loaded_by_the_path(int n, const unsigned *in, unsigned *sum, unsigned *out)
{
	#pragma ccc for
	STRIDE(i) {
		#pragma ccc if
		if (in[i] >> 31) {
			unsigned x = atomicAdd(&sum[i], 0);
			WORK(x);
			out[i] = x;
		}
		atomicAdd(&sum[i], in[i]);
	}
}

__global__ void loaded_by_the_path_cas(int n, const unsigned *in, unsigned *sum, unsigned *out)
{
	#pragma ccc for
	STRIDE(i) {
		atomicAdd(&sum[i], in[i]);
		#pragma ccc if
		if (in[i] >> 31) {
			unsigned x = atomicCAS(&sum[i], 0, 0);
			WORK(x);
			out[i] = x;
		}
	}
}

__global__ void slots_behind(int n, const unsigned *in, unsigned *count, unsigned *out)
{
	#pragma ccc for
	STRIDE(i) {
		#pragma ccc if
		if (in[i] >> 31) {
			unsigned x = in[i];
			WORK(x);
			out[atomicAdd(count, 1)] = x;
		}
		if (in[i] & 1)
			out[atomicAdd(count, 1)] = i;
	}
}

// No warnings for these: each slot is given out once, each sum is complete at the end, and loads change nothing.
__global__ void slots(int n, const unsigned *in, unsigned *count, unsigned *out)
{
	#pragma ccc for
	STRIDE(i) {
		#pragma ccc if
		if (in[i] >> 31) {
			unsigned x = in[i];
			WORK(x);
			out[atomicAdd(count, 1)] = x;
		}
	}
}
__global__ void slots_and_sum(int n, const unsigned *in, unsigned *count, unsigned *out)
{
	#pragma ccc for
	STRIDE(i) {
		#pragma ccc if
		if (in[i] >> 31) {
			unsigned x = in[i];
			WORK(x);
			out[atomicAdd(count, 1)] = x;
		}
		atomicAdd(count, 2);
	}
}
__global__ void slots_in_front(int n, const unsigned *in, unsigned *count, unsigned *out)
{
	#pragma ccc for
	STRIDE(i) {
		if (in[i] & 1)
			out[atomicAdd(count, 1)] = i;
		#pragma ccc if
		if (in[i] >> 31) {
			unsigned x = in[i];
			WORK(x);
			out[atomicAdd(count, 1)] = x;
		}
	}
}
__global__ void only_loads(int n, const unsigned *in, unsigned *seen, unsigned *out, unsigned *other)
{
	#pragma ccc for
	STRIDE(i) {
		#pragma ccc if
		if (in[i] >> 31) {
			unsigned x = atomicAdd(&seen[i], 0);
			WORK(x);
			out[i] = x;
		}
		other[i] = atomicAdd(&seen[i], 0) + atomicCAS(&seen[i], 0, 0);
	}
}
__global__ void word_given(int n, const unsigned *in, unsigned *count, unsigned *out)
{
	#pragma ccc for independent
	STRIDE(i) {
		#pragma ccc if
		if (in[i] >> 31) {
			unsigned x = in[i];
			WORK(x);
			out[atomicAdd(count, 1)] = x;
		}
		if (in[i] & 1)
			out[atomicAdd(count, 1)] = i;
	}
}
// SPDX-License-Identifier: MIT
