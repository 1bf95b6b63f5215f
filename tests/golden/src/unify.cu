// Lanes order their iterations by the arm that they take; carried values belong to one arm. Refused: a value of both
// arms, a value of an arm whose iterations may run with the other's, policies without look-ahead, assigned iterations.
__device__ __forceinline__ int walk(int v, int left)
{
	#pragma unroll 1
	for (; left; --left)
		v = v * v + left;
	return v;
}

__global__ void sides(int n, const int *a, int *b)
{
	#pragma ccc for
	for (int i = threadIdx.x; i < n; i += blockDim.x) {
		#pragma ccc unify policy(ahead(16))
		if (a[i] & 4)
			b[i] = walk(i, a[i]);
		else
			b[i] = walk(a[i], i);
	}
}

__global__ void state(int n, const int *a, int *b)
{
	int s = 0, t = 1;
	#pragma ccc for
	for (int i = threadIdx.x; i < n; i += blockDim.x) {
		#pragma ccc unify
		if (a[i] & 4)
			s = walk(s, a[i]);
		else
			t = walk(t, i);
	}
	b[threadIdx.x] = s - 3 * t;
}

__global__ void both(int n, const int *a, int *b)
{
	int s = 0;
	#pragma ccc for
	for (int i = threadIdx.x; i < n; i += blockDim.x) {
		#pragma ccc unify
		if (a[i] & 4)
			s = walk(s, a[i]);
		else
			s = walk(s + 1, i);
	}
	b[threadIdx.x] = s;
}

__global__ void third(int n, const int *a, int *b)
{
	int s = 0;
	#pragma ccc for
	for (int i = threadIdx.x; i < n; i += blockDim.x) {
		#pragma ccc unify
		if (a[i] & 4)
			b[i] = walk(i, a[i]);
		else
			b[i] = walk(a[i], i);
		#pragma ccc if
		if (a[i] & 8)
			s = s * 3 + walk(i, 2);
	}
	b[n + threadIdx.x] = s;
}

__global__ void collected(int n, const int *a, int *b)
{
	#pragma ccc for
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		#pragma ccc unify policy(stack)
		if (a[i] & 4)
			b[i] = walk(i, a[i]);
		else
			b[i] = walk(a[i], i);
}

__global__ void drawn(int n, const int *a, int *b)
{
	#pragma ccc assign
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		#pragma ccc unify
		if (a[i] & 4)
			b[i] = walk(i, a[i]);
		else
			b[i] = walk(a[i], i);
}
// SPDX-License-Identifier: MIT
