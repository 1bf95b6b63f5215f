// SPDX-License-Identifier: MIT
// Naive search for several patterns: a thread compares each pattern with the text at its positions
// and leaves at the first mismatch. Data set a is DNA with repeats, b text in which no pattern's
// first letter occurs.
#include "unseen.h"

#define PATTERNS 8
#define LONGEST 64

struct Patterns {
	char text[PATTERNS][LONGEST];
	int length[PATTERNS];
};

__constant__ Patterns patterns;

__device__ int
matching_prefix(const char *__restrict__ text, long long rest, int p)
{
	int length = patterns.length[p];
	int k = 0;
	while (k < length && k < rest) {
		if (text[k] != patterns.text[p][k])
			break;
		k++;
	}
	return k;
}

__global__ void
search(const char *__restrict__ text, long long n, int *first_match, unsigned char *longest,
	unsigned *occurrences)
{
	long long stride = (long long)gridDim.x * blockDim.x;
	for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n; i += stride) {
		int which = -1, best = 0;
		for (int p = 0; p < PATTERNS; p++) {
			int k = matching_prefix(text + i, n - i, p);
			if (k > best)
				best = k;
			if (k == patterns.length[p]) {
				atomicAdd(&occurrences[p], 1);
				if (which < 0)
					which = p;
			}
		}
		first_match[i] = which;
		longest[i] = best;
	}
}

int
main(int argc, char **argv)
{
	Options options(argc, argv);
	int n = options.size(1 << 24);
	Rng rng(18);
	std::vector<char> text(n);
	Patterns host = {};
	const char *letters = options.divergent ? "ACGT" : "bdfh";
	for (int i = 0; i < n; i++)
		text[i] = letters[rng.below(4)];
	if (options.divergent)
		for (int start = 0; start + 400 < n; start += 500 + rng.below(4000)) { // tandem repeats
			int unit = 1 + rng.below(6), length = 40 + rng.below(360);
			for (int i = start + unit; i < start + length; i++)
				text[i] = text[i - unit];
		}
	for (int p = 0; p < PATTERNS; p++) {
		host.length[p] = std::min(LONGEST, 12 + 7 * p);
		int from = rng.below(n - LONGEST);
		for (int k = 0; k < host.length[p]; k++)
			host.text[p][k] = options.divergent ? text[from + (p & 1 ? k : k % (1 + p))] : 'a';
	}
	CUDA_CHECK(cudaMemcpyToSymbol(patterns, &host, sizeof host));
	char *d_text = to_device(text);
	int *first_match = device_zeros<int>(n);
	unsigned char *longest = device_zeros<unsigned char>(n);
	unsigned *occurrences = device_zeros<unsigned>(PATTERNS);
	int blocks = std::min(blocks_for(n, 256), 132 * 32);
	double ms = time_ms(options, [&] { CUDA_CHECK(cudaMemset(occurrences, 0, PATTERNS * sizeof(unsigned))); },
		[&] { search<<<blocks, 256>>>(d_text, n, first_match, longest, occurrences); });
	Checksum sum;
	sum.device(first_match, n);
	sum.device(longest, n);
	sum.device(occurrences, PATTERNS);
	return report(sum, ms);
}
