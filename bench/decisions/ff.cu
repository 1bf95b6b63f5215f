// SPDX-License-Identifier: MIT
// The fractal flame, as in ccc_ff.cu, without a block size in the source.
//
// data a: points are plotted
// data b: the points of a warp have one variation
//
// plan 0: for, switch
// plan 1: switch policy(queue), for blocks of up to 256 threads
// plan 2: switch policy(stack), for blocks of up to 256 threads
// plan 3: delay on the switch
#include "plans.h"
#include "../ff.cuh"

__global__ void
plot(int n, bool random, unsigned *out)
{
	PLANS(for, for threads(256), for threads(256), for)
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		unsigned variation;
		float2 z = draw(i, variation);
		if (!random)
			variation = i / 32 % VARIATIONS;
		PLANS(switch, switch policy(queue), switch policy(stack), delay)
		switch (variation) {
		case 1: z = vary<1>(z); break;
		case 2: z = vary<2>(z); break;
		case 3: z = vary<3>(z); break;
		case 4: z = vary<4>(z); break;
		case 5: z = vary<5>(z); break;
		case 6: z = vary<6>(z); break;
		case 7: z = vary<7>(z); break;
		case 8: z = vary<8>(z); break;
		case 9: z = vary<9>(z); break;
		}
		atomicAdd(&out[coordinate(z.y) * SIDE + coordinate(z.x)], 1u);
	}
}

int
main(int argc, char **argv)
{
	Options options(argc, argv);
	const int n = options.size(1 << 24);
	unsigned *out = device_zeros<unsigned>(SIDE * SIDE);
	double ms = time_ms(options, [&] { CUDA_CHECK(cudaMemset(out, 0, SIDE * SIDE * sizeof(unsigned))); },
		[&] { plot<<<loop_blocks(n, 256), 256>>>(n, options.divergent, out); });
	Checksum sum;
	sum.device(out, SIDE * SIDE);
	return report(sum, ms);
}
