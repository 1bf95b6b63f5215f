// SPDX-License-Identifier: MIT
// A column of strings, one thread per string, as in a database table: converts letters to upper case
// and counts them. Most strings are short, a few are long, and a warp takes as long as its
// longest.
//
// Libraries have two kernels for that, one thread per string and one warp per string, and choose by
// the mean length before the launch. `for var` with `expand(choose)` does both in one: in each round
// a warp checks whether its 32 strings have similar lengths. If so, each lane processes its own;
// otherwise the warp processes all their characters, 32 at a time. It is faster than the first
// kernel if lengths are mixed, and than the second if strings are short.
//
// The count is live out of the loop. It is an integer, so its order does not matter, and no clause
// is needed.
//
//	cccnvcc -O3 -std=c++17 -arch=native strings.cu -o strings
//	strings [--strings N] [--blocks B]      2^21 strings by default

#include "sample.cuh"

__host__ __device__ inline bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
__host__ __device__ inline char capital(char c)
{
	return c >= 'a' && c <= 'z' ? (char)(c - 32) : c;
}

// String i is text[at[i]] .. text[at[i + 1] - 1].
__global__ void capitals(int n, const int *at, const char *text, char *out, int *letters)
{
	#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		const int end = at[i + 1];
		int count = 0;
		#pragma ccc for var policy(expand(choose))
		for (int k = at[i]; k < end; ++k) {
			const char c = text[k];
			out[k] = capital(c);
			count += is_letter(c);
		}
		letters[i] = count;
	}
}

int main(int argc, char **argv)
{
	int n = 1 << 21;
	read_options(argc, argv, {{"strings", &n}});
	std::vector<int> offsets(1), want_letters(n);
	std::vector<char> characters, want;
	for (int i = 0; i < n; ++i) {
		// Names of 4 to 19 characters; one string in 64 is a paragraph.
		const unsigned r = random32(i);
		const int length = r % 64 ? 4 + (int)(r >> 8) % 16 : 300 + (int)(r >> 8) % 500;
		for (int k = 0; k < length; ++k) {
			const char c = (char)(' ' + random32(i + 65536 * k) % 95);
			characters.push_back(c);
			want.push_back(capital(c));
			want_letters[i] += is_letter(c);
		}
		offsets.push_back((int)characters.size());
	}

	Array<int> at(offsets), letters(n);
	Array<char> text(characters), out(characters.size());
	const int blocks = resident_blocks(capitals, 256);
	const float ms = best_ms([&] { out.fill(0), letters.fill(0xff); },
		[&] { capitals<<<blocks, 256>>>(n, at, text, out, letters); });
	const bool ok = out.host() == want && letters.host() == want_letters;
	return result(ok, ms, "%d strings, %zu characters", n, want.size());
}
