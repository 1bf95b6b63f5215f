// SPDX-License-Identifier: MIT
// PackBits encoding of image rows, one segment of a row a thread: a run of equal bytes becomes a
// negative count and the byte, other bytes a count and themselves. Data set a mixes runs of many
// lengths and noise, b has runs of 16.
#include "unseen.h"

#define SEGMENT 256
#define ROOM (SEGMENT + SEGMENT / 64 + 4)

__device__ int
run_length(const unsigned char *p, int rest)
{
	int n = 1;
	while (n < rest && n < 128 && p[n] == p[0])
		n++;
	return n;
}

__global__ void
encode(int segments, const unsigned char *__restrict__ input, unsigned char *output, int *size)
{
	for (int s = blockIdx.x * blockDim.x + threadIdx.x; s < segments; s += gridDim.x * blockDim.x) {
		const unsigned char *in = input + (size_t)s * SEGMENT;
		unsigned char *out = output + (size_t)s * ROOM;
		int i = 0, o = 0;
		while (i < SEGMENT) {
			int run = run_length(in + i, SEGMENT - i);
			if (run >= 3) {
				out[o++] = (unsigned char)(257 - run);
				out[o++] = in[i];
				i += run;
				continue;
			}
			int begin = i, header = o++; // literals up to the next run of three
			while (i < SEGMENT && i - begin < 128) {
				if (i + 2 < SEGMENT && in[i] == in[i + 1] && in[i] == in[i + 2])
					break;
				out[o++] = in[i++];
			}
			out[header] = (unsigned char)(i - begin - 1);
		}
		size[s] = o;
	}
}

// The checksum of each segment, decoded.
__global__ void
verify(int segments, const unsigned char *__restrict__ encoded, const int *__restrict__ size, unsigned *hash)
{
	int s = blockIdx.x * blockDim.x + threadIdx.x;
	if (s >= segments)
		return;
	const unsigned char *in = encoded + (size_t)s * ROOM;
	unsigned h = 2166136261u;
	int i = 0, n = size[s];
	while (i < n) {
		int control = in[i++];
		if (control < 128) {
			for (int k = 0; k <= control; k++)
				h = (h ^ in[i++]) * 16777619u;
		} else {
			unsigned char b = in[i++];
			for (int k = 0; k < 257 - control; k++)
				h = (h ^ b) * 16777619u;
		}
	}
	hash[s] = h;
}

int
main(int argc, char **argv)
{
	Options options(argc, argv);
	int segments = options.size(1 << 17, 64);
	Rng rng(30);
	std::vector<unsigned char> data((size_t)segments * SEGMENT);
	for (size_t i = 0; i < data.size();) {
		uint64_t r = rng.next();
		unsigned run = 16;
		if (options.divergent)
			run = r % 4 == 0 ? 1 + (r >> 8) % 200 : 1 + (r >> 8) % 3;
		unsigned char value = options.divergent ? r >> 32 : i / 16;
		for (; run && i < data.size(); run--)
			data[i++] = value;
	}
	unsigned char *in = to_device(data), *out = device_zeros<unsigned char>((size_t)segments * ROOM);
	int *size = device_zeros<int>(segments);
	unsigned *hash = device_zeros<unsigned>(segments);
	int blocks = std::min(blocks_for(segments, 64), 132 * 32);
	double ms = time_ms(options, [&] {
		encode<<<blocks, 64>>>(segments, in, out, size);
		verify<<<blocks_for(segments, 64), 64>>>(segments, out, size, hash);
	});
	std::vector<unsigned> got = to_host(hash, segments);
	for (int s = 0; s < segments; s++) {
		unsigned h = 2166136261u;
		for (int i = 0; i < SEGMENT; i++)
			h = (h ^ data[(size_t)s * SEGMENT + i]) * 16777619u;
		if (h != got[s]) {
			fprintf(stderr, "rle_encode: segment %d does not decode to the input\n", s);
			return 1;
		}
	}
	Checksum sum;
	sum.device(out, (size_t)segments * ROOM);
	sum.device(size, segments);
	sum.device(hash, segments);
	return report(sum, ms);
}
