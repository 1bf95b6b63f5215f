// SPDX-License-Identifier: MIT
// Branches for --advice: lanes that a path brings together diverge again in it, or do not.

// One lane in four takes a path whose loop is equally long for all, or eight times as long for one in seven.
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

// Each iteration of a loop with an unknown trip count is a task; an exchange in it takes equally long for every lane.
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

// A path with rows of up to 15; one lane of the launch may have a longer one, for which all others wait.
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

// Atomics without results are executed by the L2 cache, so they take equally long for every lane.
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

// Each iteration needs the state of the one before, so the iterations cannot be collected: lanes can only wait for each other.
extern "C" __global__ void carried(int n, unsigned *out)
{
	unsigned x = (blockIdx.x * blockDim.x + threadIdx.x) * 0x9e3779b9u, sum = 0;
	for (int i = 0; i < n; ++i) {
		x = (x ^ x >> 13) * 0x85ebca6bu + i;
		if (x >> 28 == 0)
			for (int k = 0; k < 40; ++k)
				sum = (sum ^ sum >> 15) * 0x85ebca6bu + x;
	}
	out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
