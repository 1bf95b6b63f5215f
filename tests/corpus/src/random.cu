/* corpus: curand, with its large tables of constants */
#include <curand_kernel.h>

__global__ void
philox(float *out, unsigned long long seed)
{
	curandStatePhilox4_32_10_t s;
	curand_init(seed, threadIdx.x, 0, &s);
	out[threadIdx.x] = curand_normal(&s) + (float)curand_poisson(&s, 4.0);
}

__global__ void
xorwow(double *out, unsigned long long seed)
{
	curandState s;
	curand_init(seed, threadIdx.x, 0, &s);
	out[threadIdx.x] = curand_uniform_double(&s);
}
// SPDX-License-Identifier: MIT
