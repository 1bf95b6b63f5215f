// SPDX-License-Identifier: MIT
// Monte Carlo pricing of barrier options with stochastic volatility: a path ends when it crosses
// the barrier; payoffs are summed in a block in shared memory as fixed-point numbers. Data set b
// has a barrier that no path reaches.
#include "unseen.h"

#define THREADS 256

struct Option {
	float spot, strike, barrier, rebate, rate, v0, kappa, theta, xi, rho;
	int steps;
	float dt;
};

struct Generator { // PCG
	unsigned long long state;
	__device__ unsigned next()
	{
		unsigned long long old = state;
		state = old * 6364136223846793005ull + 1442695040888963407ull;
		unsigned x = (unsigned)(((old >> 18) ^ old) >> 27), r = (unsigned)(old >> 59);
		return x >> r | x << (-r & 31);
	}
	__device__ float uniform() { return ((next() >> 8) + 0.5f) * (1.0f / 16777216.0f); }
};

__global__ void
price(Option o, int paths, float *payoff, int *end_step, unsigned long long *total)
{
	__shared__ unsigned long long partial[THREADS];
	int id = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned long long contribution = 0;
	if (id < paths) {
		Generator g = { (unsigned long long)id * 0x9e3779b97f4a7c15ull + 12345 };
		g.next();
		float logs = logf(o.spot), v = o.v0, log_barrier = logf(o.barrier), value = 0;
		bool alive = true;
		int step = 0;
		for (; step < o.steps; step++) {
			float radius = sqrtf(-2 * logf(g.uniform())), angle = 6.2831853f * g.uniform();
			float z1 = radius * cosf(angle), z2 = o.rho * z1 + sqrtf(1 - o.rho * o.rho) * radius * sinf(angle);
			float vp = fmaxf(v, 0.0f), before = logs;
			logs += (o.rate - 0.5f * vp) * o.dt + sqrtf(vp * o.dt) * z1;
			v += o.kappa * (o.theta - vp) * o.dt + o.xi * sqrtf(vp * o.dt) * z2;
			if (logs >= log_barrier) {
				alive = false;
				break;
			}
			if (log_barrier - logs < 0.02f) { // Brownian bridge between the steps
				float p = expf(-2 * (log_barrier - before) * (log_barrier - logs) / fmaxf(vp * o.dt, 1e-8f));
				if (g.uniform() < p) {
					alive = false;
					break;
				}
			}
		}
		if (alive)
			value = fmaxf(expf(logs) - o.strike, 0.0f) * expf(-o.rate * o.steps * o.dt);
		else
			value = o.rebate * expf(-o.rate * step * o.dt);
		payoff[id] = value;
		end_step[id] = step;
		contribution = (unsigned long long)(value * 65536.0f);
	}
	partial[threadIdx.x] = contribution;
	__syncthreads();
	for (int width = THREADS / 2; width > 0; width /= 2) {
		if (threadIdx.x < width)
			partial[threadIdx.x] += partial[threadIdx.x + width];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		atomicAdd(total, partial[0]);
}

int
main(int argc, char **argv)
{
	Options options(argc, argv);
	int paths = options.size(1 << 18);
	Option o = { 100, 100, options.divergent ? 108.0f : 1e6f, 5, 0.03f, 0.06f, 1.5f, 0.06f,
		0.4f, -0.6f, 252, 1 / 252.0f };
	float *payoff = device_zeros<float>(paths);
	int *end_step = device_zeros<int>(paths);
	unsigned long long *total = device_zeros<unsigned long long>(1);
	double ms = time_ms(options, [&] { CUDA_CHECK(cudaMemset(total, 0, sizeof *total)); },
		[&] { price<<<blocks_for(paths, THREADS), THREADS>>>(o, paths, payoff, end_step, total); });
	Checksum sum;
	sum.device(payoff, paths);
	sum.device(end_step, paths);
	sum.device(total, 1);
	return report(sum, ms);
}
