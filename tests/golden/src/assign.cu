// Iteration draw: before the votes of several policies; an iteration reads its owner's values by shuffles. Refused: a sum with
// a break, a test that depends on the iterations' effects, a loop-carried value, a collecting policy.
__device__ __forceinline__ int walk(int v, int left)
{
	#pragma ccc for var
	for (; left; --left)
		v = v * v + left;
	return v;
}

__global__ void flat(int n, const int *a, int *b)
{
	#pragma ccc assign
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		b[i] = walk(i, a[i]);
}

__global__ void merge(int n, const int *a, const double *d, double *b)
{
	const double scale = d[threadIdx.x];
	const bool odd = a[threadIdx.x] & 1;
	#pragma ccc assign
	for (int i = threadIdx.x; i < n; i += blockDim.x) {
		double s = threadIdx.y;
		#pragma ccc predict threshold(24)
		for (int left = a[i]; left; --left)
			s = s * scale + left;
		b[i] = odd ? s : -s;
	}
}

__global__ void delay(int n, const int *a, int *b)
{
	int i = threadIdx.x;
	#pragma ccc assign
	for (; i < n; i += blockDim.x) {
		#pragma ccc delay
		if (a[i] & 4)
			b[i] = walk(i, a[i]);
	}
	b[n + threadIdx.x] = i;
}

__global__ void sum(int n, const int *a, int *b)
{
	int s = 0;
	#pragma ccc assign
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		s += walk(i, a[i]);
	b[threadIdx.x] = s;
}

__global__ void search(int n, const int *a, int *b)
{
	#pragma ccc assign
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		if (walk(i, a[i]) == n) {
			*b = i;
			break;
		}
}

__global__ void list(const int *a, int *b)
{
	#pragma ccc assign
	for (int i = threadIdx.x; i; i = a[i])
		b[i] = walk(i, a[i + 1]);
}

__global__ void collected(int n, const int *a, int *b)
{
	#pragma ccc assign policy(stack)
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		#pragma ccc if
		if (a[i])
			b[i] = walk(i, a[i]);
}
// SPDX-License-Identifier: MIT
