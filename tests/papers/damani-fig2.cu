// SPDX-License-Identifier: MIT
// Damani and others, CGO 2020. Figure 2(b): an inner loop with another trip count in each lane (loop merge). Figure 2(c): both sides call foo, which is
// executed once for both; 4.4 names the function, here each call is annotated. `extern_calls`: calls that cannot be seen are in a wrapper.
// LAUNCH: loop_merge --grid 1 --block 64 --arg s32:120 --arg buf:256
// LAUNCH: common_call --grid 1 --block 64 --arg s32:20 --arg buf:256
// LAUNCH: by_wrapper --grid 1 --block 64 --arg s32:20 --arg buf:256
// CHECK: loop_merge before_lanes_L < 50 && lanes_L > 75 && warps < before_warps
// CHECK: common_call before_lanes_E < 55 && lanes_E == 100 && warps < before_warps * 0.65
// CHECK: by_wrapper before_lanes_E < 55 && lanes_E == 100 && warps < before_warps * 0.65

struct State {
	unsigned s;
	float sum;
	__device__ State() : s(threadIdx.x * 2654435761u | 1u), sum(0) {}
};
static __device__ __forceinline__ void Prolog(State &a)
{
	a.s ^= a.s << 13;
	a.s ^= a.s >> 17;
	a.s ^= a.s << 5;
}
static __device__ __forceinline__ void Epilog(State &a) { a.sum = fmaf(a.sum, 0.5f, 1.0f); }

extern "C" __global__ void loop_merge(int N, float *out)
{
	State a;
	#pragma ccc for
	for (int i = 0; i < N; i++) {
		Prolog(a);
		int trips = a.s >> 26;
		trips = trips * trips >> 6;
		#pragma ccc predict threshold(24)
		for (int j = 0; j < trips; j++) { // divergent_condition()
			float x = a.sum + j; // [L]
#pragma unroll
			for (int k = 0; k < 20; ++k)
				x = fmaf(x, 0.75f, 0.5f);
			a.sum += x;
		}
		Epilog(a);
	}
	out[threadIdx.x] = a.sum;
}

static __device__ __noinline__ float foo(float x)
{
	for (int q = 0; q < 8; ++q)
#pragma unroll
		for (int k = 0; k < 20; ++k)
			x = fmaf(x, 0.75f, 0.5f); // [E]
	return x;
}

extern "C" __global__ void common_call(int N, float *out)
{
	State a;
	for (int i = 0; i < N; i++) {
		Prolog(a);
		if (a.s & 256) {
			#pragma ccc predict
			a.sum = foo(a.sum);
		} else {
			a.sum = a.sum * 3 + 1;
			#pragma ccc predict
			a.sum = foo(a.sum);
			a.sum += 2;
		}
	}
	out[threadIdx.x] = a.sum;
}

// The paper's wrapper for functions of other files.
static __device__ __noinline__ float wrapper(float x) { return foo(x) + 1; }

extern "C" __global__ void by_wrapper(int N, float *out)
{
	State a;
	for (int i = 0; i < N; i++) {
		Prolog(a);
		if (a.s & 256) {
			#pragma ccc predict
			a.sum = wrapper(a.sum);
		} else {
			a.sum = a.sum * 3 + 1;
			#pragma ccc predict
			a.sum = wrapper(a.sum);
		}
	}
	out[threadIdx.x] = a.sum;
}
