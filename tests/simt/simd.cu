// Small numbers in one register: the SIMD and DPX intrinsics, comparisons of half2 and bfloat162, 8-bit floating point. nvcc
// emulates them for sm_75, and uses hardware instructions for sm_90: both must leave the same memory.
// ops<k>(in, out): 256 threads, 3 words of 64 bits per thread.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
typedef unsigned long long u64;
#define PUT(x) (o[n++ * 256] = (x))

extern "C" __global__ void ops0(const u64 *in, u64 *out)    // integers
{
	u64 *o = out + threadIdx.x;
	unsigned a = (unsigned)in[3 * threadIdx.x], b = (unsigned)in[3 * threadIdx.x + 1], c = (unsigned)in[3 * threadIdx.x + 2], n = 0;
	bool p, q;
	PUT(__vabsdiffs2(a, b)), PUT(__vabsdiffs4(a, b)), PUT(__vabsdiffu2(a, b)), PUT(__vabsdiffu4(a, b));
	PUT(__vsads2(a, b)), PUT(__vsads4(a, b)), PUT(__vsadu2(a, b)), PUT(__vsadu4(a, b));
	PUT(__vadd2(a, b)), PUT(__vadd4(a, b)), PUT(__vaddss2(a, b)), PUT(__vaddus4(a, b)), PUT(__vsub2(a, b)), PUT(__vsub4(a, b));
	PUT(__vavgs2(a, b)), PUT(__vavgu4(a, b)), PUT(__vhaddu2(a, b)), PUT(__vneg2(a)), PUT(__vabs4(a)), PUT(__vabsss2(a));
	PUT(__vmaxs2(a, b)), PUT(__vmaxu2(a, b)), PUT(__vmins2(a, b)), PUT(__vminu2(a, b)), PUT(__vmaxs4(a, b)), PUT(__vminu4(a, b));
	PUT(__vcmpgts2(a, b)), PUT(__vcmpleu4(a, b)), PUT(__vseteq2(a & 0xff00ff, b & 0xff)), PUT(__vsetltu4(a, b));
	PUT(__vimax_s32_relu(a, b)), PUT(__vimin_s32_relu(a, b)), PUT(__vimax_s16x2_relu(a, b)), PUT(__vimin_s16x2_relu(a, b));
	PUT(__vimax3_s32(a, b, c)), PUT(__vimin3_s16x2(a, b, c)), PUT(__vimax3_u16x2(a, b, c)), PUT(__vimax3_s16x2_relu(a, b, c));
	PUT(__viaddmax_s32(a, b, c)), PUT(__viaddmax_s16x2(a, b, c)), PUT(__viaddmin_u16x2(a, b, c)), PUT(__viaddmax_u32(a, b, c));
	PUT(__viaddmin_s32_relu(a, b, c)), PUT(__viaddmax_s16x2_relu(a, b, c)), PUT(__viaddmin_s16x2_relu(a, b, c));
	PUT(__vibmax_s16x2(a, b, &p, &q) + (u64)p * 5 + (u64)q * 11), PUT(__vibmin_u32(a, b, &p) + (u64)p * 7);
}
template<class T, class T2> __device__ int compare(const T2 &x, const T2 &y, u64 *o, int n)
{
	T a = x.x, b = x.y, c = y.x, d = y.y;
	float e = (float)a, f = (float)b, g = (float)c, h = (float)d;
	// each comparison of pairs, against the comparisons of its elements
	PUT(__hbgt2(x, y)), PUT(__hbeq2(x, y)), PUT(__hbltu2(x, y)), PUT(__hbneu2(x, y)), PUT(__hbgeu2(x, x));
	PUT((e > g && f > h) + 2 * (e == g && f == h) + 4 * (!(e >= g) && !(f >= h)));
	PUT(__hgt2_mask(x, y) ^ ((e > g ? 0xffff : 0) | (f > h ? 0xffff0000 : 0))); // 0 from here on
	PUT(__hne2_mask(x, y) ^ ((e != g && e == e && g == g ? 0xffff : 0) | (f != h && f == f && h == h ? 0xffff0000 : 0)));
	PUT(__hleu2_mask(x, y) ^ ((!(e > g) ? 0xffff : 0) | (!(f > h) ? 0xffff0000 : 0)));
	T2 r = __hlt2(x, y), s = __hequ2(x, y);
	PUT(((float)r.x != (e < g)) + ((float)r.y != (f < h)));
	PUT(((float)s.x != (e == g || e != e || g != g)) + ((float)s.y != (f == h || f != f || h != h)));
	return n;
}
extern "C" __global__ void ops1(const u64 *in, u64 *out)    // pairs of f16 and bf16
{
	u64 *o = out + threadIdx.x;
	unsigned a = (unsigned)in[3 * threadIdx.x], b = (unsigned)in[3 * threadIdx.x + 1];
	b = threadIdx.x % 5 ? b : threadIdx.x & 1 ? a : (a & 0xffff) | (b & 0xffff0000); // some are equal
	int n = compare<__half>(*(__half2 *)&a, *(__half2 *)&b, o, 0);
	compare<__nv_bfloat16>(*(__nv_bfloat162 *)&a, *(__nv_bfloat162 *)&b, o, n);
}
extern "C" __global__ void ops2(const u64 *in, u64 *out)    // conversions to and from 8 bits: all bytes and all f16, and the input's numbers
{
	u64 *o = out + threadIdx.x;
	unsigned t = threadIdx.x, n = 0;
	float f = __uint_as_float((unsigned)in[3 * t]), g = (float)__longlong_as_double((long long)in[3 * t + 1]), tiny = (float)t * 0x1p-12f;
	for (int format = 0; format < 2; format++) {
		__nv_fp8_interpretation_t to = format ? __NV_E5M2 : __NV_E4M3;
		PUT(__nv_cvt_float2_to_fp8x2(make_float2(f, g), __NV_SATFINITE, to));
		PUT(__nv_cvt_float2_to_fp8x2(make_float2(tiny, -3 * tiny), __NV_SATFINITE, to));
		PUT(__nv_cvt_float2_to_fp8x2(make_float2((float)t * 5, -exp2f((float)t / 8)), __NV_SATFINITE, to));
		if ((t & 0x7f) <= (format ? 0x7cu : 0x7eu)) { // not NaN, whose bits may differ
			__half2_raw r = __nv_cvt_fp8x2_to_halfraw2((__nv_fp8x2_storage_t)(t | t << 8), to);
			PUT(r.x | (u64)r.y << 16);
		} else {
			n++;
		}
		u64 h = 0;
		for (unsigned k = 0; k < 256; k++) {
			__half2_raw pair = { (unsigned short)(k << 8 | t), (unsigned short)(t << 8 | k) };
			h = h * 31 + __nv_cvt_halfraw2_to_fp8x2(pair, __NV_SATFINITE, to);
		}
		PUT(h);
	}
}
// SPDX-License-Identifier: MIT
