// SPDX-License-Identifier: MIT
// Khorasani and others, MICRO-48 2015. Figure 1(a): breadth-first search, one level; figure 3: the same by hand, with the section for the
// tasks that are left, which the paper does not show. Context: the vertex. Block B runs with all lanes, as often as by hand.
// LAUNCH: CUDA_kernel_BFS_CCC --grid 2 --block 64 --arg s32:6000 --arg s32:0 --arg buf:24004:mod:6:1 --arg buf:24008:index:3 --arg buf:72100:mod:6000:4 --arg buf:4
// LAUNCH: CUDA_kernel_BFS --grid 2 --block 64 --arg s32:6000 --arg s32:0 --arg buf:24004:mod:6:1 --arg buf:24008:index:3 --arg buf:72100:mod:6000:4 --arg buf:4
// CHECK: CUDA_kernel_BFS context == 4
// CHECK: CUDA_kernel_BFS before_lanes_B < 20 && lanes_B > 95 && lanes > 95
// CHECK: CUDA_kernel_BFS warps_B == CUDA_kernel_BFS_CCC_warps_B && warps < CUDA_kernel_BFS_CCC_warps * 1.1
#define CTA_WIDTH 64

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

extern "C" __global__ void CUDA_kernel_BFS(int numV, int curr, int *levels, const int *v, const int *e, bool *done)
{
	#pragma ccc for const
	for (int vIdx = threadIdx.x + blockIdx.x * blockDim.x; vIdx < numV; vIdx += blockDim.x * gridDim.x) {
		bool p = levels[vIdx] == curr; // Block A.
		#pragma ccc if
		if (p)
			process_nbrs(vIdx, curr, levels, v, e, done); // Block B.
	}
}

static __device__ __forceinline__ unsigned getLaneMaskLE_PTXWrapper()
{
	unsigned m;
	asm("mov.u32 %0, %%lanemask_le;" : "=r"(m));
	return m;
}

// In lockstep: whole warps go through the loop, and __syncwarp orders the accesses to the stack, which Volta and later GPUs require.
extern "C" __global__ void CUDA_kernel_BFS_CCC(int numV, int curr, int *levels, const int *v, const int *e, bool *done)
{
	volatile __shared__ int cxtStack[CTA_WIDTH];
	int stackTop = 0;
	int wOffset = threadIdx.x & ~31;
	unsigned lanemask_le = getLaneMaskLE_PTXWrapper();
	for (int vIdx = threadIdx.x + blockIdx.x * blockDim.x; vIdx - (threadIdx.x & 31) < numV; vIdx += gridDim.x * blockDim.x) {
		bool p = vIdx < numV && levels[vIdx] == curr; // Block A.
		int jIdx = vIdx;
		unsigned pthBlt = __ballot_sync(~0u, !p);
		int reducedNTaken = __popc(pthBlt);
		if (stackTop >= reducedNTaken) { // All take path.
			int wScan = __popc(pthBlt & lanemask_le);
			int pos = wOffset + stackTop - wScan;
			if (!p)
				jIdx = cxtStack[pos]; // Pop.
			stackTop -= reducedNTaken;
			__syncwarp();
			process_nbrs(jIdx, curr, levels, v, e, done); // Block B.
			__syncwarp();
		} else { // None take path.
			int wScan = __popc(~pthBlt & lanemask_le);
			int pos = wOffset + stackTop + wScan - 1;
			if (p)
				cxtStack[pos] = jIdx; // Push.
			stackTop += warpSize - reducedNTaken;
			__syncwarp();
		}
	}
	if ((threadIdx.x & 31) < stackTop)
		process_nbrs(cxtStack[threadIdx.x], curr, levels, v, e, done);
}
