// SPDX-License-Identifier: MIT
// Khorasani and others, MICRO-48 2015. Figure 8: shortest paths, with the coalesced load of costs in the path. `without` is 8(a), context vIdx;
// with `coalesced`, which is 8(b), the owner runs the loads, and the context is vCost and, since v[vIdx] and v[vIdx + 1] are coalesced too, the
// row: 12 bytes. The paper leaves these two in the path, with vIdx and vCost as context, 8 bytes; Table 1 has 16, with the inner loop's.
// LAUNCH: without --grid 1 --block 64 --arg s32:6000 --arg buf:752:rand:1 --arg buf:24004:rand:2 --arg buf:24004:fill:0x7fffffff --arg buf:24008:index:4 --arg buf:96100:mod:6000:4 --arg buf:96100:mod:60:5
// LAUNCH: CUDA_kernel_SSSP --grid 1 --block 64 --arg s32:6000 --arg buf:752:rand:1 --arg buf:24004:rand:2 --arg buf:24004:fill:0x7fffffff --arg buf:24008:index:4 --arg buf:96100:mod:6000:4 --arg buf:96100:mod:60:5
// CHECK: without context == 4 && before_lanes_B < 40 && lanes_B > 90
// CHECK: CUDA_kernel_SSSP context == 12 && before_lanes_B < 40 && lanes_B > 90

static __device__ __forceinline__ void visit_nbrs(int vIdx, int vCost, int *Ua, const int *v, const int *e, const int *eValues)
{
	int eIdx = v[vIdx]; // [B]
	int nNbrs = v[vIdx + 1] - eIdx;
	for (int nbrIdx = 0; nbrIdx < nNbrs; ++nbrIdx)
		atomicMin(&Ua[e[eIdx + nbrIdx]], vCost + eValues[eIdx + nbrIdx]);
}

extern "C" __global__ void without(int numV, const int *bitMask, const int *costs, int *Ua, const int *v, const int *e, const int *eValues)
{
	#pragma ccc for
	for (int vIdx = threadIdx.x + blockIdx.x * blockDim.x; vIdx < numV; vIdx += blockDim.x * gridDim.x) {
		int container = bitMask[vIdx >> 5];
		bool p = (container >> (vIdx & 31)) & (container >> (vIdx + 7 & 31)) & 1;
		#pragma ccc if policy(stack)
		if (p) { // Divergent path.
			int vCost = costs[vIdx] & 0xffff;
			visit_nbrs(vIdx, vCost, Ua, v, e, eValues);
		}
	}
}

extern "C" __global__ void CUDA_kernel_SSSP(int numV, const int *bitMask, const int *costs, int *Ua, const int *v, const int *e, const int *eValues)
{
	#pragma ccc for
	for (int vIdx = threadIdx.x + blockIdx.x * blockDim.x; vIdx < numV; vIdx += blockDim.x * gridDim.x) {
		int container = bitMask[vIdx >> 5];
		bool p = (container >> (vIdx & 31)) & (container >> (vIdx + 7 & 31)) & 1;
		#pragma ccc if policy(stack) coalesced
		if (p) { // Divergent path.
			int vCost = costs[vIdx] & 0xffff;
			visit_nbrs(vIdx, vCost, Ua, v, e, eValues);
		}
	}
}
