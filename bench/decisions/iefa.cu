// SPDX-License-Identifier: MIT
// The inverse error function, as in ccc_iefa.cu, without a block size in the source.
//
// data a: the three polynomials equally often
// data b: 90, 7 and 3 of 100
//
// plan 0: for, if, if else
// plan 1: stack, for blocks of up to 256 threads
// plan 2: queue(4), for blocks of up to 256 threads
// plan 3: ahead
// plan 4: plan 0, for blocks of up to 256 threads
#include "plans.h"
#include "../iefa.cuh"

__global__ void
inverse(int n, const double *__restrict__ in, double *__restrict__ out)
{
	PLANS(for, for threads(256), for threads(256), for, for threads(256))
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		const double x = in[i], w = exponent(x);
		PLANS(if, if policy(stack), if policy(queue(4)), if policy(ahead), if)
		if (w < 6.25)
			out[i] = poly<0>(w) * x;
		else
			PLANS(if else, if else policy(stack), if else policy(queue(4)), if else policy(ahead), if else)
			if (w < 16.0)
				out[i] = poly<1>(w) * x;
			else
				out[i] = poly<2>(w) * x;
	}
}

int
main(int argc, char **argv)
{
	Options options(argc, argv);
	const int n = options.size(1 << 22);
	double first = options.divergent ? 1.0 / 3 : 0.9, second = options.divergent ? 2.0 / 3 : 0.97;
	Rng rng(16);
	std::vector<double> values(n);
	for (double &x : values) {
		double a = rng.real(), u = rng.real(), w = a < first ? 6.25 * u : a < second ? 6.25 + 9.75 * u : 16 + 18 * u;
		x = sqrt(-expm1(-w));
	}
	double *in = to_device(values), *out = device_zeros<double>(n);
	double ms = time_ms(options, [&] { inverse<<<loop_blocks(n, 256), 256>>>(n, in, out); });
	Checksum sum;
	sum.device(out, n);
	return report(sum, ms);
}
