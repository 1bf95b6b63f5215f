// SPDX-License-Identifier: MIT
// A path in an inner loop of a task loop: it needs `for` there; `grid` only served `for var`, unless there is another path.
__device__ float work(float x, int n)
{
	for (int k = 0; k < n; k++)
		x = sqrtf(x + k) / (x + n);
	return x;
}

#pragma ccc grid
__global__ void rows(int n, const int *row, const float *in, float *out)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	float s = 0;
#pragma ccc for var reassociate
	for (int e = row[i]; e < row[i + 1]; e++) {
#pragma ccc if
		if (in[e] > 0)
			s += work(in[e], n);
	}
	out[i] = s;
}

#pragma ccc grid
__global__ void rows_and_path(int n, const int *row, const float *in, float *out)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	float s = 0;
#pragma ccc for var reassociate
	for (int e = row[i]; e < row[i + 1]; e++) {
#pragma ccc if
		if (in[e] > 0)
			s += work(in[e], n);
	}
#pragma ccc if
	if (s > n)
		out[i] = work(s, n + 1);
}
