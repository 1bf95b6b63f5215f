// SPDX-License-Identifier: MIT
// Branches that cannot be remapped.
extern "C" __global__ void in_loop(const int *kind, float *out, int n)
{
#pragma ccc for
	for (int i = threadIdx.x; i < n; i += blockDim.x) {
#pragma ccc remap
		if (kind[i] == 1)
			out[i] = __sinf(out[i]);
		else
			out[i] = rsqrtf(out[i]);
	}
}

extern "C" __global__ void barrier_missed(const int *kind, float *out, int n)
{
	__shared__ float s[256];
	int i = threadIdx.x;
	if (i >= n)
		return;
	s[i] = out[i];
	__syncthreads();
#pragma ccc remap threads(256)
	if (kind[i] == 1)
		out[i] = __sinf(s[255 - i]);
	else
		out[i] = rsqrtf(s[i]);
}

extern "C" __global__ void barrier_inside(const int *kind, float *out)
{
	int i = threadIdx.x;
#pragma ccc remap
	if (kind[i] == 1) {
		__syncwarp();
		out[i] = __sinf(out[i]);
	} else {
		out[i] = rsqrtf(out[i]);
	}
}

__noinline__ __device__ void called(const int *kind, float *out, int i)
{
#pragma ccc remap policy(stack)
	if (kind[i] == 1)
		out[i] = __sinf(out[i]);
	else
		out[i] = rsqrtf(out[i]);
}

extern "C" __global__ void calls(const int *kind, float *out)
{
	called(kind, out, threadIdx.x);
	called(kind, out, threadIdx.x + 1000);
}

extern "C" __global__ void dynamic(const int *kind, float *out)
{
	extern __shared__ float d[];
	int i = threadIdx.x;
	d[i] = out[i];
#pragma ccc remap
	if (kind[i] == 1)
		out[i] = __sinf(d[i]);
	else
		out[i] = rsqrtf(d[i]);
}
