// SPDX-License-Identifier: MIT
// Damani and others, CGO 2020. Figures 1 and 2(a), listing 1: iteration delay. Predict(L1) and the label L1 become one annotation before the statement;
// without a threshold all lanes wait, as in listing 1. `soft`: the soft barrier (4.6, figure 6) for 16 lanes, the minimum being the threshold.
// `on_the_if`: before the `if` itself no lane is ahead of the others; this is refused.
// SAYS: each iteration executes the predicted statement, so no lane is ahead there
// LAUNCH: listing_1 --grid 1 --block 64 --arg s32:800 --arg buf:256
// LAUNCH: soft --grid 1 --block 64 --arg s32:800 --arg buf:256
// LAUNCH: on_the_if --grid 1 --block 64 --arg s32:800 --arg buf:256
// CHECK: listing_1 before_lanes_L < 10 && lanes_L > 75 && lanes > before_lanes
// CHECK: soft before_lanes_L < 10 && lanes_L > 45 && warps < before_warps && warps < listing_1_warps
// CHECK: on_the_if warps == before_warps

struct State {
	unsigned s, sum;
	__device__ State() : s(threadIdx.x * 2654435761u | 1u), sum(0) {}
};
static __device__ __forceinline__ void Prolog(State &a)
{
	a.s ^= a.s << 13;
	a.s ^= a.s >> 17;
	a.s ^= a.s << 5;
}
static __device__ __forceinline__ bool divergent_condition(const State &a) { return a.s < 1u << 28; }
static __device__ __forceinline__ void Expensive(State &a)
{
	float x = a.s; // [L]
#pragma unroll 1
	for (int q = 0; q < 8; ++q)
#pragma unroll
		for (int k = 0; k < 20; ++k)
			x = fmaf(x, 0.75f, 0.5f);
	a.sum += __float_as_uint(x);
}
static __device__ __forceinline__ void Epilog(State &a) { a.sum = a.sum * 5 + 1; }

extern "C" __global__ void listing_1(int N, unsigned *out)
{
	State a;
	#pragma ccc for
	for (int i = 0; i < N; i++) {
		Prolog(a);
		if (divergent_condition(a)) {
			#pragma ccc predict
			Expensive(a);
		}
		Epilog(a);
	}
	out[threadIdx.x] = a.sum;
}

extern "C" __global__ void soft(int N, unsigned *out)
{
	State a;
	#pragma ccc for
	for (int i = 0; i < N; i++) {
		Prolog(a);
		if (divergent_condition(a)) {
			#pragma ccc predict threshold(16)
			Expensive(a);
		}
		Epilog(a);
	}
	out[threadIdx.x] = a.sum;
}

extern "C" __global__ void on_the_if(int N, unsigned *out)
{
	State a;
	#pragma ccc for
	for (int i = 0; i < N; i++) {
		Prolog(a);
		#pragma ccc predict
		if (divergent_condition(a))
			Expensive(a);
		Epilog(a);
	}
	out[threadIdx.x] = a.sum;
}
