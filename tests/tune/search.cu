// SPDX-License-Identifier: MIT
// A search whose length varies, one a thread. Its argument is the number of searches: collecting gains with four or more a
// resident thread, 8192 on a GPU with one multiprocessor.
#include <cstdio>
#include <cstdlib>
#pragma ccc grid
__global__ void search(int n, const unsigned *key, unsigned *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	unsigned x = key[i], steps = 0;
	#pragma ccc while
	while (x >> 16 & 63) {
		for (int k = 0; k < 8; k++) {
			x = x * 1664525u + 1013904223u;
			x ^= x >> 13;
		}
		steps++;
	}
	out[i] = steps;
}
int main(int argc, char **argv)
{
	int n = atoi(argv[1]);
	unsigned *p, *q, sum = 0;
	cudaMallocManaged(&p, n * sizeof *p), cudaMallocManaged(&q, n * sizeof *q);
	for (int i = 0; i < n; i++)
		p[i] = i * 2654435761u;
	search<<<(n + 127) / 128, 128>>>(n, p, q);
	cudaDeviceSynchronize();
	for (int i = 0; i < n; i++)
		sum += q[i];
	printf("%u\n", sum);
}
