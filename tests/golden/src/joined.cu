// SPDX-License-Identifier: MIT
// Inner loops that are expanded in collected paths, and those that cannot be.
__device__ void visit(int *out, int k) { atomicAdd(out + (k & 63), k); }
__global__ void __launch_bounds__(256) joined(int n, const int *in, int *out)
{
#pragma ccc for
	for (int v = blockIdx.x * 256 + threadIdx.x; v < n; v += gridDim.x * 256) {
#pragma ccc if policy(queue(2))
		if (in[v] > 5) {
			const int end = in[v + 1];
#pragma ccc for var policy(expand)
			for (int k = in[v]; k < end; ++k)
				visit(out, k);
			out[64 + v] = end;
		}
	}
}
__global__ void __launch_bounds__(256) refused(int n, const int *in, int *out)
{
#pragma ccc for
	for (int v = blockIdx.x * 256 + threadIdx.x; v < n; v += gridDim.x * 256) {
		int x = in[v];
#pragma ccc if policy(stack)
		if (x > 5) {
			const int end = in[v + 1];
#pragma ccc for var policy(expand)
			for (int k = in[v]; k < end; ++k)
				x = x * 3 + k;
			out[64 + v] = x;
		}
	}
}
__global__ void __launch_bounds__(256) in_loop(int n, const int *in, int *out)
{
#pragma ccc for
	for (int v = blockIdx.x * 256 + threadIdx.x; v < n; v += gridDim.x * 256) {
		int x = in[v];
#pragma ccc if policy(stack) threshold(16)
		if (x > 5)
#pragma unroll 1
			for (int i = 0; i < x; i++) {
				const int end = in[v + i];
#pragma ccc for var policy(expand(choose))
				for (int k = in[v]; k < end; ++k)
					visit(out, k);
			}
	}
}
