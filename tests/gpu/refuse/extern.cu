// WARNS: ccc-call
// FLAGS: -rdc=true refuse/extern_part.cu
// A call in the path to a function that is defined in another module.
#ifndef KERNELS
#define KERNELS "refuse/extern.cu"
#include "../gpu_test.cuh"
int main()
{
	RUN(k_extern);
	return finish();
}
#else
#ifndef EXTERN_DECLARED
#define EXTERN_DECLARED
}
extern "C" __device__ unsigned body_elsewhere(unsigned x);
namespace annotated {
#endif
__global__ void k_extern(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i))
			g.out[i] = body_elsewhere(i);
	}
}
#endif
// SPDX-License-Identifier: MIT
