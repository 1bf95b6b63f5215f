// SPDX-License-Identifier: MIT
// The fractal flame: random points, ten variations of a point, and its pixel.
#ifndef BENCH_FF_CUH
#define BENCH_FF_CUH

constexpr int VARIATIONS = 10, SIDE = 1024;

static __host__ __device__ __forceinline__ unsigned hash(unsigned x)
{
	x ^= x >> 16;
	x *= 0x7feb352du;
	x ^= x >> 15;
	x *= 0x846ca68bu;
	return x ^ (x >> 16);
}
// Point i in [-1, 1)^2 and its variation.
static __host__ __device__ __forceinline__ float2 draw(unsigned i, unsigned &variation)
{
	const unsigned h = hash(i + 1u), g = hash(h ^ 0x9E3779B9u);
	variation = ((h & 0xffffu) * VARIATIONS) >> 16;
	return make_float2(float(int(g >> 8)) * 0x1p-23f - 1.0f, float(int(((g & 0xffu) << 16) | (h >> 16))) * 0x1p-23f - 1.0f);
}
constexpr float PI = 3.14159265f;
static __host__ __device__ __forceinline__ void wave(float x, float &s, float &c)
{
	sincosf(x, &s, &c);
}
template <int V> static __host__ __device__ __forceinline__ float2 vary(float2 z)
{
	const float x = z.x, y = z.y, r2 = fmaf(x, x, fmaf(y, y, 1e-12f)), r = sqrtf(r2);
	float s = 0, c = 0;
	if (V == 1)                                                     // sinusoidal
		return make_float2(sinf(x), sinf(y));
	if (V == 2)                                                     // spherical
		return make_float2(x / r2, y / r2);
	if (V == 3) {                                                   // swirl
		wave(r2, s, c);
		return make_float2(fmaf(x, s, -(y * c)), fmaf(x, c, y * s));
	}
	if (V == 4)                                                     // horseshoe
		return make_float2((x - y) * (x + y) / r, 2.0f * x * y / r);
	const float th = V >= 5 ? atan2f(x, y) : 0;
	if (V == 5)                                                     // polar
		return make_float2(th / PI, r - 1.0f);
	if (V == 6)                                                     // handkerchief
		return make_float2(r * sinf(th + r), r * cosf(th - r));
	if (V == 7) {                                                   // heart
		wave(th * r, s, c);
		return make_float2(r * s, -r * c);
	}
	if (V == 8) {                                                   // disc
		wave(PI * r, s, c);
		return make_float2(th / PI * s, th / PI * c);
	}
	if (V == 9) {                                                   // power
		wave(th, s, c);
		const float m = powf(r, s);
		return make_float2(m * c, m * s);
	}
	return z;                                                       // linear
}
static __host__ __device__ __forceinline__ int coordinate(float a)      // maps [-2, 2), clamped to the border
{
#ifdef __CUDA_ARCH__
	a = __fadd_rn(a, 2.0f);         // never contracted with a product before it: all kernels agree on every pixel
#else
	a = a + 2.0f;
#endif
	return int(fminf(fmaxf(a * (SIDE / 4), 0.0f), SIDE - 1.0f));
}
static __host__ __device__ __forceinline__ float2 vary_any(unsigned variation, float2 z)
{
	switch (variation) {
	case 1: return vary<1>(z);
	case 2: return vary<2>(z);
	case 3: return vary<3>(z);
	case 4: return vary<4>(z);
	case 5: return vary<5>(z);
	case 6: return vary<6>(z);
	case 7: return vary<7>(z);
	case 8: return vary<8>(z);
	case 9: return vary<9>(z);
	default: return z;
	}
}

#endif
