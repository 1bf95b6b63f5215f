// SPDX-License-Identifier: MIT
// Damani and others, CGO 2020. Section 4.4: all calls of a function reconverge at its entry: of three sides, of the cases of a switch, and in a helper
// that is inline. If another function contains a call, or one side calls none, the calls stay apart.
// SAYS: damani-calls.cu:123: warning: path left unchanged: no annotated loop around it
// SAYS: annotated in line 123 is in another function, but only calls in one function become one: make '(anonymous namespace)::helper' '__forceinline__'
// LAUNCH: three_calls --grid 1 --block 64 --arg s32:20 --arg buf:256
// LAUNCH: by_switch --grid 1 --block 64 --arg s32:20 --arg buf:256
// LAUNCH: by_helper --grid 1 --block 64 --arg s32:20 --arg buf:256
// LAUNCH: in_helper --grid 1 --block 64 --arg s32:20 --arg buf:256
// CHECK: three_calls before_lanes_E < 40 && lanes_E > 99 && warps < before_warps * 0.45
// CHECK: by_switch before_lanes_E < 30 && lanes_E > 99 && warps < before_warps * 0.45
// CHECK: by_helper before_lanes_E < 40 && lanes_E > 99 && warps < before_warps * 0.45
// CHECK: in_helper warps == before_warps

static __device__ __noinline__ float foo(float x)
{
	for (int q = 0; q < 8; ++q)
#pragma unroll
		for (int k = 0; k < 20; ++k)
			x = fmaf(x, 0.75f, 0.5f); // [E]
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

extern "C" __global__ void by_switch(int N, float *out)
{
	unsigned s = threadIdx.x * 2654435761u | 1u;
	float sum = 0;
	for (int i = 0; i < N; i++) {
		s ^= s << 13;
		s ^= s >> 17;
		s ^= s << 5;
		switch (s >> 8 & 7) {
		case 0:
			#pragma ccc predict
			sum = foo(sum);
			break;
		case 1:
		case 2:
			#pragma ccc predict
			{
				sum = foo(sum * 3 + 1);
				sum -= s & 3;
			}
			break;
		case 3:
			#pragma ccc predict
			{
				sum = foo(sum) * 3;
				if (sum > 100)
					s ^= 5;
			}
			break;
		case 4:
			#pragma ccc predict
			sum = foo(sum - 1);
			sum += 2;
			break;
		default:
			#pragma ccc predict
			sum = foo(s & 15);
		}
	}
	out[threadIdx.x] = sum;
}

static __device__ __forceinline__ float inline_helper(float x, unsigned s)
{
	if (s & 256) {
		#pragma ccc predict
		x = foo(x + 1);
	} else {
		#pragma ccc predict
		x = foo(x * 0.5f) - 1;
	}
	return x;
}
extern "C" __global__ void by_helper(int N, float *out)
{
	unsigned s = threadIdx.x * 2654435761u | 1u;
	float sum = 0;
	for (int i = 0; i < N; i++) {
		s ^= s << 13;
		s ^= s >> 17;
		s ^= s << 5;
		if ((s & 3072) != 0) {
			sum = inline_helper(sum, s);
		} else {
			#pragma ccc predict
			sum = foo(sum);
		}
	}
	out[threadIdx.x] = sum;
}

static __device__ __noinline__ float helper(float x)
{
	x *= 3;
	#pragma ccc predict
	x = foo(x + 1);
	return x;
}
extern "C" __global__ void in_helper(int N, float *out)
{
	unsigned s = threadIdx.x * 2654435761u | 1u;
	float sum = 0;
	for (int i = 0; i < N; i++) {
		s ^= s << 13;
		s ^= s >> 17;
		s ^= s << 5;
		if (s & 256) {
			sum = helper(sum);
		} else {
			#pragma ccc predict
			sum = foo(sum);
		}
	}
	out[threadIdx.x] = sum;
}
