__global__ void no_path(int n, const int *a, int *b)
{
	#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		b[i] = a[i] * 2;
}
__global__ void no_loop(const int *a, int *b)
{
	#pragma ccc for
	for (int i = 0; i < 1; i++) {
		#pragma ccc if
		if (a[i] > 7) b[i] = 1;
	}
}
__global__ void inner_path(int n, const int *a, int *b)
{
	#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		for (int j = 0; j < a[i]; j++) {
			#pragma ccc if
			if (a[j] > 7) b[j] = 1;
		}
}
__global__ void barrier(int n, const int *a, int *b)
{
	#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		#pragma ccc if
		if (a[i] > 7) b[i] = 1;
		__syncthreads();
	}
}
__global__ void two_paths(int n, const int *a, int *b)
{
	#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		#pragma ccc if
		if (a[i] > 7) b[i] = 1;
		#pragma ccc if
		if (a[i] < 3) atomicAdd(b, a[i] / n);
	}
}
__global__ void later(int n, const int *a, int *b)
{
	#pragma ccc for policy(queue)
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		#pragma ccc if threshold(24)
		if (a[i] > 7) b[i] = 1;
	}
}
__global__ void stray(int n, const int *a, int *b)
{
	#pragma ccc if
	if (a[n] > 7) b[n] = 1;
}
// SPDX-License-Identifier: MIT
