// SPDX-License-Identifier: MIT
// Loops that look at memory in the path: a search and an update wait for nobody, a lock does.
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
