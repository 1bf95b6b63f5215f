// Techniques inside others, in addition to those of together.cu: iteration draw, look-ahead, wait points, and collection.
__device__ __forceinline__ float grind(float v, int n)
{
	#pragma unroll 1
	for (int k = 0; k < n; ++k)
		v = fmaf(v, 0.75f, 1.0f + k);
	return v;
}

__device__ __forceinline__ float other(float v, int n)
{
	#pragma unroll 1
	for (int k = 0; k < n; ++k)
		v = fmaf(v, 0.5f, 2.0f - k);
	return v;
}

// a collected path, in a loop whose iterations are drawn
__global__ void if_in_assign(float *o, const int *a, int n)
{
	#pragma ccc assign
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		float v = a[i];
		#pragma ccc if policy(stack)
		if (a[i] % 7 == 0)
			v = grind(v, 40);
		o[i] = v;
	}
}
__global__ void if_auto_in_assign(float *o, const int *a, int n)
{
	#pragma ccc assign
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		float v = a[i];
		#pragma ccc if
		if (a[i] % 7 == 0)
			v = grind(v, 40);
		o[i] = v;
	}
}
// a path in an arm of a unified branch
__global__ void if_in_unify(float *o, const int *a, int n)
{
	#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		#pragma ccc unify
		if (a[i] & 1) {
			float v = a[i];
			#pragma ccc if
			if (a[i] % 7 == 0)
				v = grind(v, 40);
			o[i] = v;
		} else
			o[i] = other(a[i], 20);
	}
}
__global__ void stack_in_unify(float *o, const int *a, int n)
{
	#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		#pragma ccc unify
		if (a[i] & 1) {
			float v = a[i];
			#pragma ccc if policy(stack)
			if (a[i] % 7 == 0)
				v = grind(v, 40);
			o[i] = v;
		} else
			o[i] = other(a[i], 20);
	}
}
// a path next to a unified branch
__global__ void if_beside_unify(float *o, const int *a, int n)
{
	#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		#pragma ccc unify
		if (a[i] & 1)
			o[i] = grind(a[i], 30);
		else
			o[i] = other(a[i], 20);
		#pragma ccc if
		if (a[i] % 5 == 0)
			o[i + n] = grind(a[i], 60);
	}
}
// melded arms, in an arm of a unified branch, and in the path of a loop whose iterations are drawn
__global__ void distribute_in_unify(float *o, const int *a, int n)
{
	#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		#pragma ccc unify
		if (a[i] & 1) {
			float v;
			#pragma ccc distribute
			if (a[i] & 2)
				v = grind(a[i], 20);
			else
				v = grind(a[i] + 3, 30);
			o[i] = v;
		} else
			o[i] = other(a[i], 20);
	}
}
__global__ void distribute_in_assign(float *o, const int *a, int n)
{
	#pragma ccc assign
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		float v;
		#pragma ccc distribute
		if (a[i] & 2)
			v = grind(a[i], a[i] & 31);
		else
			v = grind(a[i] + 3, a[i] & 15);
		o[i] = v;
	}
}
__global__ void distribute_in_case(float *o, const int *a, int n)
{
	float v = 0;
	#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		#pragma ccc delay
		switch (a[i] & 3) {
		case 0:
			#pragma ccc distribute
			if (a[i] & 4)
				v = grind(v, 20);
			else
				v = grind(v + 3, 30);
			break;
		case 1: v = other(v, 17); break;
		case 2: v = grind(v, 33); break;
		}
	}
	o[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
// a remapped branch, in a kernel with one task per thread
#pragma ccc grid
__global__ void remap_in_grid(float *o, const int *a, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	#pragma ccc remap
	if (a[i] & 1)
		o[i] = grind(a[i], 50);
	else
		o[i] = other(a[i], 60);
}
// a statement with a wait point, in a collected path
__global__ void predict_in_if(float *o, const int *a, int n)
{
	#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		#pragma ccc if policy(stack)
		if (a[i] % 3 == 0) {
			float v = a[i];
			if (a[i] & 4) {
				#pragma ccc predict threshold(8)
				v = grind(v, 30);
			}
			o[i] = v;
		}
	}
}
__global__ void delay_in_if(float *o, const int *a, int n)
{
	#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		#pragma ccc if policy(stack)
		if (a[i] % 3 == 0) {
			float v = a[i];
			#pragma ccc delay
			if (a[i] & 4)
				v = grind(v, 30);
			else
				v = other(v, 30);
			o[i] = v;
		}
	}
}
// predictions inside others
__global__ void predict_loop_in_statement(float *o, const int *a, int n)
{
	float v = 1;
	#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		if (a[i] & 1) {
			#pragma ccc predict threshold(8)
			{
				v = other(v, 20);
				#pragma ccc predict threshold(12)
				for (int k = a[i] & 31; k > 0; --k)
					v = fmaf(v, 0.5f, k);
			}
		}
	}
	o[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
__global__ void predict_statement_in_loop(float *o, const int *a, int n)
{
	float v = 1;
	#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		#pragma ccc predict threshold(12)
		for (int k = a[i] & 31; k > 0; --k) {
			v = fmaf(v, 0.5f, k);
			if (k % 5 == 0) {
				#pragma ccc predict threshold(8)
				v = other(v, 20);
			}
		}
	}
	o[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
__global__ void predict_for_in_for(float *o, const int *a, int n)
{
	float v = 1;
	#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		#pragma ccc for
		for (int k = a[i] & 31; k > 0; --k) {
			v = fmaf(v, 0.5f, k);
			if (k % 5 == 0) {
				#pragma ccc predict threshold(8)
				v = other(v, 20);
			}
		}
	}
	o[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
// SPDX-License-Identifier: MIT
