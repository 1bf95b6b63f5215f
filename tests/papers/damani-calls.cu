// SPDX-License-Identifier: MIT
// Damani and others, CGO 2020. Section 4.4: all calls of a function reconverge at its entry. Here only two of three calls, those on the sides of the
// inner branch, become one.
// SAYS: damani-calls.cu:27: warning: path left unchanged: no annotated loop around it
// SAYS: calls of one function on the two sides of a branch become one
// LAUNCH: three_calls --grid 1 --block 64 --arg s32:20 --arg buf:256
// CHECK: three_calls warps < before_warps * 0.75

static __device__ __noinline__ float foo(float x)
{
	for (int q = 0; q < 8; ++q)
#pragma unroll
		for (int k = 0; k < 20; ++k)
			x = fmaf(x, 0.75f, 0.5f);
	return x;
}

extern "C" __global__ void three_calls(int N, float *out)
{
	unsigned s = threadIdx.x * 2654435761u | 1u;
	float sum = 0;
	for (int i = 0; i < N; i++) {
		s ^= s << 13;
		s ^= s >> 17;
		s ^= s << 5;
		if ((s & 768) == 0) {
			#pragma ccc predict
			sum = foo(sum);
		} else if (s & 256) {
			sum = sum * 3 + 1;
			#pragma ccc predict
			sum = foo(sum);
		} else {
			sum = sum * 5 + 2;
			#pragma ccc predict
			sum = foo(sum);
			sum += 1;
		}
	}
	out[threadIdx.x] = sum;
}
