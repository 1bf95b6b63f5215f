// SPDX-License-Identifier: MIT
// Barnes-Hut gravity: each body walks an octree with a stack and opens cells that appear large.
// Data set a is a clustered galaxy in random order, b a uniform cloud in the order of the tree.
#include "unseen.h"

struct Cell {
	float x, y, z, mass; // centre of mass
	float size;
	int child[8]; // a cell, -1 if there is none, or ~body
};
struct Body {
	float x, y, z, mass;
};

__device__ void
attract(float dx, float dy, float dz, float mass, float eps, float3 &acc)
{
	float r2 = dx * dx + dy * dy + dz * dz + eps;
	float inv = rsqrtf(r2), f = mass * inv * inv * inv;
	acc.x += f * dx;
	acc.y += f * dy;
	acc.z += f * dz;
}

__global__ void
forces(int n, const Body *__restrict__ bodies, const Cell *__restrict__ cells, float theta2,
	float eps, float3 *acceleration, int *work)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	const Body me = bodies[i];
	float3 acc = make_float3(0, 0, 0);
	int stack[192], top = 0, interactions = 0;
	stack[top++] = 0;
	while (top) {
		const Cell &c = cells[stack[--top]];
		float dx = c.x - me.x, dy = c.y - me.y, dz = c.z - me.z;
		float r2 = dx * dx + dy * dy + dz * dz;
		if (c.size * c.size < theta2 * r2) {
			attract(dx, dy, dz, c.mass, eps, acc);
			interactions++;
			continue;
		}
		for (int k = 0; k < 8; k++) {
			int child = c.child[k];
			if (child >= 0) {
				stack[top++] = child;
			} else if (child < -1 && -child - 2 != i) {
				const Body b = bodies[-child - 2];
				attract(b.x - me.x, b.y - me.y, b.z - me.z, b.mass, eps, acc);
				interactions++;
			}
		}
	}
	acceleration[i] = acc;
	work[i] = interactions;
}

// Puts the bodies of order[begin, end) into cell c, a cube at (x, y, z).
static void
build(std::vector<Cell> &cells, const std::vector<Body> &bodies, std::vector<int> &order, int c,
	int begin, int end, float x, float y, float z, float size, int depth)
{
	double mass = 0, mx = 0, my = 0, mz = 0;
	std::vector<int> octant[8];
	for (int i = begin; i < end; i++) {
		const Body &b = bodies[order[i]];
		mass += b.mass, mx += b.mass * b.x, my += b.mass * b.y, mz += b.mass * b.z;
		octant[(b.x > x + size / 2) + 2 * (b.y > y + size / 2) + 4 * (b.z > z + size / 2)].push_back(order[i]);
	}
	cells[c].x = mx / mass, cells[c].y = my / mass, cells[c].z = mz / mass,
	cells[c].mass = mass, cells[c].size = size;
	for (int k = 0, at = begin; k < 8; k++) {
		int first = at, count = (int)octant[k].size();
		for (int b : octant[k])
			order[at++] = b;
		cells[c].child[k] = count == 0 ? -1 : -order[first] - 2;
		if (count <= 1 || depth >= 20) // at the depth limit one body stands for all
			continue;
		int child = (int)cells.size();
		cells.push_back(Cell());
		cells[c].child[k] = child;
		build(cells, bodies, order, child, first, at, x + (k & 1 ? size / 2 : 0), y + (k & 2 ? size / 2 : 0),
			z + (k & 4 ? size / 2 : 0), size / 2, depth + 1);
	}
}

int
main(int argc, char **argv)
{
	Options options(argc, argv);
	int n = options.size(1 << 16);
	Rng rng(15);
	std::vector<Body> bodies(n);
	for (Body &b : bodies) {
		b = { (float)rng.real(-4, 4), (float)rng.real(-4, 4), (float)rng.real(-4, 4), 1.0f / n };
		if (options.divergent) { // a Plummer sphere
			double r = std::min(4.0, 1 / sqrt(pow(rng.real(0.001, 0.999), -2.0 / 3) - 1));
			double c = rng.real(-1, 1), phi = rng.real(0, 6.2831853);
			b.x = r * sqrt(1 - c * c) * cos(phi), b.y = r * sqrt(1 - c * c) * sin(phi), b.z = r * c;
		}
	}
	std::vector<Cell> cells(1);
	std::vector<int> order(n);
	std::iota(order.begin(), order.end(), 0);
	build(cells, bodies, order, 0, 0, n, -4, -4, -4, 8, 0);
	if (!options.divergent) { // renumber the bodies in the order of the tree
		std::vector<Body> sorted(n);
		for (int i = 0; i < n; i++)
			sorted[i] = bodies[order[i]];
		bodies = sorted;
		cells.assign(1, Cell());
		std::iota(order.begin(), order.end(), 0);
		build(cells, bodies, order, 0, 0, n, -4, -4, -4, 8, 0);
	}
	Body *d_bodies = to_device(bodies);
	Cell *tree = to_device(cells);
	float3 *acceleration = device_zeros<float3>(n);
	int *work = device_zeros<int>(n);
	double ms = time_ms(options, [&] {
		forces<<<blocks_for(n, 128), 128>>>(
			n, d_bodies, tree, 0.36f, 1e-4f, acceleration, work);
	});
	Checksum sum;
	sum.device(acceleration, n);
	sum.device(work, n);
	return report(sum, ms);
}
