/* corpus: launch bounds, grid-stride loops, shared memory of both kinds, atomics, math with subnormals and without */
template <typename T> __device__ T *dynamic_shared() { extern __shared__ __align__(16) unsigned char raw[]; return (T *)raw; }

template <typename T>
__global__ void __launch_bounds__(256, 2)
histogram(const T *in, unsigned *bins, int n)
{
	unsigned *local = dynamic_shared<unsigned>();
	for (int i = threadIdx.x; i < 256; i += blockDim.x)
		local[i] = 0;
	__syncthreads();
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		atomicAdd(&local[(unsigned char)in[i]], 1u);
	__syncthreads();
	for (int i = threadIdx.x; i < 256; i += blockDim.x)
		atomicAdd(&bins[i], local[i]);
}
template __global__ void histogram<int>(const int *, unsigned *, int);
template __global__ void histogram<double>(const double *, unsigned *, int);

__global__ void
math(const float *f, double *d, long long *l, int n)
{
	__shared__ double tile[32][33];
	float x = f[threadIdx.x];
	tile[threadIdx.y][threadIdx.x] = sin((double)x) + exp(d[0]) + sqrt(d[1]) / d[2];
	__syncthreads();
	d[threadIdx.x] = tile[threadIdx.x][threadIdx.y] + __sinf(x) + powf(x, 3.3f) + fmodf(x, 2.0f) + rsqrtf(x) + erf(d[4]);
	l[threadIdx.x] = l[0] / (n | 1) + l[1] % 7 + __mul64hi(l[2], l[3]) + __double2ll_rd(d[0]) + (long long)(x * 8);
}
// SPDX-License-Identifier: MIT
