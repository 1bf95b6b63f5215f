// SPDX-License-Identifier: MIT
// Branches for --advice: lanes that a path brings together part again in it, or do not.

// One lane in four takes a path whose loop is as long for all, or for one in seven eight times as long.
extern "C" __global__ void alike(int n, unsigned *out)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		unsigned x = (i ^ i >> 5) * 0x9e3779b9u;
		if (x >> 30 == 0) {
			for (int k = 0; k < 20; ++k)
				x = (x ^ x >> 15) * 0x85ebca6bu + k;
			out[i] = x;
		}
	}
}

extern "C" __global__ void unlike(int n, unsigned *out)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		unsigned x = (i ^ i >> 5) * 0x9e3779b9u;
		if (x >> 30 == 0) {
			const int length = x % 7 ? 10 : 80;
			for (int k = 0; k < length; ++k)
				x = (x ^ x >> 15) * 0x85ebca6bu + k;
			out[i] = x;
		}
	}
}

// Of a loop that nobody can count each iteration is a task; an exchange in it takes as long for whoever runs it.
extern "C" __global__ void steps(int n, unsigned *out)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		unsigned x = i * 0x9e3779b9u | 1, sum = 0;
		while (x & 31) {
			x = (x >> 1 ^ x * 0x85ebca6bu) * 3;
			for (int k = 0; k < 20; ++k)
				sum = (sum ^ sum >> 15) * 0x85ebca6bu + x;
		}
		out[i] = sum;
	}
}

extern "C" __global__ void exchanges(int n, unsigned *out)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		unsigned x = (i ^ i >> 5) * 0x9e3779b9u;
		if (x >> 30 == 0) {
			for (int k = 0; k < 20; ++k)
				x = (x ^ x >> 15) * 0x85ebca6bu + k;
			x = atomicExch(&out[x % n], x);
			out[i] = x;
		}
	}
}

// A path with rows of up to 15; one lane of the launch may have a longer one, for which all wait.
extern "C" __global__ void rows(int n, unsigned *out, int other)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		unsigned x = (i ^ i >> 5) * 0x9e3779b9u, sum = 0;
		if (x >> 30 == 0) {
			const int length = i == other ? 10000 : x >> 26;
			#pragma unroll 1
			for (int k = 0; k < length; ++k)
				sum = (sum ^ sum >> 15) * 0x85ebca6bu + k;
			out[i] = sum;
		}
	}
}

// What nobody asks is done by the second cache: it takes as long for whoever runs it.
extern "C" __global__ void adds(int n, unsigned *out)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		unsigned x = (i ^ i >> 5) * 0x9e3779b9u;
		if (x >> 30 == 0) {
			for (int k = 0; k < 20; ++k)
				x = (x ^ x >> 15) * 0x85ebca6bu + k;
			atomicAdd(&out[x % n], x);
		}
	}
}
