// SPDX-License-Identifier: MIT
// Nothing here can be collected: state is carried from one iteration to the next. Lanes could wait for each other.
template <int STEPS> __device__ float grind(float x, int rounds)
{
#pragma unroll 1
	for (int i = 0; i < rounds; ++i)
#pragma unroll
		for (int k = 0; k < STEPS; ++k)
			x = fmaf(x, 0.75f, 0.125f);
	return x;
}
__global__ void rare(int n, const float *in, float *out)
{
	float s = threadIdx.x;
	for (int i = 0; i < n; ++i) {
		s = s * 0.5f + in[i];
		if (s > 0.75f)
			s = sqrtf(grind<64>(s, 40));
	}
	out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
__global__ void merge(int n, const int *first, const float *in, float *out)
{
	float s = 0;
	for (int i = threadIdx.x; i < n; i += blockDim.x) {
		float x = s;
		for (int k = first[i]; k < first[i + 1]; ++k)
			x = grind<16>(sqrtf(x * 0.5f + in[k]) * rsqrtf(x + 1), 4);
		s += x;
		out[i] = s;
	}
}
// A short path is not worth it.
__global__ void brief(int n, const float *in, float *out)
{
	float s = threadIdx.x;
	for (int i = 0; i < n; ++i) {
		s = sqrtf(s * 0.5f + in[i]) * rsqrtf(s + 1) + sqrtf(in[i]);
		if (s > 0.75f)
			s = sqrtf(sqrtf(s));
	}
	out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
