// SPDX-License-Identifier: MIT
// Han and Abdelrahman, GPGPU-4 2011. Figure 8: photons in layered tissue, with `delay` on the branch of line 4; figure 9: the branch of lines 5 and 6,
// whose arms are alike except for the next layer and two signs, with `distribute`. `both` has both annotations.
// LAUNCH: delayed --grid 1 --block 64 --arg s32:150 --arg buf:256 --arg buf:256
// LAUNCH: distributed --grid 1 --block 64 --arg s32:150 --arg buf:256 --arg buf:256
// LAUNCH: both --grid 1 --block 64 --arg s32:150 --arg buf:256 --arg buf:256
// CHECK: delayed before_lanes < 60 && lanes > before_lanes + 5
// CHECK: distributed warps < before_warps && lanes > before_lanes + 10
// CHECK: both lanes > before_lanes + 5 && warps < delayed_warps

struct Photon {
	unsigned s;
	float uz, weight;
	int layer;
	bool dead;

	__device__ __forceinline__ float rand()
	{
		s = s * 1664525u + 1013904223u;
		return (s >> 8) * 0x1p-24f;
	}
	__device__ __forceinline__ void init()
	{
		uz = 1.0f;
		weight = 1.0f;
		layer = 0;
		dead = false;
	}
};
static __device__ __forceinline__ float IOR(int layer) { return 1.25f + 0.0625f * (layer & 7); }
static __device__ __forceinline__ float RFresnel(float ni, float nt, float uz)
{
	float r = ni / nt, c = uz;
	float s2 = r * r * (1 - c * c), t = sqrtf(fmaxf(1 - s2, 0.0f));
	float a = (ni * c - nt * t) / (ni * c + nt * t), b = (ni * t - nt * c) / (ni * t + nt * c);
	return s2 >= 1 ? 1.0f : 0.5f * (a * a + b * b);
}
#define MAX_LAYER 6

#define MCML(NAME, DELAY, DISTRIBUTE)                                                                    \
	extern "C" __global__ void NAME(int steps, float *left, int *deaths)                             \
	{                                                                                                \
		Photon p;                                                                                \
		p.s = threadIdx.x * 2654435761u | 1u;                                                    \
		p.init();                                                                                \
		float tissue = 0;                                                                        \
		int died = 0;                                                                            \
		_Pragma("ccc for")                                                                       \
		for (int i = 0; i < steps; ++i) {                                                        \
			float moved = p.rand();                                                          \
			DELAY                                                                            \
			if (moved < 0.5f) {                                                              \
				DISTRIBUTE                                                               \
				if (p.uz > 0) {                                                          \
					float ni = IOR(p.layer), nt = IOR(p.layer + 1);                  \
					float r = RFresnel(ni, nt, p.uz);                                \
					if (p.rand() > r) {                                              \
						++p.layer;                                               \
						if (p.layer > MAX_LAYER)                                 \
							p.dead = true;                                   \
						else                                                     \
							p.uz = 0.5f * p.uz + 0.25f;                      \
					} else                                                           \
						p.uz = -p.uz;                                            \
				} else {                                                                 \
					float ni = IOR(p.layer), nt = IOR(p.layer - 1);                  \
					float r = RFresnel(ni, nt, -p.uz);                               \
					if (p.rand() > r) {                                              \
						--p.layer;                                               \
						if (p.layer < 0)                                         \
							p.dead = true;                                   \
						else                                                     \
							p.uz = 0.5f * p.uz + 0.25f;                      \
					} else                                                           \
						p.uz = -p.uz;                                            \
				}                                                                        \
			} else                                                                           \
				drop(p, tissue);                                                         \
			if (p.weight < 0.0001f || p.dead) {                                              \
				++died;                                                                  \
				p.init();                                                                \
			}                                                                                \
		}                                                                                        \
		left[threadIdx.x] = tissue;                                                              \
		deaths[threadIdx.x] = died;                                                              \
	}

static __device__ __forceinline__ void drop(Photon &p, float &tissue)
{
	float w = p.weight * 0.0625f;
	tissue += w;
	p.weight -= w;
#pragma unroll
	for (int k = 0; k < 30; ++k) // the direction after scattering
		p.uz = fmaf(p.uz, 0.9375f, 0.03125f * (p.uz > 0 ? -1 : 1));
}
#define NONE
MCML(delayed, _Pragma("ccc delay policy(live)"), NONE)
MCML(distributed, NONE, _Pragma("ccc distribute"))
MCML(both, _Pragma("ccc delay policy(live)"), _Pragma("ccc distribute"))
