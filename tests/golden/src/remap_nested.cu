// SPDX-License-Identifier: MIT
// Branches nested in a remapped one: their leaves are paths.
__device__ __forceinline__ float grind(float v, float a, int n)
{
	#pragma unroll 1
	for (int k = 0; k < n; ++k)
		v = fmaf(v, a, 1.0f + k);
	return v;
}

// annotated, with code before the inner branch and after it, and a side without a statement
extern "C" __global__ void annotated(const int *kind, float *out, int n)
{
	int i = threadIdx.x, k = kind[i];
	float v = out[i], w = 0;
	#pragma ccc remap policy(partition)
	if (k & 1) {
		w = v + k;
		#pragma ccc remap
		if (k & 2)
			v = grind(v, 0.5f, n);
		else if (k & 4)
			v = grind(v, 0.25f, n);
		out[i + 1024] = w;
	} else {
		v = grind(v, 0.75f, n);
	}
	out[i] = v;
}

// three layers; threads that take no path
extern "C" __global__ void three(const int *kind, float *out, int n)
{
	int i = threadIdx.x, k = kind[i];
	#pragma ccc remap policy(dgi)
	if (k & 1) {
		#pragma ccc remap
		if (k & 2) {
			#pragma ccc remap
			if (k & 4)
				out[i] = grind(out[i], 0.5f, n);
			else
				out[i] = grind(out[i], 0.25f, n);
		} else {
			out[i] = grind(out[i], 0.125f, n);
		}
	}
}

// without an annotation, if the sides are long enough
extern "C" __global__ void by_cost(const int *kind, float *out, int n)
{
	int i = threadIdx.x, k = kind[i];
	#pragma ccc remap policy(partition)
	if (k & 1) {
		if (k & 2 && out[i] > 1)
			out[i] = grind(out[i], 0.5f, n);
		else
			out[i] = grind(out[i], 0.25f, n);
	} else {
		if (k & 4)
			out[i] *= 2;
		else
			out[i] *= 3;
	}
}

// left alone
extern "C" __global__ void off(const int *kind, float *out, int n)
{
	int i = threadIdx.x, k = kind[i];
	#pragma ccc remap policy(partition)
	if (k & 1) {
		#pragma ccc remap policy(none)
		if (k & 2)
			out[i] = grind(out[i], 0.5f, n);
		else
			out[i] = grind(out[i], 0.25f, n);
	} else {
		out[i] = grind(out[i], 0.75f, n);
	}
}

// two paths only
extern "C" __global__ void hot(const int *kind, float *out, int n)
{
	int i = threadIdx.x, k = kind[i];
	#pragma ccc remap policy(hot)
	if (k & 1) {
		#pragma ccc remap
		if (k & 2)
			out[i] = grind(out[i], 0.5f, n);
		else
			out[i] = grind(out[i], 0.25f, n);
	} else {
		out[i] = grind(out[i], 0.75f, n);
	}
}

// in a loop of a statement
extern "C" __global__ void in_loop(const int *kind, float *out, int n)
{
	int i = threadIdx.x, k = kind[i];
	#pragma ccc remap policy(partition)
	if (k & 1) {
		#pragma unroll 1
		for (int j = 0; j < n; ++j) {
			#pragma ccc remap
			if (k >> j & 2)
				out[i] = grind(out[i], 0.5f, n);
			else
				out[i] = grind(out[i], 0.25f, n);
		}
	} else {
		out[i] = grind(out[i], 0.75f, n);
	}
}

// the second one after the first one
extern "C" __global__ void twice(const int *kind, float *out, int n)
{
	int i = threadIdx.x, k = kind[i];
	#pragma ccc remap policy(partition)
	if (k & 1) {
		#pragma ccc remap
		if (k & 2)
			out[i] = grind(out[i], 0.5f, n);
		#pragma ccc remap
		if (out[i] > 1)
			out[i] = grind(out[i], 0.25f, n);
		else
			out[i] = grind(out[i], 0.125f, n);
	} else {
		out[i] = grind(out[i], 0.75f, n);
	}
}

// the code before the inner branch is left to the paths
extern "C" __global__ void deferred(const int *kind, float *out, int n)
{
	int i = threadIdx.x, k = kind[i];
	float v = out[i];
	#pragma ccc remap policy(partition)
	if (k & 1) {
		#pragma unroll
		for (int j = 0; j < 30; ++j)
			v = fmaf(v, 0.5f, v);
		out[i + 1024] = v;
		#pragma ccc remap
		if (k & 2)
			v = grind(v, 0.25f, n);
	} else {
		v = grind(v, 0.75f, n);
	}
	out[i] = v;
}
