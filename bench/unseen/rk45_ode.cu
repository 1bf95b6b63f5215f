// SPDX-License-Identifier: MIT
// Adaptive Dormand-Prince integration of many van der Pol oscillators, one a thread; steps are
// rejected and resized by the error estimate. Data set a has damping from 0.01 to 60, b equal
// oscillators.
#include "unseen.h"

struct State {
	double x, v;
};
struct Problem {
	double mu, x0, v0, end;
};

__device__ __forceinline__ State
derivative(const State &s, double mu)
{
	return { s.v, mu * (1 - s.x * s.x) * s.v - s.x };
}

__device__ __forceinline__ State
combine(const State &s, double h, const State *k, const double *c, int n)
{
	State r = s;
#pragma unroll
	for (int i = 0; i < n; i++) {
		r.x += h * c[i] * k[i].x;
		r.v += h * c[i] * k[i].v;
	}
	return r;
}

__global__ void
integrate(int n, const Problem *__restrict__ problems, double tolerance, int most, State *result, int2 *steps)
{
	int id = blockIdx.x * blockDim.x + threadIdx.x;
	if (id >= n)
		return;
	const double a2[] = { 1.0 / 5 }, a3[] = { 3.0 / 40, 9.0 / 40 }, a4[] = { 44.0 / 45, -56.0 / 15, 32.0 / 9 };
	const double a5[] = { 19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729 };
	const double a6[] = { 9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656 };
	const double b[] = { 35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84 };
	const double d[] = { 71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40 };
	Problem p = problems[id];
	State s = { p.x0, p.v0 }, k[7];
	double t = 0, h = 1e-3;
	int accepted = 0, rejected = 0;
	k[0] = derivative(s, p.mu);
	while (t < p.end && accepted + rejected < most) {
		if (t + h > p.end)
			h = p.end - t;
		k[1] = derivative(combine(s, h, k, a2, 1), p.mu);
		k[2] = derivative(combine(s, h, k, a3, 2), p.mu);
		k[3] = derivative(combine(s, h, k, a4, 3), p.mu);
		k[4] = derivative(combine(s, h, k, a5, 4), p.mu);
		k[5] = derivative(combine(s, h, k, a6, 5), p.mu);
		State next = combine(s, h, k, b, 6);
		k[6] = derivative(next, p.mu);
		State zero = { 0, 0 }, e = combine(zero, h, k, d, 7);
		double scale_x = tolerance * (1 + fmax(fabs(s.x), fabs(next.x))),
		       scale_v = tolerance * (1 + fmax(fabs(s.v), fabs(next.v)));
		double error = sqrt(0.5 * (e.x * e.x / (scale_x * scale_x) + e.v * e.v / (scale_v * scale_v)));
		if (error <= 1) {
			t += h;
			s = next;
			k[0] = k[6];
			accepted++;
			h *= error < 1e-4 ? 5.0 : fmin(5.0, 0.9 * pow(error, -0.2));
		} else {
			rejected++;
			h *= fmax(0.2, 0.9 * pow(error, -0.2));
		}
	}
	result[id] = s;
	steps[id] = make_int2(accepted, rejected);
}

int
main(int argc, char **argv)
{
	Options options(argc, argv);
	int n = options.size(1 << 17);
	Rng rng(23);
	std::vector<Problem> problems(n);
	for (Problem &p : problems)
		p = options.divergent ? Problem{ pow(10, rng.real(-2, 1.78)), rng.real(-2, 2),
			rng.real(-2, 2), 12 } :
					Problem{ 1, 2, 0, 20 };
	Problem *d_problems = to_device(problems);
	State *result = device_zeros<State>(n);
	int2 *steps = device_zeros<int2>(n);
	double ms = time_ms(options, [&] {
		integrate<<<blocks_for(n, 128), 128>>>(n, d_problems, 1e-6, 5000, result, steps);
	});
	Checksum sum;
	sum.device(result, n);
	sum.device(steps, n);
	return report(sum, ms);
}
