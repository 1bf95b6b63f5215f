// SPDX-License-Identifier: MIT
// Branches whose sides have loops of a length that is known at run time, without a loop over items: the
// kernels in which WAGNERR (Lin, Wang and Liu, 2018) exchanges work within a block.
//
// data a: four permutations of the same instructions, equally frequent (the paper's micro-benchmark)
// data b: two sides, as obstacles and fluid (LBM)
// data c: a decision tree of two levels (CVP, GDT)
// data d: tax policy: five brackets, rare ones with more work (POL)
// data e: pooling backward: the window of a pixel has the maximum, or not (PB)
//
// plan 0: remap
// plan 1: policy(partition)
// plan 2: policy(dgi)
// plan 3: policy(hot) where there are two sides
#include "plans.h"

#define REMAP PLANS(remap, remap policy(partition), remap policy(dgi))
#define REMAP_TWO PLANS(remap, remap policy(partition), remap policy(dgi), remap policy(hot))

__global__ void
permutations(int n, const unsigned *in, unsigned *out, int rounds)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	unsigned h = in[i], x = h;
	REMAP
	if ((h & 3) == 0)
		for (int k = 0; k < rounds; k++)
			x = ((x + k) * 0x01000193u ^ x >> 9) + 1;
	else if ((h & 3) == 1)
		for (int k = 0; k < rounds; k++)
			x = ((x ^ x >> 9) + 1) * 0x01000193u + k;
	else if ((h & 3) == 2)
		for (int k = 0; k < rounds; k++)
			x = ((x * 0x01000193u + 1) ^ x >> 9) + k;
	else
		for (int k = 0; k < rounds; k++)
			x = (x + 1 + k ^ x >> 9) * 0x01000193u;
	out[i] = x;
}

__global__ void
collide(int n, const unsigned *in, unsigned *out, int rounds)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	unsigned h = in[i];
	float a = (h >> 8) * 0x1p-24f, b = a;
	REMAP_TWO
	if ((h & 3) == 0) { // an obstacle
		for (int k = 0; k < rounds; k++)
			b = -b * 0.99f + a;
	} else {
		for (int k = 0; k < rounds; k++) {
			float u = b - a, f = 1 + 3 * u + 4.5f * u * u - 1.5f * u * u;
			b = b - 0.6f * (b - 0.11f * f);
		}
	}
	out[i] = __float_as_uint(b);
}

__global__ void
decide(int n, const unsigned *in, unsigned *out, int rounds)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	unsigned h = in[i], x = h;
	REMAP_TWO
	if (h & 1) {
		if (h & 2)
			for (int k = 0; k < rounds; k++)
				x = (x << 7 | x >> 25) + (x ^ 0x9e3779b9u) * 5;
		else
			for (int k = 0; k < rounds; k++)
				x = (x ^ x >> 15) * 0x2c1b3c6du + k;
	} else {
		for (int k = 0; k < rounds; k++) {
			x ^= x << 13;
			x ^= x >> 17;
			x ^= x << 5;
		}
	}
	out[i] = x;
}

__global__ void
tax(int n, const unsigned *in, unsigned *out, int rounds)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	unsigned h = in[i], bracket = h & 31;
	float income = (h >> 8) * 0x1p-24f, due = 0;
	REMAP
	if (bracket < 12)
		for (int k = 0; k < rounds; k++)
			due += 0.1f * income;
	else if (bracket < 22)
		for (int k = 0; k < rounds; k++)
			due = due * 0.98f + sqrtf(income + k);
	else if (bracket < 28)
		for (int k = 0; k < 2 * rounds; k++)
			due = due * 0.97f + 0.2f / (income + k + 1);
	else if (bracket < 31)
		for (int k = 0; k < 3 * rounds; k++)
			due = due * 0.96f + __expf(-income * k);
	else
		for (int k = 0; k < 8 * rounds; k++)
			due = due * 0.95f + __logf(income + k + 1);
	out[i] = __float_as_uint(due);
}

__global__ void
unpool(int n, const unsigned *in, unsigned *out, int rounds)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	unsigned h = in[i], sum = 0;
	REMAP_TWO
	if ((h & 1) == 0)
		for (int k = 0; k < rounds; k++)
			sum += (h >> (k & 15)) * 0x85ebca6bu ^ sum >> 13;
	else
		sum = h;
	out[i] = sum;
}

int
main(int argc, char **argv)
{
	Options options(argc, argv, 'e');
	const int n = options.size(1 << 22);
	Rng rng(9);
	std::vector<unsigned> items(n);
	for (unsigned &x : items)
		x = (unsigned)rng.next();
	unsigned *in = to_device(items), *out = device_zeros<unsigned>(n);
	auto kernel = options.data == 'a' ? permutations : options.data == 'b' ? collide : options.data == 'c' ? decide :
		options.data == 'd' ? tax : unpool;
	double ms = time_ms(options, [&] { kernel<<<blocks_for(n, 256), 256>>>(n, in, out, 64); });
	Checksum sum;
	sum.device(out, n);
	return report(sum, ms);
}
