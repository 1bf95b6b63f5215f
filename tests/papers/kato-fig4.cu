// SPDX-License-Identifier: MIT
// Kato, Suda and Tamada. Figures 1 and 4, and the kernel of figure A-1: each thread calls function() as often as its element says; figure 5 and kernelEnhanced
// by hand, where the threads of a block draw elements. `assign` draws for a warp.
// LAUNCH: kernelEnhanced --grid 1 --block 64 --arg s32:6400 --arg buf:25600:rand:1 --arg buf:25600
// LAUNCH: kernel --grid 1 --block 64 --arg s32:6400 --arg buf:25600:rand:1 --arg buf:25600
// CHECK: kernel before_lanes_F < 55 && lanes_F > 75 && warps < before_warps && warps < kernelEnhanced_warps * 1.1
#define LOOP_NUM 16
#define BLOCK_DIM 64

static __device__ __forceinline__ int input_value(const int *input_array, int i)
{
	return 1 + (input_array[i] >> 8 & 31);
}
static __device__ __forceinline__ int function(int tmp)
{
#pragma unroll 16
	for (int i = 0; i < LOOP_NUM; i++)
		tmp = 0xffff & (tmp * tmp + tmp); // [F]
	return tmp;
}

extern "C" __global__ void kernel(int elements, const int *input_array, int *out_array)
{
	#pragma ccc assign
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < elements; i += gridDim.x * blockDim.x) {
		int input_val = input_value(input_array, i);
		int num = input_val;
		#pragma ccc for var
		for (; input_val > 0; --input_val)
			num = function(num);
		out_array[i] = num;
	}
}

// The paper's data of a block are contiguous; here they are those of the loop above.
extern "C" __global__ void kernelEnhanced(int elements, const int *input_array, int *out_array)
{
	__shared__ int counter;
	if (threadIdx.x == 0)
		counter = BLOCK_DIM;
	__syncthreads();
	int ARRAY_PER_BLOCK = elements / gridDim.x;
	int current_array = threadIdx.x;
	int at = current_array / BLOCK_DIM * (gridDim.x * BLOCK_DIM) + blockIdx.x * BLOCK_DIM + current_array % BLOCK_DIM;
	int input_val = input_value(input_array, at);
	int num = input_val;
	while (1) {
		num = function(num);
		input_val--;
		if (input_val == 0) {
			out_array[at] = num;
			int next_array = atomicAdd(&counter, 1);
			if (next_array < ARRAY_PER_BLOCK) {
				current_array = next_array;
				at = current_array / BLOCK_DIM * (gridDim.x * BLOCK_DIM) + blockIdx.x * BLOCK_DIM + current_array % BLOCK_DIM;
				input_val = input_value(input_array, at);
				num = input_val;
			} else
				break;
		}
	}
}
