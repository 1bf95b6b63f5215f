// SPDX-License-Identifier: MIT
// Closest hits of rays with triangles by a bounding volume hierarchy and a stack, one ray a thread.
// Data set a has rays in random directions, b parallel rays in image order.
#include "unseen.h"

struct Node {
	float3 lo, hi;
	int left, count; // children left, left + 1; or triangles left .. left + count - 1
};
struct Triangle {
	float3 a, ab, ac;
};
struct Hit {
	float t;
	int triangle;
};

__host__ __device__ inline float3
operator-(float3 a, float3 b)
{
	return make_float3(a.x - b.x, a.y - b.y, a.z - b.z);
}
__device__ float3
cross(float3 a, float3 b)
{
	return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
__device__ float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

__device__ float
box_entry(const Node &n, float3 o, float3 inv, float limit)
{
	float ax = (n.lo.x - o.x) * inv.x, bx = (n.hi.x - o.x) * inv.x, ay = (n.lo.y - o.y) * inv.y,
	      by = (n.hi.y - o.y) * inv.y;
	float az = (n.lo.z - o.z) * inv.z, bz = (n.hi.z - o.z) * inv.z;
	float t0 = fmaxf(fmaxf(fminf(ax, bx), fminf(ay, by)), fmaxf(fminf(az, bz), 0.0f));
	float t1 = fminf(fminf(fmaxf(ax, bx), fmaxf(ay, by)), fminf(fmaxf(az, bz), limit));
	return t0 <= t1 ? t0 : 1e30f;
}

__device__ bool
intersect(const Triangle &tri, float3 o, float3 d, float &t)
{
	float3 p = cross(d, tri.ac);
	float det = dot(tri.ab, p);
	if (fabsf(det) < 1e-9f)
		return false;
	float inv = 1 / det;
	float3 s = o - tri.a;
	float u = dot(s, p) * inv;
	if (u < 0 || u > 1)
		return false;
	float3 q = cross(s, tri.ab);
	float v = dot(d, q) * inv;
	if (v < 0 || u + v > 1)
		return false;
	float at = dot(tri.ac, q) * inv;
	if (at <= 1e-4f || at >= t)
		return false;
	t = at;
	return true;
}

__global__ void
trace(int rays, const float3 *__restrict__ origin, const float3 *__restrict__ direction,
	const Node *__restrict__ nodes, const Triangle *__restrict__ triangles, Hit *hits)
{
	int r = blockIdx.x * blockDim.x + threadIdx.x;
	if (r >= rays)
		return;
	float3 o = origin[r], d = direction[r], inv = make_float3(1 / d.x, 1 / d.y, 1 / d.z);
	Hit best = { 1e29f, -1 };
	int stack[32], depth = 0, at = 0;
	while (true) {
		const Node n = nodes[at];
		if (n.count > 0) {
			for (int i = n.left; i < n.left + n.count; i++)
				if (intersect(triangles[i], o, d, best.t))
					best.triangle = i;
		} else {
			float near = box_entry(nodes[n.left], o, inv, best.t), far = box_entry(nodes[n.left + 1], o, inv, best.t);
			int first = n.left, second = n.left + 1;
			if (far < near) {
				float t = near;
				near = far, far = t;
				first = second, second = n.left;
			}
			if (near < 1e30f) {
				if (far < 1e30f)
					stack[depth++] = second;
				at = first;
				continue;
			}
		}
		if (depth == 0)
			break;
		at = stack[--depth];
	}
	hits[r] = best;
}

static void
build(std::vector<Node> &nodes, std::vector<Triangle> &t, int node, int begin, int end)
{
	float lo[3] = { 1e30f, 1e30f, 1e30f }, hi[3] = { -1e30f, -1e30f, -1e30f };
	for (int i = begin; i < end; i++)
		for (int corner = 0; corner < 3; corner++)
			for (int k = 0; k < 3; k++) {
				float c = (&t[i].a.x)[k] + (corner == 1 ? (&t[i].ab.x)[k] : corner == 2 ? (&t[i].ac.x)[k] : 0);
				lo[k] = std::min(lo[k], c), hi[k] = std::max(hi[k], c);
			}
	nodes[node] = { make_float3(lo[0], lo[1], lo[2]), make_float3(hi[0], hi[1], hi[2]), begin, end - begin };
	if (end - begin <= 4)
		return;
	int axis = hi[0] - lo[0] > hi[1] - lo[1] ? 0 : 1, middle = (begin + end) / 2;
	if (hi[2] - lo[2] > hi[axis] - lo[axis])
		axis = 2;
	std::nth_element(t.begin() + begin, t.begin() + middle, t.begin() + end,
		[&](const Triangle &p, const Triangle &q) { return (&p.a.x)[axis] < (&q.a.x)[axis]; });
	int left = (int)nodes.size();
	nodes.resize(left + 2);
	nodes[node].left = left, nodes[node].count = 0;
	build(nodes, t, left, begin, middle);
	build(nodes, t, left + 1, middle, end);
}

int
main(int argc, char **argv)
{
	Options options(argc, argv);
	int n = options.size(1 << 16), side = options.side(1024, 2), rays = side * side;
	Rng rng(13);
	auto random3 = [&](double lo, double hi) {
		float x = rng.real(lo, hi), y = rng.real(lo, hi), z = rng.real(lo, hi);
		return make_float3(x, y, z);
	};
	std::vector<Triangle> triangles(n);
	for (Triangle &t : triangles)
		t = { random3(0, 1), random3(-0.02, 0.02), random3(-0.02, 0.02) };
	std::vector<Node> nodes(1);
	build(nodes, triangles, 0, 0, n);
	std::vector<float3> origin(rays), direction(rays);
	for (int r = 0; r < rays; r++) {
		int x = r % side, y = r / side;
		origin[r] = options.divergent ? random3(0, 1) : make_float3((x + 0.5f) / side, (y + 0.5f) / side, -1);
		direction[r] = options.divergent ? random3(-1, 1) : make_float3(1e-5f, 1e-5f, 1);
	}
	float3 *o = to_device(origin), *d = to_device(direction);
	Node *tree = to_device(nodes);
	Triangle *list = to_device(triangles);
	Hit *hits = device_zeros<Hit>(rays);
	double ms = time_ms(options, [&] { trace<<<blocks_for(rays, 128), 128>>>(rays, o, d, tree, list, hits); });
	Checksum sum;
	sum.device(hits, rays);
	return report(sum, ms);
}
