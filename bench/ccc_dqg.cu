// SPDX-License-Identifier: MIT
// Becke's partitioning of a quadrature grid (CCC paper, section 6.1), one thread per point: all pairs of the point's 2 to 80 atoms.
// weight = P_c / sum of P_i, P_i the product over j != i of s((r_i - r_j) / R_ij), c the atom whose grid contains the point.
// By hand: the two loops are merged, in steps of 9 pairs of a row; a point in progress is a task that waits in the warp's stack when
// the warp cannot be filled, and the lane that finishes a point stores its weight.
#include <cmath>
#include "programs.cuh"

constexpr int BIN = 256, ATOMS = 80, PAD = 16;

// points: place and, as bits, c << 8 | n. atoms: ATOMS for each BIN points, and PAD at the end (a step may read past its row).
struct In { const float4 *points, *atoms; };
struct Args { unsigned n; In in; float *out; };

static __host__ __device__ __forceinline__ float inverse_root(float x)
{
#ifdef __CUDA_ARCH__
	return rsqrtf(x);
#else
	return 1.0f / std::sqrt(x);
#endif
}
static __host__ __device__ __forceinline__ float square(float4 a, float4 b)
{
	const float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
	return fmaf(x, x, fmaf(y, y, fmaf(z, z, 1e-12f)));
}
static __host__ __device__ __forceinline__ float distance(float4 a, float4 b)
{
	const float d = square(a, b);
	return d * inverse_root(d);
}
static __host__ __device__ __forceinline__ float factor(float4 point, float4 ai, float ri, float4 aj)
{
	float m = (ri - distance(point, aj)) * inverse_root(square(ai, aj));
#pragma unroll
	for (int k = 0; k < 3; ++k)
		m = m * fmaf(-0.5f * m, m, 1.5f);
	return fmaf(-0.5f, m, 0.5f);
}
static __host__ __device__ __forceinline__ int count(float4 point, int &centre)
{
	int v;
	memcpy(&v, &point.w, sizeof v);
	centre = v >> 8;
	return v & 0xff;
}
static __host__ __device__ __forceinline__ float row(float4 point, int n, const float4 *atoms, int i)
{
	const float4 ai = atoms[i];
	const float ri = distance(point, ai);
	float prod = 1;
#pragma unroll 4
	for (int j = 0; j < n; ++j) {
		const float f = factor(point, ai, ri, atoms[j]);
		if (j != i)
			prod *= f;
	}
	return prod;
}

// ---- original, annotated, by hand -----------------------------------------------------------------------------------------
static __host__ __device__ __forceinline__ float weight(const In &in, unsigned p)
{
	const float4 point = in.points[p], *const atoms = in.atoms + size_t(p / BIN) * ATOMS;
	int centre;
	const int n = count(point, centre);
	float sum = 0, mine = 0;
	for (int i = 0; i < n; ++i) {
		const float r = row(point, n, atoms, i);
		sum += r;
		mine += i == centre ? r : 0;
	}
	return mine / sum;
}
static __global__ void __launch_bounds__(BLOCK) k_base(Args g)
{
	for (unsigned p = blockIdx.x * BLOCK + threadIdx.x; p < g.n; p += gridDim.x * BLOCK)
		g.out[p] = weight(g.in, p);
}

static __device__ __forceinline__ float weight_ccc(const In &in, unsigned p)
{
	const float4 point = in.points[p], *const atoms = in.atoms + size_t(p / BIN) * ATOMS;
	int centre;
	const int n = count(point, centre);
	float sum = 0, mine = 0;
	#pragma ccc for var reduction(+: sum, mine)
	for (int i = 0; i < n; ++i) {
		const float r = row(point, n, atoms, i);
		sum += r;
		mine += i == centre ? r : 0;
	}
	return mine / sum;
}
static __global__ void __launch_bounds__(BLOCK) k_ccc(Args g)
{
	#pragma ccc for
	for (unsigned p = blockIdx.x * BLOCK + threadIdx.x; p < g.n; p += gridDim.x * BLOCK)
		g.out[p] = weight_ccc(g.in, p);
}

// A point in progress: a task, and the values that resume() restores from it.
struct Task { unsigned p, i, j; float prod, sum, mine; };
struct Work {
	Task t;
	int n, centre;
	float ri;
	float4 point, ai;
	const float4 *atoms;
};
struct Stack { unsigned p[32], ij[32]; float prod[32], sum[32], mine[32]; };

static __device__ __forceinline__ void push(Stack &s, int at, const Task &t)
{
	s.p[at] = t.p;
	s.ij[at] = t.i << 16 | t.j;
	s.prod[at] = t.prod;
	s.sum[at] = t.sum;
	s.mine[at] = t.mine;
}
static __device__ __forceinline__ Task pop(const Stack &s, int at)
{
	return {s.p[at], s.ij[at] >> 16, s.ij[at] & 0xffffu, s.prod[at], s.sum[at], s.mine[at]};
}
static __device__ __forceinline__ Work resume(const In &in, const Task &t)
{
	Work w;
	w.t = t;
	w.point = in.points[t.p];
	w.n = count(w.point, w.centre);
	w.atoms = in.atoms + size_t(t.p / BIN) * ATOMS;
	w.ai = w.atoms[t.i];
	w.ri = distance(w.point, w.ai);
	return w;
}
// Processes the next pairs of the row; stores the point's weight after its last row. Returns whether the point needs more steps.
static __device__ __forceinline__ bool step(Work &w, float *out)
{
	constexpr int U = 9;
	Task &t = w.t;
#pragma unroll
	for (int u = 0; u < U; ++u) {
		const float f = factor(w.point, w.ai, w.ri, w.atoms[t.j + u]);
		if (int(t.j + u) < w.n && t.j + u != t.i)
			t.prod *= f;
	}
	t.j += U;
	if (int(t.j) < w.n)
		return true;
	t.sum += t.prod;
	if (int(t.i) == w.centre)
		t.mine = t.prod;
	if (int(t.i) + 1 == w.n) {
		out[t.p] = t.mine / t.sum;
		return false;
	}
	t.prod = 1;
	t.j = 0;
	w.ai = w.atoms[++t.i];
	w.ri = distance(w.point, w.ai);
	return true;
}
static __global__ void __launch_bounds__(BLOCK) k_hand(Args g)
{
	__shared__ Stack stacks[WARPS];
	const unsigned warp = warp_id(), lane = lane_id();
	Stack &s = stacks[warp];
	Work w;
	int top = 0;
	for (unsigned base = blockIdx.x * BLOCK + warp * 32; base < g.n; base += gridDim.x * BLOCK) {
		bool p = base + lane < g.n;
		if (p)
			w = resume(g.in, {base + lane, 0, 0, 1, 0, 0});
		for (;;) {
			const unsigned m = __ballot_sync(FULL, p);
			__syncwarp();           // orders this pop or push after the previous one
			if (top + __popc(m) < 32) {
				if (p)
					push(s, top + __popc(m & lanes_below()), w.t);
				top += __popc(m);
				break;          // all lanes
			}
			if (!p)
				w = resume(g.in, pop(s, top - 1 - __popc(~m & lanes_below())));
			top -= 32 - __popc(m);
			p = step(w, g.out);
		}
	}
	__syncwarp();
	if (int(lane) < top)
		for (w = resume(g.in, pop(s, lane)); step(w, g.out);)
			;
}

// ---- host -----------------------------------------------------------------------------------------------------------------
static float random01()
{
	static uint64_t state = 88172645463325252ull;
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return float(state >> 40) * 0x1p-24f;
}
// smooth: the points of a warp have similar numbers of atoms; otherwise any number.
static std::vector<float4> make_points(unsigned n, bool smooth, const std::vector<float4> &atoms)
{
	std::vector<float4> points(n);
	int mean = 0;
	for (unsigned i = 0; i < n; ++i) {
		if (i % 32 == 0)
			mean = 6 + int(71 * random01());
		const int c = smooth ? mean - 4 + int(9 * random01()) : 2 + int(79 * random01());
		const int centre = int(c * random01()), bits = centre << 8 | c;
		const float4 a = atoms[size_t(i / BIN) * ATOMS + centre];
		points[i] = make_float4(a.x + random01() - 0.5f, a.y + random01() - 0.5f, a.z + random01() - 0.5f, 0);
		memcpy(&points[i].w, &bits, sizeof bits);
	}
	return points;
}
static bool same(const std::vector<float> &a, const std::vector<float> &b, float part)
{
	for (size_t i = 0; i < b.size(); ++i)
		if (!(std::fabs(a[i] - b[i]) <= part * (std::fabs(b[i]) + 1e-3f)))
			return false;
	return true;
}

static void bench_points(Bench &b, unsigned n, bool smooth, const std::vector<float4> &atoms)
{
	const std::vector<float4> points = make_points(n, smooth, atoms);
	const In host{points.data(), atoms.data()}, in{to_device(points), to_device(atoms)};
	float *const out = on_device<float>(n);
	std::vector<float> want, some(std::min(n, 1000u));
	for (unsigned i = 0; i < some.size(); ++i)
		some[i] = weight(host, i);
	const auto variant = [&](const char *name, void (*kernel)(Args), size_t tasks = 0) -> Variant {
		const int blocks = fill_device(b.o, kernel, tasks);
		return {name, [=] { kernel<<<blocks, BLOCK>>>(Args{n, in, out}); }, [&] {
			const std::vector<float> got = to_host(out, n);
			if (want.empty())
				want = got;
			return same(got, some, 1e-2f) && same(got, want, 1e-3f);     // the device's square roots are approximate
		}};
	};
	measure(b, smooth ? "atoms alike in a warp" : "2 to 80 atoms", [=] { CHECK(cudaMemset(out, 0xff, n * sizeof *out)); },
		{variant("base", k_base), variant("annotated", k_ccc),
			variant("by hand", k_hand), variant("one a thread", k_base, n)});
	CHECK(cudaFree(out));
	for (const float4 *p : {in.points, in.atoms})
		CHECK(cudaFree(const_cast<float4 *>(p)));
}

int main(int argc, char **argv)
{
	Bench b{"dqg", read_options(argc, argv)};
	const unsigned n = size_of_work(b.o, 4194303u, 524287u, 300u);
	// About one atom per cube of edge 2, the k-th at a distance of about the cube root of k.
	std::vector<float4> atoms(size_t((n - 1) / BIN + 1) * ATOMS + PAD);
	for (size_t k = 0; k < atoms.size() - PAD; ++k) {
		const float r = 1.25f * cbrtf(k % ATOMS + 0.5f), z = 2 * random01() - 1, a = 6.2831853f * random01(), s = sqrtf(1 - z * z);
		atoms[k] = make_float4(r * s * cosf(a), r * s * sinf(a), r * z, 0);
	}
	bench_points(b, n, false, atoms);
	bench_points(b, n, true, atoms);
	return b.all_right ? 0 : 1;
}
