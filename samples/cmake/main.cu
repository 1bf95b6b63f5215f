// Counts squares, primes and cubes among pseudo-random numbers, on the GPU and on the CPU.
// Exit code: 0 equal, 1 different, 2 no GPU.
#include <cstdio>
#include <vector>
#include "primes.h"
#include "squares.h"

__global__ void cubes(int n, const unsigned *in, unsigned *found)
{
	#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		const unsigned x = in[i];
		#pragma ccc if
		if (x % 9 <= 1 || x % 9 == 8) { // cubes are 0, 1 or 8 modulo 9
			unsigned root = 0;
			while (root * root * root < x)
				++root;
			if (root * root * root == x)
				atomicAdd(found, 1u);
		}
	}
}

static bool prime(unsigned x)
{
	if (x % 2 == 0 || x % 3 == 0 || x % 5 == 0 || x <= 5)
		return false;
	for (unsigned d = 7; d * d <= x; d += 2)
		if (x % d == 0)
			return false;
	return true;
}

int main()
{
	std::vector<unsigned> in(1 << 20);
	unsigned want[3] = {}, got[3], *device_in, *found, state = 1;
	for (unsigned &x : in) {
		x = (state = state * 1664525 + 1013904223) >> 12;
		unsigned square = 0, cube = 0;
		while (square * square < x)
			++square;
		while (cube * cube * cube < x)
			++cube;
		want[0] += square * square == x;
		want[1] += prime(x);
		want[2] += cube * cube * cube == x;
	}
	if (cudaMalloc(&device_in, in.size() * sizeof in[0]) != cudaSuccess || cudaMalloc(&found, sizeof want) != cudaSuccess) {
		fprintf(stderr, "example: no GPU\n");
		return 2;
	}
	const int n = (int)in.size();
	cudaMemcpy(device_in, in.data(), in.size() * sizeof in[0], cudaMemcpyHostToDevice);
	cudaMemset(found, 0, sizeof want);
	launch_squares(n, device_in, found);
	launch_primes(n, device_in, found + 1);
	cubes<<<64, 256>>>(n, device_in, found + 2);
	const cudaError_t e = cudaMemcpy(got, found, sizeof got, cudaMemcpyDeviceToHost);
	if (e != cudaSuccess) {
		fprintf(stderr, "example: %s\n", cudaGetErrorString(e));
		return 1;
	}
	bool ok = true;
	for (int i = 0; i < 3; ++i)
		ok = ok && got[i] == want[i];
	printf("%u squares, %u primes, %u cubes: %s\n", got[0], got[1], got[2], ok ? "ok" : "WRONG");
	return ok ? 0 : 1;
}
// SPDX-License-Identifier: MIT
