// SPDX-License-Identifier: MIT
// Loops that read memory in the path: a search and an update do not wait for other threads, a lock does.
__global__ void insert(const unsigned *keys, unsigned *table, unsigned *vals, int n, unsigned mask)
{
#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		unsigned k = keys[i];
#pragma ccc if
		if (k & 1) {
			unsigned s = (k * 2654435761u) & mask;
			for (;;) {
				unsigned old = atomicCAS(&table[s], 0u, k);
				if (old == 0 || old == k) { vals[s] = i; break; }
				s = (s + 1) & mask;
			}
		}
	}
}
__global__ void maximum(const float *keys, unsigned *best, int n)
{
#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		float k = keys[i];
#pragma ccc if
		if (k > 1.0f) {
			unsigned old = *best, assumed;
			do {
				assumed = old;
				old = atomicCAS(best, assumed, __float_as_uint(__uint_as_float(assumed) * k));
			} while (old != assumed);
		}
	}
}
__global__ void locked(const float *keys, unsigned *lock, volatile float *sum, int n)
{
#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		float k = keys[i];
#pragma ccc if
		if (k > 1.0f) {
			while (atomicCAS(lock, 0u, 1u) != 0) ;
			*sum = *sum + k;
			atomicExch(lock, 0u);
		}
	}
}
// Waiting by other accesses; an update that does not wait; a function that waits; a loop that exits by a flag that the path sets.
__global__ void ticket(const float *keys, unsigned *next, float *sum, int n)
{
#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		float k = keys[i];
#pragma ccc if
		if (k > 1.0f) {
			unsigned t = atomicAdd(next, 1u);
			while (__ldcg(next + 1) != t) ;
			*sum = *sum + k;
			__threadfence();
			atomicAdd(next + 1, 1u);
		}
	}
}
__global__ void fenced(const float *keys, unsigned *next, float *sum, int n)
{
#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		float k = keys[i];
#pragma ccc if
		if (k > 1.0f) {
			unsigned t = atomicAdd(next, 1u);
			while (next[1] != t) __threadfence();
			*sum = *sum + k;
			__threadfence();
			atomicAdd(next + 1, 1u);
		}
	}
}
__global__ void added(const float *keys, unsigned *lock, float *sum, int n)
{
#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		float k = keys[i];
#pragma ccc if
		if (k > 1.0f) {
			while (atomicAdd(lock, 1u) != 0) ;
			*sum = *sum + k;
			__threadfence();
			atomicExch(lock, 0u);
		}
	}
}
__global__ void reloaded(const float *keys, unsigned *best, int n)
{
#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		float k = keys[i];
#pragma ccc if
		if (k > 1.0f) {
			unsigned seen;
			do seen = *(volatile unsigned *)best; while (atomicCAS(best, seen, seen * 5 + (unsigned)k) != seen);
		}
	}
}
__device__ __noinline__ void await(unsigned *p, unsigned t) { while (__ldcg(p) != t) ; }
__global__ void called(const float *keys, unsigned *next, float *sum, int n)
{
#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		float k = keys[i];
#pragma ccc if
		if (k > 1.0f) {
			unsigned t = atomicAdd(next, 1u);
			await(next + 1, t);
			*sum = *sum + k;
			__threadfence();
			atomicAdd(next + 1, 1u);
		}
	}
}
__global__ void flagged(const float *keys, unsigned *flag, int n)
{
#pragma ccc for policy(wait(16))
	for (int i = threadIdx.x; __ldcg(flag) == 0; i = i < n ? i + blockDim.x : threadIdx.x) {
#pragma ccc if
		if (keys[i] > 1.0f)
			if (keys[i] > 100.0f)
				atomicExch(flag, 1u);
	}
}
