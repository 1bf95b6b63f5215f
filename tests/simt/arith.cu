// Operations that nvcc rarely or never emits: each by inline assembly, compared with plain code. Number of wrong results in out[0],
// of comparisons in out[1]. On a GPU: nvcc -arch=sm_90 arith.cu && ./a.out
#include <cstdio>
#include <cuda_fp16.h>
__device__ void check(int *out, bool right) { atomicAdd(out, !right); atomicAdd(out + 1, 1); }
__device__ unsigned word(unsigned t, unsigned k)    // words of all kinds
{
	const unsigned odd[] = { 0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x3f800000, 0xbf800000, 0x7fc00000, 0xff800000, 0x00400000 };
	unsigned x = (t * 2654435761u + k * 40503u) ^ (t << 7);
	return t * 7 % 10 == k ? odd[t % 10] : x * 2246822519u;
}
extern "C" __global__ void forms(int *out)
{
	unsigned t = threadIdx.x, r, p;
	for (unsigned k = 0; k < 8; k++) {
		unsigned a = word(t, k), b = word(t, k + 1), c = word(t, k + 2);
		asm("mad.hi.sat.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
		long long sum = ((long long)(int)a * (int)b >> 32) + (int)c;
		check(out, (int)r == (sum > 0x7fffffff ? 0x7fffffff : sum < -0x80000000ll ? -0x7fffffff - 1 : sum));
		asm("{ .reg .pred p, q; setp.ne.u32 q, %5, 0; lop3.or.b32 %0|p, %2, %3, %4, 0x80, q; selp.u32 %1, 1, 0, p; }"
			: "=r"(r), "=r"(p) : "r"(a), "r"(b & 0xf0), "r"(c & 0xf), "r"(k & 1));
		r = __shfl_sync(~0u, r, t & 31); // otherwise ptxas 13.0 uses p, which has q in it, for r != 0
		check(out, r == 0 && p == (k & 1)); // a & b & c
		asm("{ .reg .pred p, q; setp.ne.u32 q, %5, 0; lop3.and.b32 %0|p, %2, %3, %4, 0xe8, !q; selp.u32 %1, 1, 0, p; }"
			: "=r"(r), "=r"(p) : "r"(a), "r"(b), "r"(c), "r"(k & 1));
		check(out, r == ((a & b) | (a & c) | (b & c)) && p == (r != 0 && !(k & 1))); // the majority
		float x = __uint_as_float(a), y = __uint_as_float(b), m;
		if (x == x && y == y) {
			asm("max.xorsign.abs.f32 %0, %1, %2;" : "=f"(m) : "f"(x), "f"(y));
			unsigned big = (a & 0x7fffffff) > (b & 0x7fffffff) ? a & 0x7fffffff : b & 0x7fffffff;
			check(out, __float_as_uint(m) == (big | ((a ^ b) & 0x80000000)));
		} else {
			check(out, true);
		}
		unsigned short h = (unsigned short)a & 0xbbff, g = (unsigned short)b & 0xbbff, s; // no NaN
		asm("min.xorsign.abs.f16 %0, %1, %2;" : "=h"(s) : "h"(h), "h"(g));
		check(out, s == (((h & 0x7fff) < (g & 0x7fff) ? h & 0x7fff : g & 0x7fff) | ((h ^ g) & 0x8000)));
	}
}
__device__ float sums[96];
extern "C" __global__ void subnormals(int *out)    // atomic sums flush them in global memory, but not in shared memory
{
	__shared__ float s[96];
	unsigned t = threadIdx.x;
	float tiny = __uint_as_float(0x00000100 + t), *p = t & 1 ? s + t : sums + t;
	sums[t] = s[t] = tiny;
	atomicAdd(sums + t, tiny);
	check(out, __float_as_uint(sums[t]) == 0);
	atomicAdd(s + t, tiny);
	check(out, __float_as_uint(s[t]) == 2 * (0x100 + t));
	*(volatile float *)p = tiny;
	atomicAdd(p, -tiny * 3); // through a generic address
	check(out, __float_as_uint(*p) == (t & 1 ? 0x80000000 | 2 * (0x100 + t) : 0)); // 0 + -0
}
int main()
{
	void (*kernels[])(int *) = { forms, subnormals };
	static const int looks[] = { 96 * 40, 96 * 3 };
	int bad = 0;
	for (int k = 0; k < 2; k++) {
		int *out, got[2] = {};
		cudaMalloc(&out, 8), cudaMemset(out, 0, 8);
		kernels[k]<<<1, 96>>>(out);
		cudaMemcpy(got, out, 8, cudaMemcpyDeviceToHost);
		printf("kernel %d: %d of %d wrong\n", k, got[0], got[1]);
		bad |= got[0] || got[1] != looks[k];
	}
	puts(bad ? "FAILED" : "all right");
	return bad;
}
// SPDX-License-Identifier: MIT
