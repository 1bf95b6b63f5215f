// SPDX-License-Identifier: MIT
// An agent-based epidemic: susceptible agents meet their contacts and may be infected, infected
// ones recover or, rarely, become severe cases, for whom a course of the illness is simulated. One
// agent a thread, one kernel launch a day. In data set b nobody is infected.
#include "unseen.h"

enum Status : int { SUSCEPTIBLE, EXPOSED, INFECTED, SEVERE, RECOVERED };

struct Agent {
	int status, days;
	float susceptibility, load;
};
struct Disease {
	float transmission, severe;
	int incubation, duration, contacts;
};

__device__ float
draw(unsigned agent, unsigned day, unsigned k) // a counter-based generator
{
	unsigned h = agent * 0x9e3779b1u ^ day * 0x85ebca6bu ^ k * 0xc2b2ae35u;
	h ^= h >> 16;
	h *= 0x7feb352du;
	h ^= h >> 15;
	h *= 0x846ca68bu;
	h ^= h >> 16;
	return (h >> 8) * (1.0f / 16777216.0f);
}

// Virus and immune response in a patient; returns the load in the end.
__device__ float
course_of_illness(float load, float immunity, int id, int day)
{
	float response = 0.01f;
	for (int hour = 0; hour < 240; hour++) {
		float noise = 0.9f + 0.2f * draw(id, day, 100 + hour);
		float growth = 0.08f * noise * load * (1 - load);
		load += growth - response * load;
		response += 0.004f * immunity * load * expf(-response) - 0.0005f * response;
		if (load < 1e-3f)
			break;
	}
	return load;
}

__global__ void
simulate_day(int n, int day, Disease disease, const int *__restrict__ contacts,
	const Agent *__restrict__ now, Agent *next, unsigned *counts)
{
	int id = blockIdx.x * blockDim.x + threadIdx.x;
	if (id >= n)
		return;
	Agent a = now[id];
	a.days++;
	switch (a.status) {
	case SUSCEPTIBLE:
		for (int k = 0; k < disease.contacts; k++) {
			int other = contacts[k * n + id];
			int s = now[other].status;
			if (s != INFECTED && s != SEVERE)
				continue;
			float p = disease.transmission * a.susceptibility * (0.5f + now[other].load);
			if (draw(id, day, k) < p) {
				a.status = EXPOSED;
				a.days = 0;
				a.load = 0.05f;
				break;
			}
		}
		break;
	case EXPOSED:
		if (a.days >= disease.incubation + (int)(3 * draw(id, day, 50))) {
			a.status = INFECTED;
			a.days = 0;
			a.load = 0.2f;
		}
		break;
	case INFECTED:
		if (draw(id, day, 51) < disease.severe) {
			a.status = SEVERE;
			a.load = course_of_illness(a.load, 1.5f - a.susceptibility, id, day);
			a.days = 0;
		} else if (a.days >= disease.duration) {
			a.status = RECOVERED;
			a.load = 0;
		}
		break;
	case SEVERE:
		a.load = course_of_illness(a.load, 1.8f - a.susceptibility, id, day);
		if (a.load < 0.01f || a.days > 2 * disease.duration)
			a.status = RECOVERED;
		break;
	}
	next[id] = a;
	if (a.status == EXPOSED && a.days == 0)
		atomicAdd(&counts[day], 1u);
}

int
main(int argc, char **argv)
{
	Options options(argc, argv);
	int n = options.size(1 << 20);
	const int days = 8;
	Disease disease = { 0.15f, 0.03f, 2, 7, 10 };
	Rng rng(34);
	std::vector<Agent> agents(n);
	for (Agent &a : agents)
		a = { SUSCEPTIBLE, 0, (float)rng.real(0.2, 1), 0 };
	for (int i = 0; options.divergent && i < n / 20; i++)
		agents[rng.below(n)] = { INFECTED, (int)rng.below(5), 0.5f, 0.3f };
	std::vector<int> contacts((size_t)n * disease.contacts);
	for (size_t i = 0; i < contacts.size(); i++) // most live nearby
		contacts[i] = i % 4 ? (int)((i + rng.below(1000)) % n) : rng.below(n);
	Agent *start = to_device(agents), *agent[2] = { device_zeros<Agent>(n), device_zeros<Agent>(n) };
	int *d_contacts = to_device(contacts);
	unsigned *counts = device_zeros<unsigned>(days);
	auto reset = [&] {
		CUDA_CHECK(cudaMemcpy(agent[0], start, n * sizeof(Agent), cudaMemcpyDeviceToDevice));
		CUDA_CHECK(cudaMemset(counts, 0, days * sizeof(unsigned)));
	};
	double ms = time_ms(options, reset, [&] {
		for (int d = 0; d < days; d++)
			simulate_day<<<blocks_for(n, 256), 256>>>(n, d, disease, d_contacts, agent[d & 1], agent[~d & 1], counts);
	});
	Checksum sum;
	sum.device(agent[days & 1], n);
	sum.device(counts, days);
	return report(sum, ms);
}
