// SPDX-License-Identifier: MIT
// Ordinary differential equations, one thread per system: the van der Pol oscillator from 0 to 10 by
// the Bogacki-Shampine method, which chooses its step sizes by an error estimate. The stiffer a
// system, the more steps it takes: some 100 to 2,500, unknown in advance. A warp takes as long as
// its stiffest system.
//
// `while` collects the iterations of the loop: a task is a step, and its context is the state of the
// system. A lane whose system has ended takes the next one, or continues one that was set aside.
// Each step depends on the previous one and receives its result, so the results are those of the
// original loop, bit for bit, whichever lanes execute the steps.
//
//	cccnvcc -O3 -std=c++17 -arch=native ode.cu -o ode
//	ode [--systems N] [--blocks B]          2^18 systems by default

#include "sample.cuh"

struct State { double x, v; };

// x'' = mu (1 - x^2) x' - x
__host__ __device__ inline State slope(State y, double mu)
{
	return {y.v, fma(mu * fma(-y.x, y.x, 1.0), y.v, -y.x)};
}
__host__ __device__ inline State along(State y, double h, State k)
{
	return {fma(h, k.x, y.x), fma(h, k.v, y.v)};
}
__host__ __device__ inline double stiffness(int system)
{
	const double u = random01((unsigned)system);
	return 0.5 + 200 * u * u * u * u * u;
}

__host__ __device__ inline double solve(double mu, int &steps)
{
	const double end = 10, tolerance = 1e-5;
	State y = {2, 0};
	double t = 0, h = 1e-3;
	#pragma ccc while
	while (t < end) {
		h = fmin(h, end - t);
		const State k1 = slope(y, mu);
		const State k2 = slope(along(y, h / 2, k1), mu);
		const State k3 = slope(along(y, h * 0.75, k2), mu);
		State third = along(y, h * (2 / 9.), k1);
		third = along(along(third, h * (1 / 3.), k2), h * (4 / 9.), k3);
		const State k4 = slope(third, mu);
		State second = along(along(y, h * (7 / 24.), k1), h / 4, k2);
		second = along(along(second, h * (1 / 3.), k3), h / 8, k4);
		const double dx = fabs(third.x - second.x), dv = fabs(third.v - second.v);
		const double error = fmax(dx, dv / fmax(1.0, mu));
		if (error <= tolerance) {
			t += h;
			y = third;
		}
		if (error > tolerance)
			h *= 0.5;
		else if (error < tolerance / 16)
			h *= 2;
		++steps;
	}
	return y.x;
}

__global__ void solve_all(int n, double *out, int *steps)
{
	#pragma ccc for threads(256)
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		int count = 0;
		out[i] = solve(stiffness(i), count);
		steps[i] = count;
	}
}

int main(int argc, char **argv)
{
	int n = 1 << 18;
	read_options(argc, argv, {{"systems", &n}});
	Array<double> out(n);
	Array<int> steps(n);
	const int blocks = resident_blocks(solve_all, 256);
	const float ms = best_ms(
		[&] { out.fill(0xff); }, [&] { solve_all<<<blocks, 256>>>(n, out, steps); });

	const std::vector<double> got = out.host();
	const std::vector<int> taken = steps.host();
	bool ok = true;
	long long all = 0;
	for (int i = 0; i < n; ++i)
		all += taken[i];
	for (int i = 0; i < n; i += 1 + n / 2000) {
		int count = 0;
		ok = ok && close_to(got[i], solve(stiffness(i), count), 1e-2) &&
			close_to(taken[i], count, 0.1);
	}
	const auto range = std::minmax_element(taken.begin(), taken.end());
	return result(ok, ms, "%d systems, %lld steps, from %d to %d", n, all, *range.first,
		*range.second);
}
