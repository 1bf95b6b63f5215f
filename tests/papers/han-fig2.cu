// SPDX-License-Identifier: MIT
// Han and Abdelrahman, GPGPU-4 2011. Figures 2 and 3: three threads, with three iterations each, through a branch whose arms have 100 multiply-adds each.
// An arm's line has 102, two of them for constants. An arm is executed six times without delays (2(a)), four times with majority vote or
// round-robin (2(b)), five times if the first round takes the minority (2(c)). Figure 3: majority vote delays thread 2 until the others have left the
// loop, six times instead of four; round-robin, four times.
// LAUNCH: majority --grid 1 --block 3 --arg s32:0 --arg buf:12
// LAUNCH: round_robin --grid 1 --block 3 --arg s32:0 --arg buf:12
// LAUNCH: minority_first --grid 1 --block 3 --arg s32:0 --arg buf:12
// LAUNCH: extreme --grid 1 --block 3 --arg s32:1 --arg buf:12
// LAUNCH: extreme_robin --grid 1 --block 3 --arg s32:1 --arg buf:12
// CHECK: majority (before_warps_T + before_warps_N) / 102 == 6 && (warps_T + warps_N) / 102 == 4
// CHECK: round_robin (before_warps_T + before_warps_N) / 102 == 6 && (warps_T + warps_N) / 102 == 4
// CHECK: minority_first (before_warps_T + before_warps_N) / 102 == 6 && (warps_T + warps_N) / 102 == 5
// CHECK: extreme (before_warps_T + before_warps_N) / 102 == 4 && (warps_T + warps_N) / 102 == 6
// CHECK: extreme_robin (before_warps_T + before_warps_N) / 102 == 4 && (warps_T + warps_N) / 102 == 4

// Directions of figure 2 and figure 3, bit 3 * (iteration of the thread) + thread.
static __device__ __forceinline__ bool taken(int figure, int i) { return (figure ? 0x1fd : 0x075) >> (3 * i + threadIdx.x) & 1; }

#define KERNEL(NAME, POLICY)                                       \
	extern "C" __global__ void NAME(int figure, float *out)    \
	{                                                          \
		float x = threadIdx.x;                             \
		_Pragma("ccc for")                                 \
		for (int i = 0; i < 3; ++i) {                      \
			_Pragma(POLICY)                            \
			if (taken(figure, i))                      \
				x = side_t(x);                     \
			else                                       \
				x = side_n(x);                     \
		}                                                  \
		out[threadIdx.x] = x;                              \
	}

static __device__ __forceinline__ float side_t(float x)
{
#pragma unroll
	for (int k = 0; k < 100; ++k)
		x = fmaf(x, 0.75f, 0.5f); // [T]
	return x;
}
static __device__ __forceinline__ float side_n(float x)
{
#pragma unroll
	for (int k = 0; k < 100; ++k)
		x = fmaf(x, -0.5f, 0.25f); // [N]
	return x;
}
KERNEL(majority, "ccc delay policy(majority) threshold(2)")
KERNEL(round_robin, "ccc delay policy(cycle)")
KERNEL(extreme, "ccc delay policy(majority) threshold(2)")
KERNEL(extreme_robin, "ccc delay policy(cycle)")

// The other way round: the first round takes the N side.
extern "C" __global__ void minority_first(int figure, float *out)
{
	float x = threadIdx.x;
	#pragma ccc for
	for (int i = 0; i < 3; ++i) {
		#pragma ccc delay policy(cycle)
		if (!taken(figure, i))
			x = side_n(x);
		else
			x = side_t(x);
	}
	out[threadIdx.x] = x;
}
