// SPDX-License-Identifier: MIT
// Without a policy: Head-or-Tail for two paths, partition for more, with ids of 16 bits and then Data Group Indexing if shared memory is short; nothing for short paths.
template <int K> __device__ float work(float x)
{
#pragma unroll 1
	for (int i = 0; i < 64; ++i) {
#pragma unroll
		for (int k = 0; k < 32; ++k)
			x = x * (1.0f / K) + K;
	}
	return x;
}

__global__ void __launch_bounds__(256) two(float *out, const float *in)
{
	float x = in[blockIdx.x * 256 + threadIdx.x];
#pragma ccc remap
	if (x > 0.5f)
		x = work<2>(x);
	else
		x = work<3>(x);
	out[blockIdx.x * 256 + threadIdx.x] = x;
}

__global__ void __launch_bounds__(256) three(float *out, const float *in)
{
	float x = in[blockIdx.x * 256 + threadIdx.x];
#pragma ccc remap
	if (x > 0.75f)
		x = work<2>(x);
	else if (x > 0.25f)
		x = work<3>(x);
	else
		x = work<4>(x);
	out[blockIdx.x * 256 + threadIdx.x] = x;
}

// 10.5 of 48 KB are left.
__global__ void __launch_bounds__(1024) tight(float *out, const float *in)
{
	__shared__ float table[9600];
	for (int i = threadIdx.x; i < 9600; i += blockDim.x)
		table[i] = in[i];
	__syncthreads();
	float x = table[threadIdx.x * 7];
#pragma ccc remap
	if (x > 0.75f)
		x = work<2>(x);
	else if (x > 0.25f)
		x = work<3>(x);
	else
		x = work<4>(x);
	out[blockIdx.x * 1024 + threadIdx.x] = x;
}

__global__ void __launch_bounds__(256) small(float *out, const float *in)
{
	float x = in[blockIdx.x * 256 + threadIdx.x];
#pragma ccc remap policy(auto)
	if (x > 0.5f)
		x = x * 2.0f + 1.0f;
	else
		x = rsqrtf(x) * x;
	out[blockIdx.x * 256 + threadIdx.x] = x;
}

// 10.1 of 48 KB are left.
__global__ void __launch_bounds__(1024) tighter(float *out, const float *in)
{
	__shared__ float table[9700];
	for (int i = threadIdx.x; i < 9700; i += blockDim.x)
		table[i] = in[i];
	__syncthreads();
	float x = table[threadIdx.x * 7];
#pragma ccc remap
	if (x > 0.75f)
		x = work<2>(x);
	else if (x > 0.25f)
		x = work<3>(x);
	else
		x = work<4>(x);
	out[blockIdx.x * 1024 + threadIdx.x] = x;
}

// A trip count that is not known is assumed to be large.
__global__ void __launch_bounds__(256) unknown(float *out, const float *in, int n)
{
	float x = in[blockIdx.x * 256 + threadIdx.x];
#pragma ccc remap
	if (x > 0.5f)
#pragma unroll 1
		for (int i = 0; i < n; ++i)
			x = x * 0.5f + i;
	else
#pragma unroll 1
		for (int i = 0; i < n; ++i)
			x = rsqrtf(x + i);
	out[blockIdx.x * 256 + threadIdx.x] = x;
}
