// SPDX-License-Identifier: MIT
// Khorasani and others, MICRO-48 2015. Figure 5: an inner loop whose trip count differs between lanes, in a branch (3.2, 3.4). `var_trip` is 5(a):
// the iterations of all lanes are spread over the warp, and the branch needs no annotation. `nested` collects the branch and the iterations, each
// together: 4 bytes, where the paper's two stacks take 8 (Table 1), since the rows need no buffer. `uniform` is 5(b), with the loop that the paper
// makes written by hand; its path is so short that collecting costs more than it gains, and nvcc keeps an address of 8 bytes in it.
// LAUNCH: var_trip --grid 1 --block 64 --arg s32:3000 --arg s32:0 --arg buf:12004:mod:4:1 --arg buf:12004:rand:3 --arg buf:262144:mod:3000:4 --arg buf:4
// LAUNCH: nested --grid 1 --block 64 --arg s32:3000 --arg s32:0 --arg buf:12004:mod:4:1 --arg buf:12004:rand:3 --arg buf:262144:mod:3000:4 --arg buf:4
// LAUNCH: uniform --grid 1 --block 64 --arg s32:3000 --arg s32:0 --arg buf:12004:mod:4:1 --arg buf:12004:rand:3 --arg buf:262144:mod:3000:4 --arg buf:4
// CHECK: var_trip before_lanes_B < 25 && lanes_B > 80 && warps < before_warps
// CHECK: nested context == 4 && whole == 8 && before_lanes_B < 25 && lanes_B > 90 && warps < before_warps
// CHECK: uniform context == 8 && before_lanes_B < 25 && lanes_B > 80 && warps_B < before_warps_B / 5

// The paper's e[eIdx + nbrIdx] for eIdx = v[vIdx] and nNbrs = v[vIdx + 1] - eIdx; here the random numbers of v give both.
static __device__ __forceinline__ int first_edge(const int *v, int vIdx) { return v[vIdx] & 32767; }
static __device__ __forceinline__ int edges(const int *v, int vIdx)
{
	int r = v[vIdx] >> 16 & 255;
	return r * r >> 11;
}
static __device__ __forceinline__ void process_nbr(int curr, int edge, int *levels, const int *e, bool *done)
{
	int nbr = e[edge]; // [B]
	if (levels[nbr] > curr + 1) {
		levels[nbr] = curr + 1;
		*done = false;
	}
}

extern "C" __global__ void var_trip(int numV, int curr, int *levels, const int *v, const int *e, bool *done)
{
	#pragma ccc for
	for (int vIdx = threadIdx.x + blockIdx.x * blockDim.x; vIdx < numV; vIdx += blockDim.x * gridDim.x) {
		if (levels[vIdx] == curr) {
			int eIdx = first_edge(v, vIdx), nNbrs = edges(v, vIdx);
			#pragma ccc for var
			for (int nbrIdx = 0; nbrIdx < nNbrs; ++nbrIdx)
				process_nbr(curr, eIdx + nbrIdx, levels, e, done);
		}
	}
}

extern "C" __global__ void nested(int numV, int curr, int *levels, const int *v, const int *e, bool *done)
{
	#pragma ccc for independent
	for (int vIdx = threadIdx.x + blockIdx.x * blockDim.x; vIdx < numV; vIdx += blockDim.x * gridDim.x) {
		#pragma ccc if policy(stack)
		if (levels[vIdx] == curr) {
			int eIdx = first_edge(v, vIdx), nNbrs = edges(v, vIdx);
			#pragma ccc for var
			for (int nbrIdx = 0; nbrIdx < nNbrs; ++nbrIdx)
				process_nbr(curr, eIdx + nbrIdx, levels, e, done);
		}
	}
}

static __device__ __forceinline__ int intra_warp_reduce_max(int n)
{
	for (int m = 16; m; m /= 2)
		n = max(n, __shfl_xor_sync(~0u, n, m));
	return n;
}

extern "C" __global__ void uniform(int numV, int curr, int *levels, const int *v, const int *e, bool *done)
{
	for (int first = (threadIdx.x & ~31) + blockIdx.x * blockDim.x; first < numV; first += blockDim.x * gridDim.x) {
		int vIdx = first + (threadIdx.x & 31);
		bool p = vIdx < numV && levels[vIdx] == curr;
		int eIdx = p ? first_edge(v, vIdx) : 0, nNbrs = p ? edges(v, vIdx) : 0;
		int UniCount = intra_warp_reduce_max(nNbrs);
		#pragma ccc for independent
		for (int nbrIdx = 0; nbrIdx < UniCount; ++nbrIdx) {
			#pragma ccc if policy(stack)
			if (nbrIdx < nNbrs)
				process_nbr(curr, eIdx + nbrIdx, levels, e, done);
		}
	}
}
