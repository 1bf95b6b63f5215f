// SPDX-License-Identifier: MIT
// Han and Abdelrahman, GPGPU-4 2011. Figure 1: common forms of divergence; the paper treats only those with a loop around them, or with arms that are
// alike. 1(a) has one instruction in its path, nothing to collect, and nvcc makes it a predicated one. 1(b): `distribute` makes one addition.
// 1(c), with the loop over tasks that its threads lack: `for var`.
// LAUNCH: if_then_else --grid 1 --block 64 --arg buf:256:mod:2:1 --arg buf:256
// LAUNCH: trip_count --grid 1 --block 64 --arg s32:1600 --arg buf:6400:mod:60:1 --arg buf:256
// CHECK: if_then_else warps <= before_warps
// CHECK: trip_count before_lanes_C < 75 && lanes_C > 90 && warps_C < before_warps_C

extern "C" __global__ void if_then_else(const int *a, int *out)
{
	int tid = threadIdx.x, x = out[tid];
	#pragma ccc distribute
	if (a[tid] > 0) {
		++x;
		out[tid] = x;
	} else {
		--x;
		out[tid] = x;
	}
}

static __device__ __forceinline__ unsigned work(int i, int n)
{
	unsigned x = i + n;
#pragma unroll
	for (int k = 0; k < 16; ++k)
		x = (x ^ x >> 3) * 5; // [C]
	return x;
}

extern "C" __global__ void trip_count(int tasks, const int *a, unsigned *out)
{
	#pragma ccc for
	for (int task = threadIdx.x; task < tasks; task += blockDim.x) {
		int n = a[task];
		#pragma ccc for var
		for (int i = 0; i < n; ++i)
			atomicAdd(&out[i & 63], work(i, n));
	}
}
