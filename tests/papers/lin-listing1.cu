// SPDX-License-Identifier: MIT
// Lin, Wang and Liu, ACM TACO 15(3) 2018. Listing 1 and section 4.2: a branch whose paths are permutations of the same instructions, with equal
// probabilities. `hot` is algorithm 1 (Head-or-Tail), `dgi` algorithm 2 (Data Group Indexing), `partition` this project's. A warp executes one
// path of two, or of four, except where the groups meet: control flow efficiency 50.0 % to 99.7 %, and 25.0 % to 99.8 %.
// LAUNCH: hot --grid 4 --block 256 --arg buf:4096:rand:1 --arg buf:4096:rand:2 --arg buf:4096
// LAUNCH: partition --grid 4 --block 256 --arg buf:4096:rand:1 --arg buf:4096:rand:2 --arg buf:4096
// LAUNCH: dgi_4 --grid 4 --block 256 --arg buf:4096:rand:1 --arg buf:4096:rand:2 --arg buf:4096
// LAUNCH: partition_4 --grid 4 --block 256 --arg buf:4096:rand:1 --arg buf:4096:rand:2 --arg buf:4096
// LAUNCH: nested --grid 4 --block 256 --arg buf:4096:rand:1 --arg buf:4096:rand:2 --arg buf:4096
// CHECK: hot before_lanes_P < 51 && lanes_P > 88 && before_warps_P / warps_P > 1.7
// CHECK: partition before_lanes_P < 51 && lanes_P > 88 && before_warps_P / warps_P > 1.7
// CHECK: dgi_4 before_lanes_P < 27 && lanes_P > 70 && before_warps_P / warps_P > 2.8
// CHECK: partition_4 before_lanes_P < 27 && lanes_P > 70 && before_warps_P / warps_P > 2.8
// CHECK: nested before_lanes_P < 27 && lanes_P > 42 && warps < before_warps
#define BLOCK 256

// Path Q executes 32 steps in an order of its own, 16 times.
template <int Q> static __device__ __forceinline__ unsigned path(unsigned opd)
{
#pragma unroll 1
	for (int l = 0; l < 16; ++l)
#pragma unroll
		for (int k = 0; k < 32; ++k)
			opd = opd * (8 * ((k * (2 * Q + 1) + 5 * Q) & 31) + 5) ^ opd >> 7; // [P]
	return opd;
}

extern "C" __global__ void __launch_bounds__(BLOCK) hot(const unsigned *bc, const unsigned *opd, unsigned *out)
{
	int tid = blockIdx.x * BLOCK + threadIdx.x;
	#pragma ccc remap policy(hot)
	if (bc[tid] & 256)
		out[tid] = path<0>(opd[tid]);
	else
		out[tid] = path<1>(opd[tid]);
}

extern "C" __global__ void __launch_bounds__(BLOCK) partition(const unsigned *bc, const unsigned *opd, unsigned *out)
{
	int tid = blockIdx.x * BLOCK + threadIdx.x;
	#pragma ccc remap policy(partition)
	if (bc[tid] & 256)
		out[tid] = path<0>(opd[tid]);
	else
		out[tid] = path<1>(opd[tid]);
}

#define FOUR(NAME, POLICY)                                                                                                          \
	extern "C" __global__ void __launch_bounds__(BLOCK) NAME(const unsigned *bc, const unsigned *opd, unsigned *out)            \
	{                                                                                                                           \
		int tid = blockIdx.x * BLOCK + threadIdx.x;                                                                         \
		unsigned p = bc[tid] >> 8 & 3;                                                                                      \
		_Pragma(POLICY)                                                                                                     \
		if (p == 0)                                                                                                         \
			out[tid] = path<0>(opd[tid]);                                                                               \
		else if (p == 1)                                                                                                    \
			out[tid] = path<1>(opd[tid]);                                                                               \
		else if (p == 2)                                                                                                    \
			out[tid] = path<2>(opd[tid]);                                                                               \
		else                                                                                                                \
			out[tid] = path<3>(opd[tid]);                                                                               \
	}
FOUR(dgi_4, "ccc remap policy(dgi)")
FOUR(partition_4, "ccc remap policy(partition)")

// A two-layer branch; the paper's fragment takes its four leaves as paths.
extern "C" __global__ void __launch_bounds__(BLOCK) nested(const unsigned *bc, const unsigned *opd, unsigned *out)
{
	int tid = blockIdx.x * BLOCK + threadIdx.x;
	unsigned p = bc[tid];
	#pragma ccc remap
	if (p & 256) {
		if (p & 512)
			out[tid] = path<0>(opd[tid]);
		else
			out[tid] = path<1>(opd[tid]);
	} else {
		if (p & 512)
			out[tid] = path<2>(opd[tid]);
		else
			out[tid] = path<3>(opd[tid]);
	}
}
