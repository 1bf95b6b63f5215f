// SPDX-License-Identifier: MIT
// LZ4-like decompression, one independent block a thread: a token with the lengths of literals and
// match, extension bytes, literals, a 16-bit offset, overlapping copies. Data set a mixes kinds of
// data, b repeats one block.
#include "unseen.h"

#define BLOCK 1024
#define MIN_MATCH 4

__device__ int
extended_length(const unsigned char *in, int &at, int end, int length)
{
	if (length == 15) {
		unsigned char b;
		do {
			b = at < end ? in[at++] : 0;
			length += b;
		} while (b == 255);
	}
	return length;
}

__global__ void
decompress(int blocks, const unsigned char *__restrict__ compressed, const int *__restrict__ start,
	unsigned char *output, int *length_out)
{
	int id = blockIdx.x * blockDim.x + threadIdx.x;
	if (id >= blocks)
		return;
	unsigned char *out = output + (size_t)id * BLOCK;
	int at = start[id], end = start[id + 1], length = 0;
	while (at < end) {
		unsigned char token = compressed[at++];
		int literals = extended_length(compressed, at, end, token >> 4);
		for (int i = 0; i < literals && at < end && length < BLOCK; i++)
			out[length++] = compressed[at++];
		if (at + 2 > end)
			break; // the last sequence has literals only
		int offset = compressed[at] | compressed[at + 1] << 8;
		at += 2;
		int match = extended_length(compressed, at, end, token & 15) + MIN_MATCH;
		if (offset == 0 || offset > length) {
			length = -1; // corrupt
			break;
		}
		const unsigned char *from = out + length - offset;
		match = min(match, BLOCK - length);
		for (int i = 0; i < match; i++)
			out[length + i] = from[i];
		length += match;
	}
	length_out[id] = length;
}

static void
put_length(std::vector<unsigned char> &out, int length)
{
	for (length -= 15; length >= 255; length -= 255)
		out.push_back(255);
	out.push_back(length);
}

static void
compress(std::vector<unsigned char> &out, const unsigned char *in)
{
	short table[1024];
	memset(table, -1, sizeof table);
	int anchor = 0;
	for (int i = 0; i + MIN_MATCH <= BLOCK;) {
		uint32_t word;
		memcpy(&word, in + i, 4);
		short &slot = table[word * 2654435761u >> 22];
		int candidate = slot;
		slot = i;
		if (candidate < 0 || memcmp(in + candidate, in + i, 4)) {
			i++;
			continue;
		}
		int match = MIN_MATCH, literals = i - anchor;
		while (i + match < BLOCK && in[candidate + match] == in[i + match])
			match++;
		out.push_back(std::min(literals, 15) << 4 | std::min(match - MIN_MATCH, 15));
		if (literals >= 15)
			put_length(out, literals);
		out.insert(out.end(), in + anchor, in + i);
		out.push_back((i - candidate) & 255);
		out.push_back((i - candidate) >> 8);
		if (match - MIN_MATCH >= 15)
			put_length(out, match - MIN_MATCH);
		anchor = i += match;
	}
	int literals = BLOCK - anchor;
	if (literals == 0)
		return;
	out.push_back(std::min(literals, 15) << 4);
	if (literals >= 15)
		put_length(out, literals);
	out.insert(out.end(), in + anchor, in + BLOCK);
}

int
main(int argc, char **argv)
{
	Options options(argc, argv);
	int blocks = options.size(1 << 15, 64);
	Rng rng(28);
	std::vector<unsigned char> data(BLOCK), compressed;
	std::vector<int> start(blocks + 1);
	uint64_t expected = 0;
	for (int b = 0; b < blocks; b++) {
		if (options.divergent || b == 0) {
			int kind = rng.below(4), period = 1 + rng.below(200);
			for (int i = 0; i < BLOCK; i++)
				data[i] = kind == 0 ? rng.below(256) : kind == 1 ? rng.below(4) : i >= period && rng.below(60) ? data[i - period] : 'a' + rng.below(20);
		}
		for (unsigned char c : data)
			expected = expected * 31 + c;
		compress(compressed, data.data());
		start[b + 1] = (int)compressed.size();
	}
	unsigned char *in = to_device(compressed), *out = device_zeros<unsigned char>((size_t)blocks * BLOCK);
	int *d_start = to_device(start), *length = device_zeros<int>(blocks);
	double ms = time_ms(options, [&] {
		decompress<<<blocks_for(blocks, 64), 64>>>(blocks, in, d_start, out, length);
	});
	uint64_t got = 0;
	for (unsigned char c : to_host(out, (size_t)blocks * BLOCK))
		got = got * 31 + c;
	if (got != expected) {
		fprintf(stderr, "lz_decompress: wrong output\n");
		return 1;
	}
	Checksum sum;
	sum.device(out, (size_t)blocks * BLOCK);
	sum.device(length, blocks);
	return report(sum, ms);
}
