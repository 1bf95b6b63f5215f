// SPDX-License-Identifier: MIT
// Events are classified; the rare ones are reconstructed, and each item has a counter of its state.
// A total is kept in one word.
//
// data a: 1 of 32 events is reconstructed
// data b: all events of 1 of 32 warps
//
// plan 0: for, if
// plan 1: queue(4)
// plan 2: stack
// plan 3: ahead
#include "plans.h"

__global__ void
classify(int n, const unsigned *__restrict__ event, unsigned *state, float *energy, unsigned *total)
{
	PLANS(for, for, for, for)
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		unsigned e = event[i];
		PLANS(if, if policy(queue(4)), if policy(stack), if policy(ahead))
		if ((e & 31) == 0) {
			float x = (e >> 8) * 0x1p-24f;
			for (int k = 0; k < 12; k++)
				x = x * (3.7f - 0.01f * k) * (1 - x);
			energy[i] = x;
			state[i]++;
			atomicAdd(total, 1u);
		}
	}
}

int
main(int argc, char **argv)
{
	Options options(argc, argv);
	const int n = options.size(1 << 24);
	Rng rng(2);
	std::vector<unsigned> events(n);
	for (int i = 0; i < n; i += 2) {
		uint64_t r = rng.next();
		events[i] = (unsigned)r;
		if (i + 1 < n)
			events[i + 1] = (unsigned)(r >> 32);
	}
	if (!options.divergent)
		for (int i = 0; i < n; i++) {
			unsigned h = (unsigned)(i / 32) * 0x9e3779b1u;
			events[i] = (events[i] & ~31u) | (h >> 27 ? 1 : 0);
		}
	unsigned *event = to_device(events), *state = device_zeros<unsigned>(n), *total = device_zeros<unsigned>(1);
	float *energy = device_zeros<float>(n);
	auto reset = [&] {
		CUDA_CHECK(cudaMemset(state, 0, n * sizeof(unsigned)));
		CUDA_CHECK(cudaMemset(total, 0, sizeof(unsigned)));
	};
	double ms = time_ms(options, reset, [&] {
		classify<<<loop_blocks(n, 256), 256>>>(n, event, state, energy, total);
	});
	Checksum sum;
	sum.device(state, n);
	sum.device(energy, n);
	sum.device(total, 1);
	return report(sum, ms);
}
