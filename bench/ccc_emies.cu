// SPDX-License-Identifier: MIT
// Electromagnetic integral equations with a grid of boxes (CCC paper, section 6.1), one thread per observer: the sources of near boxes
// are summed one by one, the others are interpolated from four samples. The near sum is live out of the path. By hand: a task names
// its owner's lane, and its result is added to the owner's sums in shared memory; the stack is emptied after every 32 observers.
#include <cmath>
#include "programs.cuh"

constexpr int SIDE = 8, BOXES = SIDE * SIDE * SIDE;
constexpr float WAVE = 25.0f, NEAR2 = 1.5f / SIDE * (1.5f / SIDE);

// boxes: centre and, as bits, the index of its first source; boxes[BOXES] ends the last box. far: two per box, four complex samples.
// sources: place and charge.
struct In { const float4 *boxes, *far, *sources; };
struct Args { unsigned n; In in; const float4 *observers; float2 *out; };
struct Offset { float x, y, z, r2; };

static __host__ __device__ __forceinline__ void phase(float x, float *s, float *c)
{
#ifdef __CUDA_ARCH__
	__sincosf(x, s, c);
#else
	*s = std::sin(x);
	*c = std::cos(x);
#endif
}
static __host__ __device__ __forceinline__ float inverse_root(float x)
{
#ifdef __CUDA_ARCH__
	return rsqrtf(x);
#else
	return 1.0f / std::sqrt(x);
#endif
}
static __host__ __device__ __forceinline__ Offset offset(float4 from, float4 to)
{
	const float x = to.x - from.x, y = to.y - from.y, z = to.z - from.z;
	return Offset{x, y, z, fmaf(x, x, fmaf(y, y, fmaf(z, z, 1e-9f)))};
}
static __host__ __device__ __forceinline__ int first_source(const In &in, unsigned b)
{
	int first;
	memcpy(&first, &in.boxes[b].w, sizeof first);
	return first;
}
static __host__ __device__ __forceinline__ void near_field(const In &in, float4 observer, unsigned b, float2 &sum)
{
	const int end = first_source(in, b + 1);
#pragma unroll 4
	for (int i = first_source(in, b); i < end; ++i) {
		const float4 source = in.sources[i];
		const Offset d = offset(source, observer);
		const float inv = inverse_root(d.r2), a = source.w * inv;
		float s, c;
		phase(WAVE * (d.r2 * inv), &s, &c);
		sum.x = fmaf(a, c, sum.x);
		sum.y = fmaf(-a, s, sum.y);
	}
}
static __host__ __device__ __forceinline__ void far_field(const In &in, const Offset &d, unsigned b, float2 &sum)
{
	const float4 f = in.far[2 * b], g = in.far[2 * b + 1];
	const float inv = inverse_root(d.r2), u = fmaf(0.5f * d.x, inv, 0.5f), v = fmaf(0.5f * d.y, inv, 0.5f);
	const float fr = fmaf(u, f.z - f.x, f.x), fi = fmaf(u, f.w - f.y, f.y);
	const float gr = fmaf(u, g.z - g.x, g.x), gi = fmaf(u, g.w - g.y, g.y);
	const float ar = inv * fmaf(v, gr - fr, fr), ai = inv * fmaf(v, gi - fi, fi);
	float s, c;
	phase(WAVE * (d.r2 * inv), &s, &c);
	sum.x = fmaf(ar, c, fmaf(ai, s, sum.x));
	sum.y = fmaf(ai, c, fmaf(-ar, s, sum.y));
}

// ---- original, annotated, by hand -----------------------------------------------------------------------------------------
static __host__ __device__ __forceinline__ float2 field(const In &in, float4 observer)
{
	float2 sum = make_float2(0, 0);
	for (unsigned b = 0; b < BOXES; ++b) {
		const Offset d = offset(in.boxes[b], observer);
		if (d.r2 < NEAR2)
			near_field(in, observer, b, sum);
		else
			far_field(in, d, b, sum);
	}
	return sum;
}
static __global__ void __launch_bounds__(BLOCK) k_base(Args g)
{
	for (unsigned i = blockIdx.x * BLOCK + threadIdx.x; i < g.n; i += gridDim.x * BLOCK)
		g.out[i] = field(g.in, g.observers[i]);
}

static __device__ __forceinline__ float2 field_ccc(const In &in, float4 observer)
{
	float2 sum = make_float2(0, 0);
	#pragma ccc for
	for (unsigned b = 0; b < BOXES; ++b) {
		const Offset d = offset(in.boxes[b], observer);
		#pragma ccc if reduction(+: sum)
		if (d.r2 < NEAR2)
			near_field(in, observer, b, sum);
		else
			far_field(in, d, b, sum);
	}
	return sum;
}
static __global__ void __launch_bounds__(BLOCK) k_ccc(Args g)
{
	for (unsigned i = blockIdx.x * BLOCK + threadIdx.x; i < g.n; i += gridDim.x * BLOCK)
		g.out[i] = field_ccc(g.in, g.observers[i]);
}

// A task is box << 5 | owner's lane.
struct Owners { float x[32], y[32], z[32], re[32], im[32]; };

static __device__ __forceinline__ void near_shared(const In &in, Owners &w, unsigned task)
{
	const unsigned own = task & 31u;
	float2 sum = make_float2(0, 0);
	near_field(in, make_float4(w.x[own], w.y[own], w.z[own], 0), task >> 5, sum);
	atomicAdd(&w.re[own], sum.x);
	atomicAdd(&w.im[own], sum.y);
}
// Processes the boxes of 32 observers and returns the far sum. No lane leaves, so that all 32 run the collected tasks.
static __device__ __forceinline__ float2 boxes_by_hand(const In &in, Owners &w, unsigned *stack, bool valid)
{
	const unsigned lane = lane_id();
	const float4 observer = make_float4(w.x[lane], w.y[lane], w.z[lane], 0);
	float2 sum = make_float2(0, 0);
	int top = 0;
	for (unsigned b = 0; b < BOXES; ++b) {
		const Offset d = offset(in.boxes[b], observer);
		const bool p = valid && d.r2 < NEAR2;
		if (!p)
			far_field(in, d, b, sum);
		const unsigned m = __ballot_sync(FULL, p);
		if (m == 0)
			continue;
		unsigned task = b << 5 | lane;
		__syncwarp();           // orders this pop or push after the previous one, and the paths after the owners' stores
		if (top + __popc(m) >= 32) {
			if (!p)
				task = stack[top - 1 - __popc(~m & lanes_below())];
			top -= 32 - __popc(m);
			near_shared(in, w, task);
		} else {
			if (p)
				stack[top + __popc(m & lanes_below())] = task;
			top += __popc(m);
		}
	}
	__syncwarp();
	if (int(lane) < top)
		near_shared(in, w, stack[lane]);
	__syncwarp();
	return sum;
}
static __global__ void __launch_bounds__(BLOCK) k_hand(Args g)
{
	__shared__ unsigned stacks[WARPS][32];
	__shared__ Owners owners[WARPS];
	const unsigned warp = warp_id(), lane = lane_id();
	Owners &w = owners[warp];
	for (unsigned base = blockIdx.x * BLOCK + warp * 32; base < g.n; base += gridDim.x * BLOCK) {
		const bool valid = base + lane < g.n;
		const float4 o = valid ? g.observers[base + lane] : make_float4(0, 0, 0, 0);
		w.x[lane] = o.x;
		w.y[lane] = o.y;
		w.z[lane] = o.z;
		w.re[lane] = w.im[lane] = 0;
		const float2 sum = boxes_by_hand(g.in, w, stacks[warp], valid);
		if (valid)
			g.out[base + lane] = make_float2(sum.x + w.re[lane], sum.y + w.im[lane]);
		__syncwarp();
	}
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
struct Domain { std::vector<float4> boxes, far, sources; };
struct Place { const char *name; float edge; };     // edge of the cube that contains 256 observers, in boxes

static Domain make_domain()
{
	Domain d;
	for (int b = 0; b <= BOXES; ++b) {
		const float x = b / (SIDE * SIDE), y = b / SIDE % SIDE, z = b % SIDE;
		const int first = int(d.sources.size());
		float4 box = make_float4((x + 0.5f) / SIDE, (y + 0.5f) / SIDE, (z + 0.5f) / SIDE, 0);
		memcpy(&box.w, &first, sizeof first);
		d.boxes.push_back(box);
		float q = 0;
		for (int i = b < BOXES ? 48 + int(random01() * 33) : 0; i; --i) {
			d.sources.push_back(make_float4((x + random01()) / SIDE, (y + random01()) / SIDE, (z + random01()) / SIDE,
				2 * random01() - 0.5f));
			q += d.sources.back().w;
		}
		for (int i = 0; i < 2; ++i)
			d.far.push_back(make_float4(q * (0.9f + 0.1f * random01()), q * 0.1f * random01(),
				q * (0.9f + 0.1f * random01()), q * 0.1f * random01()));
	}
	return d;
}
static std::vector<float4> make_observers(unsigned n, float edge)
{
	std::vector<float4> o(n);
	const float e = std::min(1.0f, edge / SIDE);
	float x = 0, y = 0, z = 0;
	for (unsigned i = 0; i < n; ++i) {
		if (i % 256 == 0) {
			x = random01() * (1 - e);
			y = random01() * (1 - e);
			z = random01() * (1 - e);
		}
		o[i] = make_float4(x + random01() * e, y + random01() * e, z + random01() * e, 0);
	}
	return o;
}
static bool same(const std::vector<float2> &a, const std::vector<float2> &b, size_t n, double part)
{
	double squares = 0;
	for (size_t i = 0; i < n; ++i)
		squares += double(b[i].x) * b[i].x + double(b[i].y) * b[i].y;
	const double eps = part * std::sqrt(squares / n);
	for (size_t i = 0; i < n; ++i)
		if (!(std::fabs(a[i].x - b[i].x) <= eps && std::fabs(a[i].y - b[i].y) <= eps))
			return false;
	return true;
}

static void bench_place(Bench &b, const Domain &domain, const In &in, const Place &place)
{
	const unsigned n = size_of_work(b.o, 1048575u, 131071u, 300u), sample = std::min(n, 300u);
	const std::vector<float4> observers = make_observers(n, place.edge);
	const In host{domain.boxes.data(), domain.far.data(), domain.sources.data()};
	std::vector<float2> want, some(sample);
	for (unsigned i = 0; i < sample; ++i)
		some[i] = field(host, observers[i]);
	const Args args{n, in, to_device(observers), on_device<float2>(n)};
	const auto variant = [&](const char *name, void (*kernel)(Args), size_t tasks = 0) -> Variant {
		const int blocks = fill_device(b.o, kernel, tasks);
		return {name, [=] { kernel<<<blocks, BLOCK>>>(args); }, [&] {
			const std::vector<float2> got = to_host(args.out, n);
			if (want.empty())
				want = got;
			return same(got, some, sample, 1e-3) && same(got, want, n, 1e-4);
		}};
	};
	measure(b, place.name, [=] { CHECK(cudaMemset(args.out, 0xff, n * sizeof *args.out)); },
		{variant("base", k_base), variant("annotated", k_ccc),
			variant("by hand", k_hand), variant("one a thread", k_base, n)});
	CHECK(cudaFree(const_cast<float4 *>(args.observers)));
	CHECK(cudaFree(args.out));
}

int main(int argc, char **argv)
{
	Bench b{"emies", read_options(argc, argv)};
	const Domain d = make_domain();
	const In in{to_device(d.boxes), to_device(d.far), to_device(d.sources)};
	for (const Place &place : {Place{"1 box", 1}, Place{"8 boxes", 2}, Place{"all boxes", SIDE}})
		bench_place(b, d, in, place);
	for (const float4 *p : {in.boxes, in.far, in.sources})
		CHECK(cudaFree(const_cast<float4 *>(p)));
	return b.all_right ? 0 : 1;
}
