// SPDX-License-Identifier: MIT
// Loops that keep the best value and its place: `expand` says that one key of both is a reduction. With a key it is followed.

extern "C" __global__ void selected(const int *row, const float *w, int *out, int n)
{
#pragma ccc for
	for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < n; v += gridDim.x * blockDim.x) {
		float most = 0;
		int best = -1;
#pragma ccc for var policy(expand)
		for (int e = row[v]; e < row[v + 1]; e++)
			if (w[e] > most) {
				most = w[e];
				best = e;
			}
		out[v] = best;
	}
}

extern "C" __global__ void branched(const int *row, const int *col, const float *w, const int *label, int *out, int n)
{
#pragma ccc for
	for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < n; v += gridDim.x * blockDim.x) {
		float most = 0;
		int best = -1;
#pragma ccc for var policy(expand)
		for (int e = row[v]; e < row[v + 1]; e++)
			if (w[e] > most) {
				most = w[e];
				best = label[col[e]];
			}
		out[v] = best;
	}
}

extern "C" __global__ void least_of_integers(const int *row, const int *w, int *out, int n)
{
#pragma ccc for
	for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < n; v += gridDim.x * blockDim.x) {
		int least = 1 << 30, best = -1;
#pragma ccc for var policy(expand)
		for (int e = row[v]; e < row[v + 1]; e++)
			if (w[e] <= least) {
				least = w[e];
				best = e;
			}
		out[v] = best;
		out[v + n] = least;
	}
}

extern "C" __global__ void without_place(const int *row, const float *w, float *out, int n)
{
#pragma ccc for
	for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < n; v += gridDim.x * blockDim.x) {
		float least = 1e30f;
#pragma ccc for var policy(expand)
		for (int e = row[v]; e < row[v + 1]; e++)
			least = w[e] < least ? w[e] : least;
		out[v] = least;
	}
}

// No best value: the comparison is with a constant.
extern "C" __global__ void last(const int *row, const int *w, int *out, int n)
{
#pragma ccc for
	for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < n; v += gridDim.x * blockDim.x) {
		int best = -1;
#pragma ccc for var policy(expand)
		for (int e = row[v]; e < row[v + 1]; e++)
			if (w[e] > 5)
				best = e;
		out[v] = best;
	}
}

extern "C" __global__ void key_of_both(const int *row, const float *w, int *out, int n)
{
#pragma ccc for
	for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < n; v += gridDim.x * blockDim.x) {
		unsigned long long key = 0;
#pragma ccc for var policy(expand)
		for (int e = row[v]; e < row[v + 1]; e++)
			key = max(key, (unsigned long long)__float_as_uint(w[e]) << 32 | ~(unsigned)e);
		out[v] = key >> 32 ? (int)~(unsigned)key : -1;
	}
}

// The same in a path.
extern "C" __global__ void in_a_path(const float *w, int *out, int n)
{
	float most = 0;
	int best = -1;
#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
#pragma ccc if policy(stack)
		if (w[i] > 0.5f) {
			float v = w[i];
			for (int k = 0; k < 30; k++)
				v = v * 1.01f + __sinf(v);
			if (v > most) {
				most = v;
				best = i;
			}
		}
	}
	out[blockIdx.x * blockDim.x + threadIdx.x] = best;
}
