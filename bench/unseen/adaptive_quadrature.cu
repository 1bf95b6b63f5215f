// SPDX-License-Identifier: MIT
// Adaptive Simpson quadrature with a stack of intervals, one integral a thread, for functors of
// several kinds. Data set a has peaks of many widths and kinks, b the same smooth function.
#include "unseen.h"

#define DEPTH 24

struct Parameters {
	double center, width, kink;
};

struct Peak { // Lorentz peak on a wave, and a kink
	__device__ double operator()(double x, const Parameters &p) const
	{
		double d = x - p.center;
		return p.width / (d * d + p.width * p.width) + 0.3 * cos(5 * x) + 0.1 * fabs(x - p.kink);
	}
};

struct Interval {
	double a, fa, fm, fb, whole;
	int depth;
};

template <class F> __device__ double
simpson(F f, const Parameters &p, double lo, double hi, double tolerance, int *evaluations)
{
	Interval stack[DEPTH + 2];
	int top = 0, count = 3;
	double fa = f(lo, p), fb = f(hi, p), fm = f(0.5 * (lo + hi), p), sum = 0;
	stack[top++] = { lo, fa, fm, fb, (hi - lo) / 6 * (fa + 4 * fm + fb), 0 };
	while (top > 0) {
		Interval i = stack[--top];
		double h = ldexp(hi - lo, -i.depth), mid = i.a + 0.5 * h;
		double f1 = f(i.a + 0.25 * h, p), f2 = f(i.a + 0.75 * h, p);
		count += 2;
		double left = h / 12 * (i.fa + 4 * f1 + i.fm), right = h / 12 * (i.fm + 4 * f2 + i.fb);
		double error = left + right - i.whole;
		if (fabs(error) <= 15 * ldexp(tolerance, -i.depth) || i.depth >= DEPTH) {
			sum += left + right + error / 15;
			continue;
		}
		stack[top++] = { mid, i.fm, f2, i.fb, right, i.depth + 1 };
		stack[top++] = { i.a, i.fa, f1, i.fm, left, i.depth + 1 };
	}
	*evaluations = count;
	return sum;
}

__global__ void
integrals(int n, const Parameters *__restrict__ parameters, double tolerance, double *result,
	int *evaluations)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	Parameters p = parameters[i];
	int count;
	result[i] = simpson(Peak(), p, 0, 1, tolerance, &count);
	evaluations[i] = count;
}

int
main(int argc, char **argv)
{
	Options options(argc, argv);
	int n = options.size(1 << 16);
	Rng rng(24);
	std::vector<Parameters> parameters(n);
	for (Parameters &p : parameters) {
		p = { 0.3, 0.5, 2 };
		if (options.divergent)
			p = { rng.real(-0.2, 1.2), pow(10, rng.real(-4, 0)), rng.real(-3, 1) };
	}
	Parameters *d_parameters = to_device(parameters);
	double *result = device_zeros<double>(n);
	int *evaluations = device_zeros<int>(n);
	double tolerance = options.divergent ? 1e-7 : 1e-11;
	double ms = time_ms(options, [&] {
		integrals<<<blocks_for(n, 64), 64>>>(
			n, d_parameters, tolerance, result, evaluations);
	});
	Checksum sum;
	sum.device(result, n);
	sum.device(evaluations, n);
	return report(sum, ms);
}
