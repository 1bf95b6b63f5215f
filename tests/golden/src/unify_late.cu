// SPDX-License-Identifier: MIT
// Code after a unified branch that writes memory: look-ahead iterations omit it, if each iteration takes one of the sides.
#define FOR_ALL \
	_Pragma("ccc for") \
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)

static __device__ __forceinline__ int side(int x, int n)
{
#pragma unroll 1
	for (int k = 0; k < n; ++k)
		x = 0xffff & (x * x + x + k);
	return x;
}

// a store of the result
extern "C" __global__ void settles(const int *in, int *out, int *more, int n)
{
	FOR_ALL {
		int y;
		#pragma ccc unify
		if (in[i] & 8)
			y = side(i, 9);
		else
			y = side(i + 1, 7) ^ 5;
		out[i] = y;
	}
}

// several statements, an atomic addition, and a load that only they need
extern "C" __global__ void settles_more(const int *in, int *out, int *more, int n)
{
	FOR_ALL {
		int y, z = 3;
		#pragma ccc unify
		if (in[i] & 8) {
			y = side(i, 9);
			z = y & 3;
		} else
			y = side(i + 1, 7) ^ 5;
		float f = y * 0.5f + z;
		out[i] = (int)(f * 3) + in[i];
		atomicAdd(&more[y & 7], z);
	}
}

// in a loop with its test at the top, left early
extern "C" __global__ void left_early(const int *in, int *out, int *more, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	#pragma ccc for
	while (i < n) {
		int v = in[i], y;
		if (v % 61 == 60)
			break;
		#pragma ccc unify
		if (v & 8)
			y = side(i, 9);
		else
			y = side(i + 1, 7);
		out[i] = y + v;
		i += gridDim.x * blockDim.x;
	}
	more[threadIdx.x & 7] = 1;
}

// refused: an iteration may take neither side
extern "C" __global__ void neither(const int *in, int *out, int *more, int n)
{
	FOR_ALL {
		int y = 1;
		if (in[i] & 16) {
			#pragma ccc unify
			if (in[i] & 8)
				y = side(i, 9);
			else
				y = side(i + 1, 7);
		}
		out[i] = y;
	}
}

// refused: the next iteration needs the result
extern "C" __global__ void carries(const int *in, int *out, int *more, int n)
{
	int last = 0;
	FOR_ALL {
		int y;
		#pragma ccc unify
		if (in[i] & 8)
			y = side(i, 9);
		else
			y = side(i + 1, 7);
		last = y ^ last * 3;
		out[i] = last;
	}
}

// refused: the test reads what earlier iterations may have written, as far as can be seen
extern "C" __global__ void reads(const int *in, int *out, int *more, int n)
{
	FOR_ALL {
		int y;
		#pragma ccc unify
		if (out[i] & 8)
			y = side(i, 9);
		else
			y = side(i + 1, 7);
		out[i] = y;
	}
}
