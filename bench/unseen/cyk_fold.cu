// SPDX-License-Identifier: MIT
// Folding of short RNA by dynamic programming over intervals (Nussinov's grammar, parsed as in
// CYK), then a traceback with a stack; one sequence a thread. Data set a has lengths from 8 to 40,
// b one sequence of 24 bases for all.
#include "unseen.h"

#define LONGEST 40
#define MIN_LOOP 3

__device__ __forceinline__ int
pairs(char a, char b)
{
	if ((a == 'G' && b == 'C') || (a == 'C' && b == 'G'))
		return 3;
	if ((a == 'A' && b == 'U') || (a == 'U' && b == 'A'))
		return 2;
	if ((a == 'G' && b == 'U') || (a == 'U' && b == 'G'))
		return 1;
	return 0;
}

__global__ void
fold(int n, const char *__restrict__ bases, const int *__restrict__ start, int *score, signed char *partner)
{
	int id = blockIdx.x * blockDim.x + threadIdx.x;
	if (id >= n)
		return;
	const char *s = bases + start[id];
	const int length = start[id + 1] - start[id];
	unsigned char best[LONGEST][LONGEST];
	for (int i = 0; i < length; i++)
		for (int j = i; j < min(length, i + MIN_LOOP + 1); j++)
			best[i][j] = 0;
	for (int span = MIN_LOOP + 1; span < length; span++) {
		for (int i = 0; i + span < length; i++) {
			int j = i + span, value = max((int)best[i + 1][j], (int)best[i][j - 1]), p = pairs(s[i], s[j]);
			if (p)
				value = max(value, best[i + 1][j - 1] + p);
			for (int k = i + MIN_LOOP + 1; k < j - MIN_LOOP - 1; k++) {
				int split = best[i][k] + best[k + 1][j];
				if (split > value)
					value = split;
			}
			best[i][j] = value;
		}
	}
	signed char *mate = partner + start[id];
	for (int i = 0; i < length; i++)
		mate[i] = -1;
	short stack[2 * LONGEST];
	int top = 0;
	stack[top++] = (short)(length - 1);
	while (top > 0) { // low byte: the last base; high byte: the first
		int i = stack[top - 1] >> 8, j = stack[top - 1] & 255;
		top--;
		while (j - i > MIN_LOOP && best[i][j] > 0) {
			int value = best[i][j], p = pairs(s[i], s[j]);
			if (value == best[i + 1][j]) {
				i++;
			} else if (value == best[i][j - 1]) {
				j--;
			} else if (p && value == best[i + 1][j - 1] + p) {
				mate[i] = j;
				mate[j] = i;
				i++;
				j--;
			} else {
				int k = i + MIN_LOOP + 1;
				while (value != best[i][k] + best[k + 1][j])
					k++;
				stack[top++] = (short)((k + 1) << 8 | j);
				j = k;
			}
		}
	}
	score[id] = best[0][length - 1];
}

int
main(int argc, char **argv)
{
	Options options(argc, argv);
	int n = options.size(1 << 16, 64);
	Rng rng(40);
	std::vector<char> bases;
	std::vector<int> start(1, 0);
	for (int i = 0; i < n; i++) {
		int length = options.divergent ? 8 + rng.below(LONGEST - 7) : 24;
		bool poor = options.divergent && rng.below(4) == 0; // few pairs
		for (int k = 0; k < length; k++) {
			if (!options.divergent && i > 0)
				bases.push_back(bases[k]);
			else
				bases.push_back(poor ? "AAAG"[rng.below(4)] : "ACGU"[rng.below(4)]);
		}
		start.push_back((int)bases.size());
	}
	char *d_bases = to_device(bases);
	int *d_start = to_device(start), *score = device_zeros<int>(n);
	signed char *partner = device_zeros<signed char>(bases.size());
	double ms = time_ms(options, [&] { fold<<<blocks_for(n, 64), 64>>>(n, d_bases, d_start, score, partner); });
	Checksum sum;
	sum.device(score, n);
	sum.device(partner, bases.size());
	return report(sum, ms);
}
