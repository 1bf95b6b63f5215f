// SPDX-License-Identifier: MIT
// Kepler's equation for many orbits and times by Newton's method, safeguarded by bisection, then
// the position on the orbit; elliptic and hyperbolic orbits. Data set b has nearly circular orbits.
#include "unseen.h"

struct Orbit {
	double a, e, mean_motion, phase;
};

// The root of x - e sin x - m (ellipse) or e sinh x - x - m (hyperbola) in [lo, hi]
template <bool HYPERBOLIC> __device__ double
solve(double e, double m, double lo, double hi, int &iterations)
{
	double x = HYPERBOLIC ? 0.5 * (lo + hi) : m + (m > 0 ? 0.85 : -0.85) * e, before = hi - lo, step = before;
	x = fmin(fmax(x, lo), hi);
	for (int i = 0; i < 100; i++) {
		double f = HYPERBOLIC ? e * sinh(x) - x - m : x - e * sin(x) - m;
		double slope = HYPERBOLIC ? e * cosh(x) - 1 : 1 - e * cos(x);
		iterations++;
		if (f < 0)
			lo = x;
		else
			hi = x;
		double newton = x - f / slope;
		if (!(newton > lo && newton < hi) || fabs(2 * f) > fabs(before * slope)) {
			before = step;
			step = 0.5 * (hi - lo);
			x = lo + step;
		} else {
			before = step;
			step = f / slope;
			x = newton;
		}
		if (fabs(step) < 1e-13 * (1 + fabs(x)))
			break;
	}
	return x;
}

__global__ void
positions(int n, const Orbit *__restrict__ orbits, double time, double2 *position, int *iterations)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	Orbit o = orbits[i];
	double m = o.phase + o.mean_motion * time;
	int count = 0;
	double2 p;
	if (o.e < 1) {
		const double pi = 3.14159265358979323846;
		m -= 2 * pi * rint(m / (2 * pi));
		double x = solve<false>(o.e, m, m - o.e - 1e-9, m + o.e + 1e-9, count);
		p = make_double2(o.a * (cos(x) - o.e), o.a * sqrt(1 - o.e * o.e) * sin(x));
	} else {
		double bound = 1;
		while (o.e * sinh(bound) - bound < fabs(m)) {
			bound *= 2;
			count++;
		}
		double x = solve<true>(o.e, m, -bound, bound, count);
		p = make_double2(o.a * (o.e - cosh(x)), o.a * sqrt(o.e * o.e - 1) * sinh(x));
	}
	position[i] = p;
	iterations[i] = count;
}

int
main(int argc, char **argv)
{
	Options options(argc, argv);
	int n = options.size(1 << 20);
	Rng rng(25);
	std::vector<Orbit> orbits(n);
	for (Orbit &o : orbits) {
		o = { 1 + rng.real(), 0.02, rng.real(0.5, 2), rng.real(-3, 3) };
		if (options.divergent)
			o.e = rng.below(8) == 0 ? rng.real(1.001, 3) : 1 - pow(10, rng.real(-4, -0.01));
	}
	Orbit *d_orbits = to_device(orbits);
	double2 *position = device_zeros<double2>(n);
	int *iterations = device_zeros<int>(n);
	double ms = time_ms(options, [&] {
		positions<<<blocks_for(n, 256), 256>>>(n, d_orbits, 1.25, position, iterations);
	});
	Checksum sum;
	sum.device(position, n);
	sum.device(iterations, n);
	return report(sum, ms);
}
