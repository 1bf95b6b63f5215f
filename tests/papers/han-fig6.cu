// SPDX-License-Identifier: MIT
// Han and Abdelrahman, GPGPU-4 2011. Figure 6: arms of two multiply-adds each, with other factors, become one pair and selections; 6(b) by hand.
// LAUNCH: optimized --grid 1 --block 64 --arg f32:2 --arg f32:3 --arg f32:5 --arg f32:7 --arg buf:256:mod:2:1 --arg buf:256:real:1 --arg buf:256:real:2
// LAUNCH: original --grid 1 --block 64 --arg f32:2 --arg f32:3 --arg f32:5 --arg f32:7 --arg buf:256:mod:2:1 --arg buf:256:real:1 --arg buf:256:real:2
// CHECK: original lanes == 100 && warps <= before_warps && warps <= optimized_warps

extern "C" __global__ void original(float a1, float b1, float a2, float b2, const int *C, float *X, float *Y)
{
	int tid = threadIdx.x, c = C[tid];
	float x = X[tid], y = Y[tid];
	#pragma ccc distribute
	if (c > 0) {
		x = x * a1 + b1;
		y = y * a1 + b1;
	} else {
		x = x * a2 + b2;
		y = y * a2 + b2;
	}
	X[tid] = x;
	Y[tid] = y;
}

extern "C" __global__ void optimized(float a1, float b1, float a2, float b2, const int *C, float *X, float *Y)
{
	int tid = threadIdx.x, c = C[tid];
	float x = X[tid], y = Y[tid], a, b;
	if (c > 0) {
		a = a1;
		b = b1;
	} else {
		a = a2;
		b = b2;
	}
	x = x * a + b;
	y = y * a + b;
	X[tid] = x;
	Y[tid] = y;
}
