// SPDX-License-Identifier: MIT
// Khorasani and others, MICRO-48 2015. Figures 13 and 14: a path of 20 multiply-adds, which 8 of 32 lanes take; context 4 bytes.
// LAUNCH: quarter --grid 1 --block 64 --arg s32:16384 --arg buf:65536
// CHECK: quarter context == 4 && before_lanes_B == 25 && lanes_B > 96.6 && warps < before_warps

extern "C" __global__ void quarter(int n, float *out)
{
	#pragma ccc for
	for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += blockDim.x * gridDim.x) {
		unsigned r = (i ^ i >> 5) * 8 + (i >> 2 & 7);
		#pragma ccc if policy(stack)
		if ((r & 31) < 8) {
			float x = i;
			for (int k = 0; k < 20; ++k)
				x = fmaf(x, 0.75f, 0.5f); // [B]
			out[i] = x;
		}
	}
}
