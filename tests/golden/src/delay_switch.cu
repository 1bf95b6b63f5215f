// Lanes wait at the cases of a switch. Released are those at the case with the most lanes; the same until a lane has left its loop;
// those at each case in turn.
__device__ __forceinline__ unsigned walk(unsigned s, unsigned until, int *count)
{
	for (; s % until; s = s * 5 + 1)
		atomicAdd(count, s);
	return s;
}

#define CASES(s, b) \
	case 0: s = walk(s, 11, b); break; \
	case 1: s = walk(s, 13, b) + 3; break; \
	case 2: s += 5; /* falls through */ \
	case 3: s = walk(s, 17, b) * 3; break

__global__ void most(int n, const int *a, int *b)
{
	unsigned s = 0;
	#pragma ccc for
	for (int i = threadIdx.x; i < n; i += blockDim.x) {
		s += a[i];
		#pragma ccc delay
		switch (s % 7) {
		CASES(s, b);
		}
	}
	b[threadIdx.x + 1] = s;
}

__global__ void majority(int n, const int *a, int *b)
{
	unsigned s = 0;
	#pragma ccc for
	for (int i = threadIdx.x; i < n; i += blockDim.x) {
		s += a[i];
		#pragma ccc delay policy(majority) threshold(4)
		switch (s % 5) {
		CASES(s, b);
		default: s = walk(s, 7, b);
		}
	}
	b[threadIdx.x + 1] = s;
}

__global__ void turns(int n, const int *a, int *b)
{
	unsigned s = 0;
	#pragma ccc for
	for (int i = threadIdx.x; i < n; i += blockDim.x) {
		s += a[i];
		#pragma ccc delay policy(cycle(3, 2))
		switch (s % 5) {
		CASES(s, b);
		}
	}
	b[threadIdx.x + 1] = s;
}

__global__ void idle(int n, const int *a, int *b)
{
	unsigned s = 0;
	#pragma ccc for
	for (int i = threadIdx.x; i < n; i += blockDim.x) {
		s += a[i];
		#pragma ccc delay policy(cycle) idle
		switch (s % 5) {
		CASES(s, b);
		}
	}
	b[threadIdx.x + 1] = s;
}

__global__ void drawn(int n, const int *a, int *b)
{
	#pragma ccc assign
	for (int i = threadIdx.x; i < n; i += blockDim.x) {
		unsigned s = a[i];
		#pragma ccc delay
		switch (s % 5) {
		CASES(s, b);
		}
		b[i + 1] = s;
	}
}

// Only one statement is a possible wait point.
__global__ void one(int n, const int *a, int *b)
{
	unsigned s = 0;
	#pragma ccc for
	for (int i = threadIdx.x; i < n; i += blockDim.x) {
		s += a[i];
		#pragma ccc delay policy(wait(8))
		switch (s % 5) {
		CASES(s, b);
		}
	}
	b[threadIdx.x + 1] = s;
}

// Two cases are the arms of a branch.
__global__ void two(int n, const int *a, int *b)
{
	unsigned s = 0;
	#pragma ccc for
	for (int i = threadIdx.x; i < n; i += blockDim.x) {
		s += a[i];
		#pragma ccc delay threshold(12)
		switch (s % 5) {
		case 0: s = walk(s, 11, b); break;
		case 3: s = walk(s, 13, b); break;
		}
	}
	b[threadIdx.x + 1] = s;
}
// SPDX-License-Identifier: MIT
