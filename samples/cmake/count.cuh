// Counts the squares among the numbers in[0 .. n).
#pragma once

__device__ int first_index(); // first.cu: another file of the library, so that it must be linked as device code

// Annotations work in headers too.
static __device__ void count_squares(int n, const unsigned *in, unsigned *found)
{
	const int first = first_index(); // a call to a function in another file: before the loop
	#pragma ccc for
	for (int i = first; i < n; i += gridDim.x * blockDim.x) {
		const unsigned x = in[i];
		#pragma ccc if
		if ((x & 2) == 0) { // squares are 0 or 1 modulo 4
			unsigned root = 0;
			for (unsigned bit = 1 << 15; bit; bit >>= 1)
				if ((root + bit) * (root + bit) <= x)
					root += bit;
			if (root * root == x)
				atomicAdd(found, 1u);
		}
	}
}
// SPDX-License-Identifier: MIT
