// SPDX-License-Identifier: MIT
// Inner loops whose iterations are tasks, and the reasons why some have none.
typedef unsigned long long ull;
__device__ __forceinline__ unsigned hash(unsigned k, unsigned n, int f) { k ^= k >> 16; k *= 0x85ebca6b + 2 * f; k ^= k >> 13; return k % n; }
__device__ void insert(ull kvp, unsigned loc, unsigned n, ull *table, int f)
{
	ull old = atomicExch(table + loc, kvp);
	unsigned key = (unsigned)(old >> 32);
	if (key != 0) {
		insert(old, hash(key, n, f + 1), n, table, f + 1);
	}
}
__global__ void cuckoo(const ull *in, int m, ull *table, unsigned n)
{
#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < m; i += blockDim.x * gridDim.x) {
		ull kvp = in[i];
		unsigned loc = hash((unsigned)(kvp >> 32), n, 0);
#pragma ccc while
		insert(kvp, loc, n, table, 0);
	}
}
__global__ void collatz(const unsigned *in, unsigned *out, int n)
{
#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
		unsigned x = in[i], steps = 0;
#pragma ccc while
		while (x > 1) {
			x = x & 1 ? 3 * x + 1 : x / 2;
			steps++;
		}
		out[i] = steps;
	}
}
__global__ void chain(const int *first, const int *next, unsigned *sums, int n)
{
	unsigned all = 0;
#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
#pragma ccc while
		for (int p = first[i]; p >= 0; p = next[p]) {
			all += p * p;
			atomicAdd(sums + (p & 63), i);
		}
	}
	sums[64 + blockIdx.x * blockDim.x + threadIdx.x] = all;
}
__global__ void scratch(const int *in, int *out, int n)
{
#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
		int stack[16], top = 0, x = in[i];
#pragma ccc while
		while (x) {
			stack[top++ & 15] = x;
			x = in[x] ^ stack[x & 15];
		}
		out[i] = top;
	}
}
__global__ void cheap(const int *in, int *out, int n)
{
#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
		int x = in[i];
#pragma ccc for var
		for (int k = 0; k < in[i + n]; k++)
			x = x * 5 + 1;
		out[i] = x;
	}
}
__global__ void flows_on(const int *in, int *out, int n)
{
	int x = 0;
#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
#pragma ccc while
		while (in[x + i])
			x = x * 5 + 1;
	}
	out[threadIdx.x] = x;
}
