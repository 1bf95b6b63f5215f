__global__ void barrier(int n, const int *a, int *b)
{
	#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		#pragma ccc if
		if (a[i] > 7) { b[i] = 1; __syncthreads(); b[i + 1] = 2; }
	}
}
__global__ void shuffle(int n, const int *a, int *b)
{
	#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		#pragma ccc if
		if (a[i] > 7) b[i] = __shfl_sync(__activemask(), i, 0);
	}
}
__global__ void live_out(int n, const int *a, int *b)
{
	int sum = 0;
	#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		#pragma ccc if
		if (a[i] > 7) sum += a[i] * b[i];
	}
	b[threadIdx.x] = sum;
}
__global__ void local_array(int n, const int *a, int *b)
{
	int t[16];
	for (int i = 0; i < 16; i++) t[a[i] & 15] = i;
	#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		#pragma ccc if
		if (a[i] > 7) b[i] = t[a[i] & 15];
	}
}
__global__ void leaves(int n, const int *a, int *b)
{
	#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		#pragma ccc if
		if (a[i] > 7) { b[i] = 1; break; }
	}
}
extern __device__ int elsewhere(int);
__device__ __noinline__ int deep(int x) { return x < 2 ? x : deep(x - 1) + deep(x / 2); }
__global__ void recursion(int n, const int *a, int *b)
{
	#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		#pragma ccc if
		if (a[i] > 7) b[i] = deep(a[i]);
	}
}
__global__ void pointer(int n, const int *a, int *b, int (*f)(int))
{
	#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		#pragma ccc if
		if (a[i] > 7) b[i] = f(a[i]);
	}
}
// SPDX-License-Identifier: MIT
