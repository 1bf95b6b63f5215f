#include <ccc.h> // the annotations as macros; found by cccnvcc and by ccc_target
#include "primes.h"

__global__ void primes(int n, const unsigned *in, unsigned *found)
{
	CCC_FOR()
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		const unsigned x = in[i];
		CCC_IF()
		if (x % 2 && x % 3 && x % 5 && x > 5) {
			bool prime = true;
			for (unsigned d = 7; prime && d * d <= x; d += 2)
				prime = x % d != 0;
			if (prime)
				atomicAdd(found, 1u);
		}
	}
}

void launch_primes(int n, const unsigned *in, unsigned *found)
{
	primes<<<64, 128>>>(n, in, found);
}
// SPDX-License-Identifier: MIT
