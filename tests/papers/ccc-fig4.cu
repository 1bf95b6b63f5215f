// SPDX-License-Identifier: MIT
// Khorasani and others, MICRO-48 2015. Figure 4(a): one vertex a thread. The paper rewrites the kernel and its launch by hand, to figure 4(b); here
// `grid` makes the loop, and the launch does not change.
// OPTIONS: --sms=1 --grid-blocks=2
// LAUNCH: CUDA_kernel_BFS --grid 47 --block 64 --arg s32:3000 --arg s32:0 --arg buf:12004:mod:6:1 --arg buf:12008:index:12 --arg buf:144100:mod:3000:4 --arg buf:4
// CHECK: CUDA_kernel_BFS context == 4
// CHECK: CUDA_kernel_BFS before_lanes_B < 20 && lanes_B > 90 && lanes > 90 && warps < before_warps

static __device__ __forceinline__ void process_nbrs(int vIdx, int curr, int *levels, const int *v, const int *e, bool *done)
{
	int eIdx = v[vIdx]; // [B]
	int nNbrs = v[vIdx + 1] - eIdx;
	for (int nbrIdx = 0; nbrIdx < nNbrs; ++nbrIdx) {
		int nbr = e[eIdx + nbrIdx];
		if (levels[nbr] > curr + 1) {
			levels[nbr] = curr + 1;
			*done = false;
		}
	}
}

#pragma ccc grid
extern "C" __global__ void CUDA_kernel_BFS(int numV, int curr, int *levels, const int *v, const int *e, bool *done)
{
	int vIdx = threadIdx.x + blockIdx.x * blockDim.x;
	if (vIdx < numV) {
		bool p = levels[vIdx] == curr;
		#pragma ccc if
		if (p)
			process_nbrs(vIdx, curr, levels, v, e, done);
	}
}
