// Features of kernels besides arithmetic: calls, recursion, local arrays, branch tables, vectors, constant memory,
// initialised variables, barriers, shared memory, atomics. ops<k>(in, out): 256 threads, 3 words of 64 bits per thread.
typedef unsigned long long u64;
struct Pair { int a; short b; char c; };
__constant__ int table[8] = { 1, 2, 3, 5, 8, 13, 21, 34 };
__constant__ Pair pairs[2] = { { -1, 2, 'x' }, { 7, -8, 'y' } };
__device__ int counter = 40, *pointer = &counter;
__device__ float reals[4] = { 1.5f, -2, 3e10f, .1f };
__device__ int touched[64];
struct Big { int v[6]; double d; };

__device__ __noinline__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__device__ __noinline__ Big make(int i) { Big b; for (int k = 0; k < 6; k++) b.v[k] = i * k; b.d = i / 3.0; return b; }
__device__ __noinline__ double use(Big b, int k) { return b.v[k % 6] + b.d; }
__device__ __noinline__ void swap(int *a, int *b) { int t = *a; *a = *b; *b = t; }

extern "C" __global__ void ops0(const u64 *in, u64 *out)    // calls
{
	int t = threadIdx.x;
	out[t] = fib(t % 13);
	out[256 + t] = __double_as_longlong(use(make(t), (int)in[3 * t]  & 7));
	int x = t, y = 2 * t;
	if (t & 1)
		swap(&x, &y);
	out[512 + t] = ((u64)(unsigned)x << 32) | (unsigned)y;
}
extern "C" __global__ void ops1(const u64 *in, u64 *out)    // local arrays, a switch, early return, loops
{
	int t = threadIdx.x, a[16];
	for (int i = 0; i < 16; i++)
		a[i] = (int)in[3 * ((t + i) & 255)];
	for (int i = 0; i < 16; i++)
		for (int j = i; j > 0 && a[j - 1] > a[j]; j--)
			swap(&a[j], &a[j - 1]);
	out[t] = (u64)(unsigned)a[t & 15];
	if (t > 200)
		return;
	u64 r = in[3 * t + 1];
	switch ((int)(in[3 * t] & 15)) {
	case 0: r += 3; break;
	case 1: r ^= r >> 3; break;
	case 2: r *= 5;
	case 3: r -= 9; break;
	case 4: r = __brevll(r); break;
	case 5: r = r % 1000; break;
	case 6: r = __popcll(r); break;
	case 7: for (int i = 0; i < t; i++) r = r * 3 + i; break;
	case 8: r = __clzll(r); break;
	case 9: return;
	default: r = ~r;
	}
	out[256 + t] = r;
}
extern "C" __global__ void ops2(const u64 *in, u64 *out)    // memory
{
	int t = threadIdx.x;
	ulonglong2 v = ((const ulonglong2 *)in)[t];
	uchar4 c = ((const uchar4 *)in)[t];
	short2 s = ((const short2 *)in)[t];
	out[t] = v.x * 3 + v.y;
	out[256 + t] = c.x + 256 * c.y + c.z * c.w + s.x * s.y;
	out[512 + t] = table[t & 7] + pairs[t & 1].a + pairs[t & 1].b * pairs[t & 1].c + *pointer;
	out[768 + t] = __float_as_uint(reals[t & 3]);
	((signed char *)(out + 1024))[t] = (signed char)(t * 7);
	((ushort4 *)(out + 1280))[t] = make_ushort4(t, t + 1, t * t, 5);
}
extern "C" __global__ void ops3(const u64 *in, u64 *out)    // shared memory and barriers
{
	__shared__ u64 a[256];
	__shared__ int votes[3];
	int t = threadIdx.x;
	a[t] = in[3 * t];
	__syncthreads();
	for (int d = 128; d > 0; d /= 2) {
		if (t < d)
			a[t] += a[t + d];
		__syncthreads();
	}
	out[t] = a[0];
	int n = __syncthreads_count((int)in[3 * t] & 1), all = __syncthreads_and(t < 256), any = __syncthreads_or(t == 300);
	out[256 + t] = n * 4 + (all != 0) * 2 + (any != 0);
	if (t < 64) {
		a[t] = t * t;
		asm volatile("bar.sync 3, 64;" ::: "memory");
		out[512 + t] = a[63 - t];
	} else if (t < 128) {
		asm volatile("bar.sync 5, 64;" ::: "memory");
	}
	if (t < 3)
		votes[t] = 0;
	__syncthreads();
	atomicAdd(&votes[t % 3], t);
	atomicMax(&touched[t % 64], t);
	__syncthreads();
	out[768 + t] = votes[0] * 3 + votes[1] * 5 + votes[2] * 7 + touched[t % 64];
	unsigned m = __match_any_sync(~0u, t % 5), sum = __reduce_add_sync(m, t);
	for (int i = 16; i; i /= 2)
		sum += __shfl_xor_sync(~0u, sum, i);
	out[1024 + t] = ((u64)m << 32) + sum;
}
extern "C" __global__ void ops4(const u64 *in, u64 *out)    // atomics on one word, with results that do not depend on the order
{
	int t = threadIdx.x;
	unsigned *o = (unsigned *)out, x = (unsigned)in[3 * t];
	atomicAdd(o, x), atomicMin((int *)o + 1, (int)x), atomicMax(o + 2, x), atomicAnd(o + 3, x | 1), atomicOr(o + 4, x), atomicXor(o + 5, x);
	atomicInc(o + 6, 100), atomicDec(o + 7, 50), atomicAdd(out + 4, in[3 * t]), atomicAdd((float *)o + 10, (float)(t & 7));
	atomicAdd((double *)out + 6, (double)t), atomicMax((long long *)out + 7, (long long)in[3 * t]);
	unsigned old = o[16], seen;
	do {
		seen = old;
		old = atomicCAS(o + 16, seen, seen + t);
	} while (old != seen);
}
// SPDX-License-Identifier: MIT
