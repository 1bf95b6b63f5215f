// SPDX-License-Identifier: MIT
// Becke's partitioning of a quadrature grid, as in quantum chemistry (one of the CCC paper's
// programs), one thread per point. A point has 2 to 80 atoms near it and examines all pairs of them:
// 4 to 6,400 pairs, so a warp waits for the point with the most atoms.
//
// The outer of the two loops over atoms is annotated: its iterations are independent except for two
// sums. ptxccc places the rows i of all points end to end and distributes them over the lanes
// (expand); each lane runs the loop over j of its row. Rows of one point have equal lengths, so
// lanes that run at the same time have similar trip counts.
//
// The sums are floating-point: `reduction` allows their order to change. Without it, the loop is
// left unchanged, with a warning, because the result would not be the same bit for bit.
//
//	cccnvcc -O3 -std=c++17 -arch=native dqg.cu -o dqg
//	dqg [--points N] [--blocks B]           2^20 points by default

#include "sample.cuh"

constexpr int MOST = 80, CELL = 256;            // atoms of a cell; each point of the cell uses some of them

struct Point { float x, y, z; int atoms, centre; };

__host__ __device__ inline float distance(float x, float y, float z)
{
	return sqrtf(x * x + y * y + z * z + 1e-12f);
}
// Near 1 on atom i's side of the plane between i and j, near 0 on the other side.
__host__ __device__ inline float side(Point p, float4 i, float di, float4 j)
{
	const float dj = distance(p.x - j.x, p.y - j.y, p.z - j.z);
	float m = (di - dj) / distance(i.x - j.x, i.y - j.y, i.z - j.z);
	for (int k = 0; k < 3; ++k)
		m *= 1.5f - 0.5f * m * m;
	return 0.5f - 0.5f * m;
}

// The point's weight for its centre, the atom whose grid it belongs to.
__host__ __device__ inline float weight(Point p, const float4 *atom)
{
	float all = 0, mine = 0;
	#pragma ccc for var reduction(+: all, mine)
	for (int i = 0; i < p.atoms; ++i) {
		const float4 a = atom[i];
		const float d = distance(p.x - a.x, p.y - a.y, p.z - a.z);
		float product = 1;
		for (int j = 0; j < p.atoms; ++j)
			product *= j != i ? side(p, a, d, atom[j]) : 1;
		all += product;
		mine += i == p.centre ? product : 0;
	}
	return mine / all;
}

__global__ void __launch_bounds__(256)
	weights(int n, const Point *point, const float4 *atom, float *out)
{
	#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		out[i] = weight(point[i], atom + i / CELL * MOST);
}

int main(int argc, char **argv)
{
	int n = 1 << 20;
	read_options(argc, argv, {{"points", &n}});
	const int cells = (n + CELL - 1) / CELL;
	std::vector<float4> atoms;
	std::vector<Point> points;
	const auto within = [](int k) { return 5 * random01(k); };
	for (int a = 0; a < cells * MOST; ++a)
		atoms.push_back({within(3 * a), within(3 * a + 1), within(3 * a + 2), 0});
	for (int i = 0; i < n; ++i) {
		const int count = 2 + (int)(79 * random01(5 * i));
		const int centre = (int)(count * random01(5 * i + 1));
		const float4 a = atoms[i / CELL * MOST + centre];
		const auto beside = [&](float x, int k) { return x + random01(5 * i + k) - 0.5f; };
		points.push_back({beside(a.x, 2), beside(a.y, 3), beside(a.z, 4), count, centre});
	}

	Array<float4> atom(atoms);
	Array<Point> point(points);
	Array<float> out(n);
	const int blocks = resident_blocks(weights, 256);
	const float ms = best_ms(
		[&] { out.fill(0xff); }, [&] { weights<<<blocks, 256>>>(n, point, atom, out); });

	const std::vector<float> got = out.host();
	bool ok = true;
	for (int i = 0; i < n; i += 1 + n / 20000)
		ok = ok && close_to(got[i], weight(points[i], &atoms[i / CELL * MOST]), 1e-2);
	return result(ok, ms, "%d points of 2 to %d atoms", n, MOST);
}
