// SPDX-License-Identifier: MIT
// Han and Abdelrahman, GPGPU-4 2011. Figure 4 as SYN-ITDELAY (4.1.1): random directions, arms of 160 multiply-adds, about 20 instructions beside them.
// Figure 5 by hand: majority vote, whose part against starvation the paper leaves out, and round-robin with cycle 25 % and without idle rounds,
// where one direction in four takes the first arm.
// The same by annotation: no more warp instructions than by hand.
// LAUNCH: majority_hand --grid 1 --block 64 --arg s32:60 --arg s32:2 --arg buf:256
// LAUNCH: robin_hand --grid 1 --block 64 --arg s32:60 --arg s32:1 --arg buf:256
// LAUNCH: majority --grid 1 --block 64 --arg s32:60 --arg s32:2 --arg buf:256
// LAUNCH: robin --grid 1 --block 64 --arg s32:60 --arg s32:1 --arg buf:256
// LAUNCH: robin_idle --grid 1 --block 64 --arg s32:60 --arg s32:1 --arg buf:256
// LAUNCH: live --grid 1 --block 64 --arg s32:60 --arg s32:2 --arg buf:256
// CHECK: majority before_lanes_T < 55 && before_lanes_N < 55 && warps <= majority_hand_warps * 1.02
// CHECK: robin before_lanes_T < 25 && lanes_T > 50 && warps <= robin_hand_warps * 1.02
// CHECK: live lanes_T > 55 && lanes_N > 55 && warps < before_warps
// CHECK: robin_idle warps >= robin_warps * 0.95

struct Random {
	unsigned s;
	__device__ Random() : s(threadIdx.x * 2654435761u | 1u) {}
	__device__ __forceinline__ bool cond(int f) // 19 instructions of the paper's generator
	{
		s ^= s << 13;
		s ^= s >> 17;
		s ^= s << 5;
		return (s >> 8 & 3) < f;
	}
};
static __device__ __forceinline__ float code_segment_1(float val)
{
#pragma unroll 1
	for (int q = 0; q < 8; ++q) {
#pragma unroll
		for (int k = 0; k < 10; ++k) {
			val = fmaf(val, 2.0f, 1.0f); // [T]
			val = fmaf(val, 0.5f, -0.5f);
		}
	}
	return val;
}
static __device__ __forceinline__ float code_segment_2(float val)
{
#pragma unroll 1
	for (int q = 0; q < 8; ++q) {
#pragma unroll
		for (int k = 0; k < 10; ++k) {
			val = fmaf(val, 4.0f, 3.0f); // [N]
			val = fmaf(val, 0.25f, -0.625f);
		}
	}
	return val;
}
static __device__ __forceinline__ float non_branch_code(float val)
{
#pragma unroll
	for (int k = 0; k < 5; ++k)
		val = fmaf(val, -0.75f, 0.25f);
	return val;
}

#define ANNOTATED(NAME, POLICY)                                          \
	extern "C" __global__ void NAME(int N_ITERATIONS, int f, float *result) \
	{                                                                \
		Random r;                                                \
		float val = threadIdx.x;                                 \
		_Pragma("ccc for")                                       \
		for (int i = 0; i < N_ITERATIONS; ++i) {                 \
			bool cond = r.cond(f);                            \
			_Pragma(POLICY)                                  \
			if (cond)                                        \
				val = code_segment_1(val);               \
			else                                             \
				val = code_segment_2(val);               \
			val = non_branch_code(val);                      \
		}                                                        \
		result[threadIdx.x] = val;                               \
	}
ANNOTATED(majority, "ccc delay policy(majority)")
ANNOTATED(robin, "ccc delay policy(cycle(1,3))")
ANNOTATED(robin_idle, "ccc delay policy(cycle(1,3)) idle")
ANNOTATED(live, "ccc delay policy(live)")

// Figure 5(a).
extern "C" __global__ void majority_hand(int N_ITERATIONS, int f, float *result)
{
	Random r;
	float val = threadIdx.x;
	const int thresh = 16;
	bool not_delayed = true, cond = false, all = true;
	for (int i = 0; i < N_ITERATIONS;) {
		if (not_delayed)
			cond = r.cond(f);
		if (__popc(__activemask()) < 32) // a thread has left the loop: none waits from now on
			all = false;
		bool cond_for_all = __popc(__ballot_sync(__activemask(), cond)) >= thresh;
		not_delayed = cond_for_all == cond || !all;
		if (not_delayed) {
			if (cond)
				val = code_segment_1(val);
			else
				val = code_segment_2(val);
			val = non_branch_code(val);
			++i;
		}
		__syncwarp(__activemask());
	}
	result[threadIdx.x] = val;
}

// Figure 5(b).
extern "C" __global__ void robin_hand(int N_ITERATIONS, int f, float *result)
{
	Random r;
	float val = threadIdx.x;
	int num_zeros = 3, num_ones = 1, period = num_zeros + num_ones, counter = -1;
	bool not_delayed = true, cond = false;
	unsigned live = ~0u;
	for (int i = 0; i < N_ITERATIONS;) {
		if (not_delayed)
			cond = r.cond(f);
		if (++counter == period)
			counter = 0;
		bool cond_for_all = counter >= num_zeros;
		cond_for_all = cond_for_all ? __any_sync(live, cond) : __all_sync(live, cond);
		not_delayed = cond_for_all == cond;
		if (not_delayed) {
			if (cond_for_all)
				val = code_segment_1(val);
			else
				val = code_segment_2(val);
			val = non_branch_code(val);
			++i;
		}
		live = __ballot_sync(live, i < N_ITERATIONS);
	}
	result[threadIdx.x] = val;
}
