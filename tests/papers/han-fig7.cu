// SPDX-License-Identifier: MIT
// Han and Abdelrahman, GPGPU-4 2011. Figure 7: SYN-BRDIS with M = 1 and N = 80, so that R = 4: the common code is four times as long as the divergent
// code of an arm. 7(b) by hand. By the paper's rule the gain is at most 2(1 + R) / (2 + R) = 1.67.
// LAUNCH: optimized --grid 1 --block 64 --arg s32:20 --arg buf:256
// LAUNCH: original --grid 1 --block 64 --arg s32:20 --arg buf:256
// CHECK: original before_lanes < 60 && warps <= optimized_warps * 1.05 && before_warps / warps > 1.4

// 20 dependent multiply-adds, other ones in each segment.
template <int S> static __device__ __forceinline__ float code_segment(float val)
{
#pragma unroll
	for (int k = 0; k < 20; ++k)
		val = S == 1 ? fmaf(val, 2.0f, 1.0f) : S == 2 ? val * val : S == 3 ? fmaf(val, 0.5f, val) : fabsf(val) + 0.5f;
	return val;
}
static __device__ __forceinline__ float code_factored_out(float vin)
{
#pragma unroll
	for (int k = 0; k < 80; ++k) {
		vin = fmaf(vin, 2.0f, 1.0f);
		vin = fmaf(vin, 0.5f, -0.5f);
	}
	return vin;
}
static __device__ __forceinline__ float random(unsigned &s)
{
	s ^= s << 13;
	s ^= s >> 17;
	s ^= s << 5;
	return s * 0x1p-33f;
}

extern "C" __global__ void original(int N_ITERATIONS, float *result)
{
	unsigned s = threadIdx.x * 2654435761u | 1u;
	float val = 0;
	for (int i = 0; i < N_ITERATIONS; ++i) {
		val = random(s);
		#pragma ccc distribute
		if ((threadIdx.x + i) & 1) {
			val = code_segment<1>(val);
			val = code_factored_out(val);
			val = code_segment<3>(val);
		} else {
			val = code_segment<2>(val);
			val = code_factored_out(val);
			val = code_segment<4>(val);
		}
	}
	result[threadIdx.x] = val;
}

extern "C" __global__ void optimized(int N_ITERATIONS, float *result)
{
	unsigned s = threadIdx.x * 2654435761u | 1u;
	float val = 0;
#pragma unroll 1
	for (int i = 0; i < N_ITERATIONS; ++i) {
		val = random(s);
		if ((threadIdx.x + i) & 1)
			val = code_segment<1>(val);
		else
			val = code_segment<2>(val);
		val = code_factored_out(val);
		if ((threadIdx.x + i) & 1)
			val = code_segment<3>(val);
		else
			val = code_segment<4>(val);
	}
	result[threadIdx.x] = val;
}
