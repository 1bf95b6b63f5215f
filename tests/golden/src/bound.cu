// Policies that move nothing between lanes. `rows` has no path; the path of `poles` has an inner loop; `sum`, in order, is live out of
// its path, and so is the minimum of `nearest`.
__global__ void rows(int n, const int *first, const int *a, int *b)
{
	#pragma ccc for policy(converge)
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		int s = 0;
		#pragma unroll 1
		for (int k = first[i]; k < first[i + 1]; ++k)
			s += a[k];
		b[i] = s;
	}
}

__global__ void poles(int n, const int *a, int *b)
{
	unsigned s = 0;
	#pragma ccc for policy(wait(8))
	for (int i = threadIdx.x; i < n; i += blockDim.x) {
		s = s * 5 + a[i];
		#pragma ccc if
		if (s % 7 == 0)
			for (; s % 11; ++s)
				atomicAdd(b, s);
	}
	b[threadIdx.x + 1] = s;
}

__global__ void half(int n, const int *a, int *b)
{
	unsigned s = 0;
	#pragma ccc for policy(majority)
	for (int i = threadIdx.x; i < n; i += blockDim.x) {
		s = s * 5 + a[i];
		#pragma ccc if
		if (s % 7 == 0)
			for (; s % 11; ++s)
				atomicAdd(b, s);
	}
	b[threadIdx.x + 1] = s;
}

__global__ void sum(int n, const float *a, float *b)
{
	float s = 0;
	#pragma ccc for policy(ahead(8))
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		#pragma ccc if
		if (a[i] > 0)
			s = sqrtf(s + a[i]) / a[i];
	b[threadIdx.x] = s;
}

__global__ void nearest(int n, const float *x, const float *y, int *b)
{
	float best = 1e30f;
	int which = -1;
	#pragma ccc for
	for (int i = 0; i < n; ++i) {
		float d = x[i] - y[threadIdx.x];
		#pragma ccc if
		if (d > 0) {
			float e = sqrtf(d) / (1 + sqrtf(d * 3)) + __expf(d);
			if (e < best)
				best = e, which = i;
		}
	}
	b[threadIdx.x] = which;
}
// SPDX-License-Identifier: MIT
