// SPDX-License-Identifier: MIT
// Random walks of very different length; a step rarely falls into a trap, and the way out of it is long.
// Many walks a thread.
//
// data a: 1 of 32 steps is a trap, lengths are distributed exponentially
// data b: no traps, walks of one length
//
// plan 0: assign, for var on the steps
// plan 1: for, predict threshold(24) on the steps, predict threshold(8) on the trap
// plan 2: for, while on the steps
// plan 3: for on the steps, if policy(wait(8)) on the trap
// plan 4: assign, predict on both
#include "plans.h"

__device__ __forceinline__ unsigned
xorshift(unsigned &s)
{
	s ^= s << 13;
	s ^= s >> 17;
	return s ^= s << 5;
}

__global__ void
walks(int n, unsigned trap, unsigned end, int fixed, int *place, int *length)
{
	PLANS(assign, for, for, , assign)
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		unsigned s = i * 2654435761u + 1;
		int x = 0, steps = 0;
		PLANS(for var, predict threshold(24), while, for, predict threshold(24))
		do {
			unsigned r = xorshift(s);
			x += (r >> 30) - 1;
			steps++;
			PLANS(, , , if policy(wait(8)))
			if ((r & 1023) < trap)
			PLANS(, predict threshold(8), , , predict threshold(8)) {
				float a = (r >> 8) * 0x1p-24f;
				for (int k = 0; k < 30; k++)
					a = a * 3.9f * (1 - a) + 0.001f;
				x += (int)(a * 8) - 4;
				s ^= __float_as_uint(a);
				s |= 1;
			}
		} while (fixed ? steps < fixed : xorshift(s) >= end);
		place[i] = x;
		length[i] = steps;
	}
}

int
main(int argc, char **argv)
{
	Options options(argc, argv);
	const int n = options.size(1 << 21);
	int *place = device_zeros<int>(n), *length = device_zeros<int>(n);
	unsigned trap = options.divergent ? 32 : 0, end = 0xffffffffu / 64;
	int fixed = options.divergent ? 0 : 64;
	double ms = time_ms(options, [&] {
		walks<<<loop_blocks(n, 256), 256>>>(n, trap, end, fixed, place, length);
	});
	Checksum sum;
	sum.device(place, n);
	sum.device(length, n);
	return report(sum, ms);
}
