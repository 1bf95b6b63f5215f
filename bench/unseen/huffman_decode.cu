// SPDX-License-Identifier: MIT
// Canonical Huffman decoding, one stream a thread: a code's length is found by comparison with the
// first code of each length, from tables in shared memory. Data set a has a skewed distribution
// and streams of many lengths, b codes of equal lengths.
#include "unseen.h"

#define MAX_BITS 16

struct Canonical {
	unsigned first[MAX_BITS + 2], count[MAX_BITS + 2]; // by length: first code, number of codes
	unsigned short symbol[256];
};

struct BitReader {
	const unsigned *words;
	unsigned long long buffer;
	int bits;

	__device__ unsigned take()
	{
		if (bits == 0) {
			buffer = *words++;
			bits = 32;
		}
		bits--;
		return (unsigned)(buffer >> bits) & 1;
	}
};

__global__ void
decode(int streams, const unsigned *__restrict__ words, const int *__restrict__ word_start,
	const int *__restrict__ symbol_start, const Canonical *__restrict__ table,
	unsigned char *symbols, unsigned *bit_counts)
{
	__shared__ Canonical code;
	for (int i = threadIdx.x; i < (int)(sizeof(Canonical) / 4); i += blockDim.x)
		((unsigned *)&code)[i] = ((const unsigned *)table)[i];
	__syncthreads();
	int s = blockIdx.x * blockDim.x + threadIdx.x;
	if (s >= streams)
		return;
	BitReader reader = { words + word_start[s], 0, 0 };
	int at = symbol_start[s], end = symbol_start[s + 1];
	unsigned bits = 0;
	for (; at < end; at++) {
		unsigned value = 0, index = 0;
		int length = 0;
		do {
			value = value << 1 | reader.take();
			length++;
			if (value - code.first[length] < code.count[length]) {
				index += value - code.first[length];
				break;
			}
			index += code.count[length];
		} while (length < MAX_BITS);
		symbols[at] = code.symbol[index & 255];
		bits += length;
	}
	bit_counts[s] = bits;
}

// Code lengths of a frequency table, by Huffman's algorithm.
static std::vector<int>
code_lengths(const std::vector<double> &weight)
{
	struct Item {
		double w;
		std::vector<int> leaves;
	};
	std::vector<Item> items;
	std::vector<int> length(weight.size(), 0);
	for (size_t i = 0; i < weight.size(); i++)
		items.push_back({ weight[i], { (int)i } });
	while (items.size() > 1) {
		std::sort(items.begin(), items.end(), [](const Item &a, const Item &b) { return a.w > b.w; });
		Item last = items.back();
		items.pop_back();
		items.back().w += last.w;
		items.back().leaves.insert(items.back().leaves.end(), last.leaves.begin(), last.leaves.end());
		for (int leaf : items.back().leaves)
			length[leaf]++;
	}
	return length;
}

int
main(int argc, char **argv)
{
	Options options(argc, argv);
	int streams = options.size(1 << 17, 64);
	std::vector<double> weight(256), cumulative(256);
	for (int i = 0; i < 256; i++)
		weight[i] = options.divergent ? pow(i + 1.0, -1.3) : 1;
	std::partial_sum(weight.begin(), weight.end(), cumulative.begin());
	std::vector<int> length = code_lengths(weight);
	Canonical table = {};
	std::vector<unsigned> code(256);
	unsigned next = 0, index = 0;
	for (int bits = 1; bits <= MAX_BITS; bits++, next <<= 1) {
		table.first[bits] = next;
		for (int i = 0; i < 256; i++)
			if (length[i] == bits) {
				code[i] = next++;
				table.symbol[index++] = i;
				table.count[bits]++;
			}
	}
	std::vector<unsigned char> pool(1 << 16); // symbols with this distribution
	Rng rng(29);
	for (unsigned char &s : pool)
		s = std::min<int>(255,
			std::lower_bound(cumulative.begin(), cumulative.end(),
				rng.real() * cumulative[255]) -
				cumulative.begin());
	std::vector<unsigned> words;
	std::vector<int> word_start, symbol_start(1, 0);
	for (int s = 0; s < streams; s++) {
		int count = options.divergent ? 32 + (int)std::min(600.0, -100 * log(1 - rng.real())) : 128;
		unsigned from = rng.below(1 << 16), bits = 0;
		uint64_t buffer = 0;
		word_start.push_back((int)words.size());
		for (int i = 0; i < count; i++) {
			int symbol = pool[(from + i) & 0xffff];
			buffer = buffer << length[symbol] | code[symbol];
			bits += length[symbol];
			if (bits >= 32)
				words.push_back((unsigned)(buffer >> (bits -= 32)));
		}
		words.push_back((unsigned)(buffer << (32 - bits)));
		symbol_start.push_back(symbol_start.back() + count);
	}
	unsigned *d_words = to_device(words), *bit_counts = device_zeros<unsigned>(streams);
	int *ws = to_device(word_start), *ss = to_device(symbol_start), total = symbol_start.back();
	Canonical *d_table = to_device(std::vector<Canonical>(1, table));
	unsigned char *symbols = device_zeros<unsigned char>(total);
	double ms = time_ms(options, [&] {
		decode<<<blocks_for(streams, 128), 128>>>(
			streams, d_words, ws, ss, d_table, symbols, bit_counts);
	});
	Checksum sum;
	sum.device(symbols, total);
	sum.device(bit_counts, streams);
	return report(sum, ms);
}
