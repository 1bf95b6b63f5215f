// PART. The other module of extern.cu.
extern "C" __device__ unsigned body_elsewhere(unsigned x)
{
	return x * 2654435761u ^ x >> 3;
}
// SPDX-License-Identifier: MIT
