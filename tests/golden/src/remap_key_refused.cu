// SPDX-License-Identifier: MIT
// Remapping by a key: refusals.
typedef float (*Function)(float);
__device__ float doubled(float x) { return x + x; }
__device__ float of_thread(float x) { return x * threadIdx.x; }
__device__ Function table[2] = { doubled, of_thread };

extern "C" __global__ void reads_thread(const int *kind, float *x)
{
	int i = threadIdx.x;
#pragma ccc remap key(kind[i])
	x[i] = table[kind[i]](x[i]);
}

extern "C" __global__ void returns(const int *kind, float *x, int n)
{
	int i = threadIdx.x;
	for (int j = 0; j < n; j++) {
#pragma ccc remap key(kind[i])
		{
			x[i] += __sinf(x[i]);
			if (kind[i] == 3)
				return;
		}
		x[i] *= 2;
	}
}

extern "C" __global__ void barrier_inside(const int *kind, float *x)
{
	int i = threadIdx.x;
#pragma ccc remap key(kind[i])
	{
		x[i] += __sinf(x[i]);
		__syncthreads();
	}
}

extern "C" __global__ void own_memory(const int *kind, float *x, int n)
{
	int i = threadIdx.x;
	float own[8];
	for (int j = 0; j < 8; j++)
		own[j] = x[i + j * n];
#pragma ccc remap key(kind[i])
	for (int j = 0; j < n; j++)
		own[x[i + j] > 0 ? j & 7 : 1] += __sinf(x[i]);
	x[i] = own[kind[i] & 7];
}

extern "C" __global__ void no_key(const int *kind, float *x)
{
	int i = threadIdx.x;
#pragma ccc remap paths(2) policy(partition)
	if (kind[i] == 1)
		x[i] = __sinf(x[i]);
	else
		x[i] = rsqrtf(x[i]);
}

extern "C" __global__ void three_keys(const int *kind, float *x)
{
	int i = threadIdx.x;
#pragma ccc remap key(kind[i]) paths(3) policy(hot)
	x[i] = kind[i] == 1 ? __sinf(x[i]) : rsqrtf(x[i]);
}

extern "C" __global__ void in_another(const int *kind, float *x)
{
	int i = threadIdx.x;
#pragma ccc remap policy(partition)
	if (kind[i] & 1) {
#pragma ccc remap key(kind[i])
		x[i] = __sinf(x[i]);
	} else {
		x[i] = rsqrtf(x[i]);
	}
}

extern "C" __global__ void around_another(const int *kind, float *x)
{
	int i = threadIdx.x;
#pragma ccc remap key(kind[i]) paths(4)
	{
		x[i] += 1;
#pragma ccc remap
		if (kind[i] & 1)
			x[i] = __sinf(x[i]);
		else
			x[i] = rsqrtf(x[i]);
	}
}
