// SPDX-License-Identifier: MIT
// Inner loops whose bound is loaded again in each iteration. Most can be expanded; the second half of the file has those that
// are refused.
#define EACH_ITEM(i, n) for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
enum { MASK = 1023 };
struct Item { int length, count; };

__global__ void stores(const int *length, const int *in, int *out, int n)
{
#pragma ccc for
	EACH_ITEM(i, n) {
#pragma ccc for var
		for (int k = 0; k < length[i]; k++)
			if (in[(7 * i + k) & MASK] & 1)
				out[64 * i + k] = in[k];
	}
}
__global__ void counts(const int *length, const int *in, int *out, int n)
{
#pragma ccc for
	EACH_ITEM(i, n) {
#pragma ccc for var
		for (int k = length[i]; k > in[i] % 4; k -= 3)
			atomicAdd(&out[in[(5 * i + k) & MASK]], k);
	}
}
__global__ void two_loads(const int *length, const int *in, int *out, int n)
{
#pragma ccc for
	EACH_ITEM(i, n) {
#pragma ccc for var
		for (long long k = 2; k <= (long long)length[i] + (in[i] & 3); k++)
			atomicMax(&out[in[(i + k) & MASK]], (int)k);
	}
}
__global__ void reads_bound(const int *length, const int *in, int *out, int n)
{
#pragma ccc for
	EACH_ITEM(i, n) {
		int k = 0, last = 0;
#pragma ccc for var
		for (; k < (last = length[i]); k++)
			atomicAdd(&out[in[(3 * i + k) & MASK]], k);
		out[MASK + 1 + i] = last + k;
	}
}
__global__ void fields(Item *items, const int *in, int n)
{
#pragma ccc for
	EACH_ITEM(i, n) {
#pragma ccc for var
		for (int k = 0; k < items[i].length; k++)
			atomicAdd(&items[in[(i + k) & MASK]].count, 1);
	}
}
// One register holds two of the loaded values, one after the other.
static __device__ __forceinline__ int sum(const int *a, const int *b)
{
	int x, y;
	asm("ld.global.s32 %0, [%2];\n\tmov.b32 %1, %0;\n\tld.global.s32 %0, [%3];" : "=&r"(x), "=&r"(y) : "l"(a), "l"(b) : "memory");
	return x + y;
}
__global__ void two_in_one(const int *length, const int *in, int *out, int n)
{
#pragma ccc for
	EACH_ITEM(i, n) {
#pragma ccc for var
		for (int k = 0; k < sum(length + i, in + i); k++)
			atomicAdd(&out[in[(9 * i + k) & MASK]], k);
	}
}
__global__ void in_path(const int *length, const int *in, int *out, int n)
{
#pragma ccc for
	EACH_ITEM(i, n) {
#pragma ccc if policy(stack)
		if (in[i & MASK] & 4) {
			int base = in[(i + 1) & MASK];
#pragma ccc for var policy(expand)
			for (int k = 0; k < length[i]; k++)
				atomicAdd(&out[(base + in[k]) & MASK], k);
		}
	}
}

// ---- refused --------------------------------------------------------------------------------------------------------------

__global__ void is_volatile(const volatile int *length, const int *in, int *out, int n)
{
#pragma ccc for
	EACH_ITEM(i, n) {
#pragma ccc for var
		for (int k = 0; k < length[i]; k++)
			atomicAdd(&out[in[k]], k);
	}
}
__global__ void has_fence(const int *length, const int *in, int *out, int n)
{
#pragma ccc for
	EACH_ITEM(i, n) {
#pragma ccc for var
		for (int k = 0; k < length[i]; k++) {
			atomicAdd(&out[in[k]], k);
			__threadfence();
		}
	}
}
static __device__ __noinline__ void publish(int *to, int what)
{
	__threadfence();
	atomicAdd(to, what);
}
__global__ void calls_fence(const int *length, const int *in, int *out, int n)
{
#pragma ccc for
	EACH_ITEM(i, n) {
#pragma ccc for var
		for (int k = 0; k < length[i]; k++)
			publish(&out[in[k]], k);
	}
}
__global__ void acquires(const int *length, const int *in, int *out, int n)
{
#pragma ccc for
	EACH_ITEM(i, n) {
#pragma ccc for var
		for (int k = 0; k < length[i]; k++) {
			int x;
			asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(x) : "l"(in + k) : "memory");
			atomicAdd(&out[x], k);
		}
	}
}
__global__ void ends_itself(int *length, const int *in, int n)
{
#pragma ccc for
	EACH_ITEM(i, n) {
#pragma ccc for var
		for (int k = 0; k < length[i]; k++)
			if (in[(i + k) & MASK] == 0)
				length[i] = k;
	}
}
__global__ void takes_work(const int *in, int *todo, int *out, int n)
{
#pragma ccc for
	EACH_ITEM(i, n) {
#pragma ccc for var
		for (int k = 0; k < *todo; k++)
			if (in[(i + k) & MASK] == 0)
				out[atomicAdd(todo, 1)] = k;
	}
}
__global__ void scatters(int *length, const int *in, int n)
{
#pragma ccc for
	EACH_ITEM(i, n) {
#pragma ccc for var
		for (int k = 0; k < length[i]; k++)
			length[in[(i + k) & MASK]] = 0;
	}
}
