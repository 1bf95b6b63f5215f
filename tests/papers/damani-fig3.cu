// SPDX-License-Identifier: MIT
// Damani and others, CGO 2020. Figure 3: RSBench. A task takes a random material of 4 to 321 nuclides, by the program's probabilities, and sums over
// them; the sum has its order.
// LAUNCH: RSBench_lookup_kernel --grid 1 --block 64 --arg s32:60 --arg buf:1024
// CHECK: RSBench_lookup_kernel before_lanes_L < 40 && lanes_L > 50 && warps < before_warps * 0.5

static __constant__ int nuclides[12] = {321, 5, 4, 4, 27, 21, 21, 21, 21, 21, 9, 9};
static __constant__ float until[12] = {0.140f, 0.192f, 0.467f, 0.601f, 0.755f, 0.819f, 0.885f, 0.940f, 0.948f, 0.963f, 0.988f, 1.001f};

extern "C" __global__ void RSBench_lookup_kernel(int tasks, float4 *out)
{
	unsigned s = threadIdx.x * 2654435761u | 1u;
	float4 all = make_float4(0, 0, 0, 0);
	#pragma ccc for
	for (int task = 0; task < tasks; ++task) {
		s = s * 747796405u + 2891336453u;
		unsigned r = (s >> (s >> 28) + 4 ^ s) * 277803737u;
		float roll = (r >> 8) * 0x1p-24f, e = 0.25f + (s >> 8) * 0x1p-24f;
		int material = 0;
		while (material < 11 && roll >= until[material])
			++material;
		float4 xs = make_float4(0, 0, 0, 0);
		// Predict(L1)
		#pragma ccc predict threshold(24)
		for (int nuclide = 0; nuclide < nuclides[material]; ++nuclide) {
			float q = 0.1f + 0.001f * nuclide, d = e - q; // [L]
#pragma unroll
			for (int pole = 0; pole < 2; ++pole) {
				float rr = __fdividef(1.0f, d * d + 0.25f), re = fabsf(d) * rr, im = q * rr;
				xs.x = fmaf(q, re, xs.x);
				xs.y = fmaf(q, im, xs.y);
				xs.z = fmaf(re, im, xs.z);
				xs.w = fmaf(im, im, xs.w);
				d = fmaf(d, -0.9375f, 0.171875f);
			}
		}
		all.x += xs.x;
		all.y += xs.y;
		all.z += xs.z;
		all.w += xs.w;
	}
	out[threadIdx.x] = all;
}
