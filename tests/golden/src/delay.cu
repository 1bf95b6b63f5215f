// Lanes wait at one of two wait points of an iteration: the arms of a branch, a statement or the loop's header, an inner loop's
// header or the code after it. The release rules, in turn: by share, by majority, alternating, by number.
__device__ __forceinline__ unsigned walk(unsigned s, unsigned until, int *count)
{
	for (; s % until; s = s * 5 + 1)
		atomicAdd(count, s);
	return s;
}

__global__ void share(int n, const int *a, int *b)
{
	unsigned s = 0;
	#pragma ccc for
	for (int i = threadIdx.x; i < n; i += blockDim.x) {
		s += a[i];
		#pragma ccc delay threshold(12)
		if (s % 7 == 0)
			s = walk(s, 11, b);
		else
			s = walk(s, 13, b);
	}
	b[threadIdx.x + 1] = s;
}

__global__ void majority(int n, const int *a, int *b)
{
	unsigned s = 0;
	#pragma ccc for
	for (int i = threadIdx.x; i < n; i += blockDim.x) {
		s += a[i];
		#pragma ccc delay policy(majority)
		if (s % 7 == 0)
			s = walk(s, 11, b);
		else
			s = walk(s, 13, b);
	}
	b[threadIdx.x + 1] = s;
}

__global__ void turns(int n, const int *a, int *b)
{
	unsigned s = 0;
	#pragma ccc for
	for (int i = threadIdx.x; i < n; i += blockDim.x) {
		s += a[i];
		#pragma ccc delay policy(cycle(1, 3))
		if (s % 7 == 0)
			s = walk(s, 11, b);
	}
	b[threadIdx.x + 1] = s;
}

__global__ void idle(int n, const int *a, int *b)
{
	unsigned s = 0;
	#pragma ccc for
	for (int i = threadIdx.x; i < n; i += blockDim.x) {
		s += a[i];
		#pragma ccc delay policy(cycle(2, 1)) idle
		if (s % 7 == 0)
			s = walk(s, 11, b);
		else
			s = walk(s, 13, b);
	}
	b[threadIdx.x + 1] = s;
}

__global__ void statement(int n, const int *a, int *b)
{
	unsigned s = 0;
	#pragma ccc for
	for (int i = threadIdx.x; i < n; i += blockDim.x) {
		s += a[i];
		if (s % 7 == 0) {
			s = s * 3 + 1;
			#pragma ccc predict threshold(8)
			s = walk(s, 11, b);
		}
	}
	b[threadIdx.x + 1] = s;
}

__global__ void inner(int n, const int *first, const int *a, int *b)
{
	#pragma ccc for
	for (int i = threadIdx.x; i < n; i += blockDim.x) {
		int s = 1;
		#pragma ccc predict
		for (int k = first[i]; k < first[i + 1]; ++k)
			s = s * 5 + a[k];
		b[i] = s;
	}
}
// The lanes of the inner loop wait; the statement is left unchanged.
__global__ void two(int n, const int *first, const int *a, int *b)
{
	unsigned s = 1;
	#pragma ccc for
	for (int i = threadIdx.x; i < n; i += blockDim.x) {
		if (s % 7 == 0)
			#pragma ccc predict
			s = walk(s, 11, b);
		#pragma ccc predict
		for (int k = first[i]; k < first[i + 1]; ++k)
			s = s * 5 + a[k];
	}
	b[threadIdx.x + 1] = s;
}
// SPDX-License-Identifier: MIT
