// SPDX-License-Identifier: MIT
// Khorasani and others, MICRO-48 2015. Figure 7: variations of a fractal flame. Each case has a buffer of 8 bytes a task, x and y; three are
// collected, as in the paper (4.3). The paper shows cases 0, 1 and 7; the others are from its source, flam3.
// LAUNCH: variations --grid 1 --block 64 --arg s32:6000 --arg buf:48000:real:3 --arg buf:24000:rand:5 --arg buf:4096
// CHECK: variations context == 24 && before_lanes_B < 20 && lanes_B > 85 && warps < before_warps
struct cuFloatComplex { float x, y; };
typedef unsigned uint;
static __device__ __forceinline__ cuFloatComplex make_cuFloatComplex(float x, float y) { return {x, y}; }

static __device__ __forceinline__ cuFloatComplex variation_gen(const float x, const float y, const uint var)
{
	#pragma ccc switch policy(stack) paths(3)
	switch (var) {
	case 0: // Linear variation.
		return make_cuFloatComplex(x, y);
	case 1: // Sinusoidal variation.
		return make_cuFloatComplex(sinf(x), sinf(y));
	case 2: { // Spherical variation.
		float r = x * x + y * y + 1e-6f;
		return make_cuFloatComplex(x / r, y / r);
	}
	case 3: { // Swirl variation.
		float r = x * x + y * y, s = sinf(r), c = cosf(r);
		return make_cuFloatComplex(x * s - y * c, x * c + y * s);
	}
	case 4: { // Horseshoe variation.
		float r = sqrtf(x * x + y * y) + 1e-6f;
		return make_cuFloatComplex((x - y) * (x + y) / r, 2 * x * y / r);
	}
	case 5: { // Handkerchief variation.
		float theta = atanf(x / y), r = sqrtf(x * x + y * y);
		return make_cuFloatComplex(r * sinf(theta + r), r * cosf(theta - r));
	}
	case 6: { // Heart variation.
		float theta = atanf(x / y), r = sqrtf(x * x + y * y);
		return make_cuFloatComplex(r * sinf(theta * r), -r * cosf(theta * r));
	}
	default: { // Power variation.
		float theta = atanf(x / y);
		float len = sqrtf(x * x + y * y);
		float sinTh = sinf(theta); // [B]
		float mul = powf(len, sinTh);
		float r = mul * cosf(theta);
		float i = mul * sinf(theta);
		return make_cuFloatComplex(r, i);
	}
	}
}

extern "C" __global__ void variations(int n, const cuFloatComplex *in, const uint *var, int *image)
{
	#pragma ccc for
	for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += blockDim.x * gridDim.x) {
		cuFloatComplex z = in[i], w = variation_gen(z.x, z.y, var[i] & 7);
		int x = (int)(w.x * 8) & 31, y = (int)(w.y * 8) & 31;
		atomicAdd(&image[32 * y + x], 1);
	}
}
