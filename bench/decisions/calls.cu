// SPDX-License-Identifier: MIT
// Half of the items of an array are mapped by a function that is not inlined. Neighbouring lanes store
// to neighbouring words.
//
// data a: 32-bit items
// data b: 64-bit items
//
// plan 0: for, if
// plan 1: queue(4)
// plan 2: stack
// plan 3: ahead
// plan 4: wait
#include "plans.h"

template <class T> __device__ __noinline__ T
long_way(T x)
{
	for (int k = 0; k < 10; k++)
		x = (x ^ x >> 7) * (T)0x2545f4914f6cdd1dull + (T)k;
	return x;
}

template <class T> __global__ void
map(int n, const T *__restrict__ in, T *__restrict__ out)
{
	PLANS(for, for, for, for, for)
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		T x = in[i];
		PLANS(if, if policy(queue(4)), if policy(stack), if policy(ahead), if policy(wait(16)))
		if (x & 1)
			out[i] = long_way(x);
	}
}

template <class T> int
run(const Options &options, int n)
{
	Rng rng(3);
	std::vector<T> items(n);
	for (T &x : items)
		x = (T)rng.next();
	T *in = to_device(items), *out = device_zeros<T>(n);
	double ms = time_ms(options, [&] { map<<<loop_blocks(n, 256), 256>>>(n, in, out); });
	Checksum sum;
	sum.device(out, n);
	return report(sum, ms);
}

int
main(int argc, char **argv)
{
	Options options(argc, argv);
	return options.divergent ? run<uint32_t>(options, options.size(1 << 24)) :
		run<uint64_t>(options, options.size(1 << 23));
}
