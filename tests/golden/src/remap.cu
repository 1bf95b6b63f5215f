// SPDX-License-Identifier: MIT
// Remapping: the generated code.
extern "C" __global__ void __launch_bounds__(64) remap(const int *kind, const float *x, float *out, int n)
{
	int i = blockIdx.x * 64 + threadIdx.x;
	if (i >= n)
		return;
	float v = x[i], r = v;
#pragma ccc remap
	if (kind[i] == 1)
		r = __sinf(v) * v;
	else if (kind[i] == 2)
		r = rsqrtf(v);
	out[i] = r + v;
}
