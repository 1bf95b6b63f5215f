// SPDX-License-Identifier: MIT
// k nearest neighbours in a balanced k-d tree of points, depth first with a stack; one query a
// thread. The tree is the array of points: the median of a range is its root. In data set b
// queries are points of the tree, in its order; in a they are anywhere.
#include "unseen.h"

#define K 4

struct Range {
	int lo, hi, axis;
	float distance; // squared, to the splitting plane
};

__device__ __forceinline__ float
coordinate(const float3 &p, int axis)
{
	return axis == 0 ? p.x : axis == 1 ? p.y : p.z;
}

__global__ void
nearest(int queries, const float3 *__restrict__ query, int n, const float3 *__restrict__ points, int *index,
	float *distance, int *visited)
{
	int id = blockIdx.x * blockDim.x + threadIdx.x;
	if (id >= queries)
		return;
	float3 q = query[id];
	float best[K];
	int who[K];
	for (int k = 0; k < K; k++) {
		best[k] = 1e30f;
		who[k] = -1;
	}
	Range stack[24];
	int top = 0, visits = 0;
	stack[top++] = { 0, n, 0, 0.0f };
	while (top > 0) {
		Range r = stack[--top];
		if (r.distance >= best[K - 1])
			continue;
		while (r.lo < r.hi) {
			int mid = (r.lo + r.hi) / 2;
			float3 p = points[mid];
			visits++;
			float dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z, d = dx * dx + dy * dy + dz * dz;
			if (d < best[K - 1]) { // insertion
				int k = K - 1;
				while (k > 0 && best[k - 1] > d) {
					best[k] = best[k - 1];
					who[k] = who[k - 1];
					k--;
				}
				best[k] = d;
				who[k] = mid;
			}
			float delta = coordinate(q, r.axis) - coordinate(p, r.axis);
			int next = r.axis == 2 ? 0 : r.axis + 1;
			Range far = r;
			far.axis = r.axis = next;
			far.distance = delta * delta;
			if (delta < 0) {
				far.lo = mid + 1;
				r.hi = mid;
			} else {
				far.hi = mid;
				r.lo = mid + 1;
			}
			if (far.lo < far.hi && far.distance < best[K - 1])
				stack[top++] = far;
		}
	}
	for (int k = 0; k < K; k++) {
		index[id * K + k] = who[k];
		distance[id * K + k] = best[k];
	}
	visited[id] = visits;
}

static void
build(std::vector<float3> &points, int lo, int hi, int axis)
{
	if (hi - lo < 2)
		return;
	int mid = (lo + hi) / 2;
	std::nth_element(points.begin() + lo, points.begin() + mid, points.begin() + hi,
		[axis](const float3 &a, const float3 &b) { return (&a.x)[axis] < (&b.x)[axis]; });
	build(points, lo, mid, (axis + 1) % 3);
	build(points, mid + 1, hi, (axis + 1) % 3);
}

int
main(int argc, char **argv)
{
	Options options(argc, argv);
	int n = options.size(1 << 17), queries = options.size(1 << 19);
	Rng rng(14);
	auto random3 = [&] { float x = rng.real(), y = rng.real(), z = rng.real(); return make_float3(x, y, z); };
	std::vector<float3> points(n), query(queries);
	for (float3 &p : points) {
		p = random3();
		if (options.divergent && rng.below(2)) // half of them near a plane
			p.z = 0.5f + 0.001f * p.z;
	}
	build(points, 0, n, 0);
	for (int i = 0; i < queries; i++)
		query[i] = options.divergent ? random3() : points[(size_t)(i / 32) * n / ((queries + 31) / 32)];
	float3 *d_points = to_device(points), *d_query = to_device(query);
	int *index = device_zeros<int>(queries * K), *visited = device_zeros<int>(queries);
	float *distance = device_zeros<float>(queries * K);
	double ms = time_ms(options, [&] {
		nearest<<<blocks_for(queries, 128), 128>>>(queries, d_query, n, d_points, index, distance, visited);
	});
	Checksum sum;
	sum.device(index, queries * K);
	sum.device(distance, queries * K);
	sum.device(visited, queries);
	return report(sum, ms);
}
