// SPDX-License-Identifier: MIT
// Registers that an inner loop carries and that are functions of others: recomputed, not saved, where all definitions agree.
typedef unsigned long long u64;
static __device__ __forceinline__ u64 step(u64 p) { return p * 6364136223846793005ull + 1442695040888963407ull; }
static __device__ __forceinline__ unsigned mix(unsigned x) { return (x ^ x >> 15) * 0x2c1b3c6du; }
static __device__ __forceinline__ bool more(unsigned x) { return x % 7 > 1; }
#define FOR_ALL \
	_Pragma("ccc for policy(stack)") \
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)

// recomputed from p
extern "C" __global__ void upper_half(int n, int s, const u64 *in, u64 *out)
{
	FOR_ALL {
		u64 p = step(in[i]);
		unsigned key = p >> 32;
		#pragma ccc while
		while (more(key)) {
			p = step(p ^ mix(key));
			key = p >> 32;
		}
		out[i] = p;
	}
}

// recomputed from p and the parameter s; three definitions
extern "C" __global__ void three_definitions(int n, int s, const u64 *in, u64 *out)
{
	FOR_ALL {
		u64 p = step(in[i]);
		unsigned key = (unsigned)(p >> 32) * s + 1;
		#pragma ccc while
		while (more(key)) {
			if (key & 16) {
				p = step(p ^ mix(key));
				key = (unsigned)(p >> 32) * s + 1;
				continue;
			}
			p = step(p + mix(key)) + 77;
			key = (unsigned)(p >> 32) * s + 1;
		}
		out[i] = p;
	}
}

// p changes after key was computed, so key is no function of it; of the sum without the change it is
extern "C" __global__ void changes_later(int n, int s, const u64 *in, u64 *out)
{
	FOR_ALL {
		u64 p = step(in[i]);
		unsigned key = p >> 32;
		p += in[i] & 15;
		#pragma ccc while
		while (more(key)) {
			p = step(p ^ mix(key));
			key = p >> 32;
			p += in[i] & 15;
		}
		out[i] = p;
	}
}

// saved: the definitions differ
extern "C" __global__ void another_function(int n, int s, const u64 *in, u64 *out)
{
	FOR_ALL {
		u64 p = step(in[i]);
		unsigned key = p >> 33;
		#pragma ccc while
		while (more(key)) {
			p = step(p ^ mix(key));
			key = p >> 32;
		}
		out[i] = p;
	}
}

// saved: in some iterations p changes, and key does not
extern "C" __global__ void sometimes(int n, int s, const u64 *in, u64 *out)
{
	FOR_ALL {
		u64 p = step(in[i]);
		unsigned key = p >> 32, left = 40;
		#pragma ccc while
		while (more(key) && --left) {
			p = step(p ^ mix(key));
			if (p & 2)
				key = p >> 32;
		}
		out[i] = p ^ key;
	}
}
