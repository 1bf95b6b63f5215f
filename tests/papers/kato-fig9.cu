// SPDX-License-Identifier: MIT
// Kato, Suda and Tamada. Figures 6 and 9, and the kernel of figure A-2, in a loop over DATA_PER_THREAD elements; figure 10 and kernelEnhanced by hand (which skips
// element 0 and does not end, as printed). The paper's functions are the same; so that nvcc does not merge them, B differs. Table 4: 79.5 % of lanes at 64.
// LAUNCH: kernelEnhanced --grid 1 --block 64 --arg s32:4096 --arg buf:16384:rand:1 --arg buf:16384
// LAUNCH: kernel --grid 1 --block 64 --arg s32:4096 --arg buf:16384:rand:1 --arg buf:16384
// LAUNCH: kernel_both --grid 1 --block 64 --arg s32:4096 --arg buf:16384:rand:1 --arg buf:16384
// CHECK: kernel before_lanes_A < 55 && before_lanes_B < 55 && lanes_A > 65 && lanes_B > 65 && warps < before_warps
// CHECK: kernel_both before_lanes_A < 55 && before_lanes_B < 55 && lanes_A > 65 && lanes_B > 65 && warps < before_warps
#define LOOP 50

static __device__ __forceinline__ int functionA(int tmp)
{
#pragma unroll
	for (int i = 0; i < LOOP; i++)
		tmp = 0xffff & (tmp * tmp + tmp); // [A]
	return tmp;
}
static __device__ __forceinline__ int functionB(int tmp)
{
#pragma unroll
	for (int i = 0; i < LOOP; i++)
		tmp = 0xffff & (tmp * tmp ^ tmp); // [B]
	return tmp;
}
static __device__ __forceinline__ bool branch(int length) { return length & 0x400; }

// A settlement in each arm.
extern "C" __global__ void kernel(int elements, const int *length_ary, int *out_ary)
{
	#pragma ccc for
	for (int i = threadIdx.x; i < elements; i += blockDim.x) {
		int length = length_ary[i];
		#pragma ccc unify
		if (branch(length))
			out_ary[i] = functionA(i);
		else
			out_ary[i] = functionB(i);
	}
}

// Figure 9's settlement, after the branch.
extern "C" __global__ void kernel_both(int elements, const int *length_ary, int *out_ary)
{
	#pragma ccc for
	for (int i = threadIdx.x; i < elements; i += blockDim.x) {
		int length = length_ary[i], data;
		#pragma ccc unify
		if (branch(length))
			data = functionA(i);
		else
			data = functionB(i);
		out_ary[i] = data;
	}
}

extern "C" __global__ void kernelEnhanced(int elements, const int *length_ary, int *out_ary)
{
	int counter_A = threadIdx.x, counter_B = threadIdx.x, step = blockDim.x;
	while (true) {
		{
			int use_data = -1;
			for (int i = counter_A; i < elements; i += step) {
				if (branch(length_ary[i])) {
					use_data = i;
					counter_A = i + step;
					break;
				}
				counter_A = i + step;
			}
			if (use_data >= 0)
				out_ary[use_data] = functionA(use_data);
		}
		{
			int use_data = -1;
			for (int i = counter_B; i < elements; i += step) {
				if (!branch(length_ary[i])) {
					use_data = i;
					counter_B = i + step;
					break;
				}
				counter_B = i + step;
			}
			if (use_data >= 0)
				out_ary[use_data] = functionB(use_data);
		}
		if (counter_A >= elements && counter_B >= elements)
			break;
	}
}
