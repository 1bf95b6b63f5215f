// SPDX-License-Identifier: MIT
// Two kernels of the kind that Speculative Reconvergence (PPoPP 2020) targets.
// Cross sections, as in RSBench: a task looks up a random material and sums over its 4 to 321 nuclides. By hand: the lookup is a
// task that waits in the warp's stack when the warp cannot be filled; sums keep their order.
// Rare: a loop with an expensive part in one of several iterations, which adds to a sum. By hand: the generator's state and the
// owner's lane form the task, and the sums are in shared memory.
#include <cmath>
#include "programs.cuh"

static __device__ __forceinline__ float unit(unsigned s) { return __fmul_rn(__uint2float_rz(s), 2.3283064e-10f); }

// ---- cross sections -------------------------------------------------------------------------------------------------------
constexpr int MATERIALS = 12, NUCLIDES = 512;
static __constant__ int count_of[MATERIALS] = {321, 5, 4, 4, 27, 21, 21, 21, 21, 21, 9, 9};
static __constant__ float until[MATERIALS] = {0.140f, 0.192f, 0.467f, 0.601f, 0.755f, 0.819f, 0.885f, 0.940f, 0.948f, 0.963f,
	0.988f, 1.001f};

struct Sections { const float4 *nuclide; int tasks, poles; float *out; };       // tasks: of all lanes

struct Lookup { float energy; int first, n; float xs[4]; };

static __device__ __forceinline__ Lookup look_up(unsigned task)
{
	Lookup l;
	unsigned s = task * 747796405u + 2891336453u;
	s = ((s >> ((s >> 28) + 4)) ^ s) * 277803737u;
	s ^= s >> 22;
	l.energy = __fadd_rn(0.25f, unit(s));
	s = s * 1664525u + 1013904223u;
	const float roll = unit(s);
	int m = 0;
	while (m < MATERIALS - 1 && roll >= until[m])
		++m;
	l.n = count_of[m];
	l.first = 13 * m;
	l.xs[0] = l.xs[1] = l.xs[2] = l.xs[3] = 0;
	return l;
}
static __device__ __forceinline__ void add_nuclide(const Sections &a, float energy, int nuclide, float (&xs)[4])
{
	const float4 q = a.nuclide[nuclide];
	float d = __fsub_rn(energy, q.x), m[4] = {0, 0, 0, 0};
#pragma unroll 4
	for (int p = 0; p < a.poles; ++p) {
		const float r = __fdividef(1.0f, fmaf(d, d, q.y)), re = __fmul_rn(fabsf(d), r), im = __fmul_rn(q.y, r);
		m[0] = fmaf(q.z, re, m[0]);
		m[1] = fmaf(q.w, im, m[1]);
		m[2] = fmaf(re, im, m[2]);
		m[3] = fmaf(im, im, m[3]);
		d = fmaf(d, -0.9375f, 0.171875f);
	}
#pragma unroll
	for (int k = 0; k < 4; ++k)
		xs[k] = __fadd_rn(xs[k], m[k]);
}
static __device__ __forceinline__ float result(const float (&xs)[4])
{
	float v = xs[0];
#pragma unroll
	for (int k = 1; k < 16; ++k)
		v = fmaf(v, 0.75f, xs[k & 3]);
	return v;
}

static __global__ void __launch_bounds__(BLOCK) k_base(Sections a)
{
#pragma unroll 1
	for (int task = blockIdx.x * BLOCK + threadIdx.x; task < a.tasks; task += gridDim.x * BLOCK) {
		Lookup l = look_up(task);
#pragma unroll 1
		for (int j = 0; j < l.n; ++j)
			add_nuclide(a, l.energy, l.first + j, l.xs);
		a.out[task] = result(l.xs);
	}
}

static __global__ void __launch_bounds__(BLOCK) k_ccc(Sections a)
{
	#pragma ccc for
	for (int task = blockIdx.x * BLOCK + threadIdx.x; task < a.tasks; task += gridDim.x * BLOCK) {
		Lookup l = look_up(task);
		#pragma ccc for var reduction(+: xs)
		for (int j = 0; j < l.n; ++j)
			add_nuclide(a, l.energy, l.first + j, l.xs);
		a.out[task] = result(l.xs);
	}
}

struct Stack { int task[32], first[32], n[32]; float energy[32], xs[4][32]; };

static __device__ __forceinline__ void push(Stack &s, int at, int task, const Lookup &l)
{
	s.task[at] = task;
	s.first[at] = l.first;
	s.n[at] = l.n;
	s.energy[at] = l.energy;
	for (int k = 0; k < 4; ++k)
		s.xs[k][at] = l.xs[k];
}
static __device__ __forceinline__ Lookup pop(const Stack &s, int at, int &task)
{
	task = s.task[at];
	return {s.energy[at], s.first[at], s.n[at], {s.xs[0][at], s.xs[1][at], s.xs[2][at], s.xs[3][at]}};
}
static __device__ __forceinline__ bool step(const Sections &a, Lookup &l, int task)
{
	add_nuclide(a, l.energy, l.first++, l.xs);
	if (--l.n)
		return true;
	a.out[task] = result(l.xs);
	return false;
}
static __global__ void __launch_bounds__(BLOCK) k_hand(Sections a)
{
	__shared__ Stack stacks[WARPS];
	const unsigned warp = warp_id(), lane = lane_id();
	Stack &s = stacks[warp];
	int top = 0;
	for (int base = blockIdx.x * BLOCK + warp * 32; base < a.tasks; base += gridDim.x * BLOCK) {
		int task = base + lane;
		Lookup l = look_up(task);
		bool has = task < a.tasks;
		for (;;) {
			const unsigned idle = __ballot_sync(FULL, !has);
			if (top < __popc(idle)) {       // not enough for a full warp: fetch 32 fresh tasks
				if (has)
					push(s, top + __popc(~idle & lanes_below()), task, l);
				top += 32 - __popc(idle);
				__syncwarp();
				break;
			}
			if (!has)
				l = pop(s, top - 1 - __popc(idle & lanes_below()), task);
			top -= __popc(idle);
			__syncwarp();
			has = step(a, l, task);
		}
	}
	if (int(lane) < top) {
		int task;
		Lookup l = pop(s, lane, task);
		while (step(a, l, task))
			;
	}
}

static bool close(const std::vector<float> &got, const std::vector<float> &want)
{
	for (size_t i = 0; i < want.size(); ++i)
		if (!(std::fabs(got[i] - want[i]) <= 1e-3f * std::fabs(want[i])))
			return false;
	return true;
}
static void bench_sections(Bench &b, int poles)
{
	std::vector<float4> nuclide;
	for (int i = 0; i < NUCLIDES; ++i) {
		const float u = (i * 37 % NUCLIDES + 0.5f) / NUCLIDES;
		nuclide.push_back(make_float4(0.1f + u, 0.05f + 0.1f * u, 0.5f + 0.5f * u, 1.0f - 0.5f * u));
	}
	const int n = size_of_work(b.o, 8000000, 2000000, 1500);
	const Sections a{to_device(nuclide), n, poles, on_device<float>(n)};
	std::vector<float> want;
	const auto variant = [&](const char *name, void (*kernel)(Sections)) -> Variant {
		const int blocks = fill_device(b.o, kernel);
		return {name, [=] { kernel<<<blocks, BLOCK>>>(a); }, [&want, a, n] {
			const std::vector<float> got = to_host(a.out, n);
			if (want.empty())
				want = got;
			return close(got, want);
		}};
	};
	char data[32];
	snprintf(data, sizeof data, "%d poles", poles);
	measure(b, data, [=] { CHECK(cudaMemset(a.out, 0xff, n * sizeof *a.out)); },
		{variant("base", k_base), variant("annotated", k_ccc), variant("by hand", k_hand)});
	CHECK(cudaFree(const_cast<float4 *>(a.nuclide)));
	CHECK(cudaFree(a.out));
}

// ---- rare -----------------------------------------------------------------------------------------------------------------
struct Rare { int n, size; unsigned cut; unsigned *out; };      // size: the expensive part has 20 * size multiply-adds

static __device__ __forceinline__ bool is_rare(const Rare &a, unsigned &s, float &e)
{
	s ^= s << 13;
	s ^= s >> 17;
	s ^= s << 5;
	e = fmaf(e, 0.5f, unit(s));
#pragma unroll
	for (int k = 0; k < 4; ++k)
		e = fmaf(e, 0.875f, 0.125f);
	return s < a.cut;
}
static __device__ __forceinline__ unsigned expensive(const Rare &a, unsigned s)
{
	float f = unit(s);
#pragma unroll 1
	for (int q = 0; q < a.size; ++q) {
#pragma unroll
		for (int k = 0; k < 10; ++k) {
			f = fmaf(f, 2.0f, 1.0f);
			f = fmaf(f, 0.5f, -0.5f + 1.0f / 65536);
		}
	}
	return __float_as_uint(f);
}
static __device__ __forceinline__ float rest(float e)
{
#pragma unroll
	for (int k = 0; k < 6; ++k)
		e = fmaf(e, -0.75f, 0.25f);
	return e;
}

static __global__ void __launch_bounds__(BLOCK) k_rare_base(Rare a)
{
	const int id = blockIdx.x * BLOCK + threadIdx.x;
	unsigned s = id * 2654435761u | 1u, sum = 0;
	float e = 0.5f;
#pragma unroll 1
	for (int i = 0; i < a.n; ++i) {
		if (is_rare(a, s, e))
			sum += expensive(a, s);
		e = rest(e);
	}
	a.out[id] = sum ^ __float_as_uint(e);
}

static __global__ void __launch_bounds__(BLOCK) k_rare_ccc(Rare a)
{
	const int id = blockIdx.x * BLOCK + threadIdx.x;
	unsigned s = id * 2654435761u | 1u, sum = 0;
	float e = 0.5f;
	#pragma ccc for
	for (int i = 0; i < a.n; ++i) {
		#pragma ccc if
		if (is_rare(a, s, e))
			sum += expensive(a, s);
		e = rest(e);
	}
	a.out[id] = sum ^ __float_as_uint(e);
}

static __global__ void __launch_bounds__(BLOCK) k_rare_hand(Rare a)
{
	__shared__ unsigned states[WARPS][32], owners[WARPS][32], sums[WARPS][32];
	const int id = blockIdx.x * BLOCK + threadIdx.x, lane = lane_id(), warp = threadIdx.x >> 5;
	unsigned s = id * 2654435761u | 1u;
	float e = 0.5f;
	int top = 0;
	sums[warp][lane] = 0;
	__syncwarp();
#pragma unroll 1
	for (int i = 0; i < a.n; ++i) {
		const bool has = is_rare(a, s, e);
		const unsigned idle = __ballot_sync(FULL, !has);
		if (top >= __popc(idle)) {
			const int at = top - 1 - __popc(idle & lanes_below());
			const unsigned state = has ? s : states[warp][at], owner = has ? lane : owners[warp][at];
			top -= __popc(idle);
			__syncwarp();
			atomicAdd(&sums[warp][owner], expensive(a, state));
		} else {
			const int at = top + __popc(~idle & lanes_below());
			if (has) {
				states[warp][at] = s;
				owners[warp][at] = lane;
			}
			top += 32 - __popc(idle);
			__syncwarp();
		}
		e = rest(e);
	}
	if (lane < top)
		atomicAdd(&sums[warp][owners[warp][lane]], expensive(a, states[warp][lane]));
	__syncwarp();
	a.out[id] = sums[warp][lane] ^ __float_as_uint(e);
}

static void bench_rare(Bench &b, int size, int share)
{
	const int blocks = fill_device(b.o, k_rare_base), n = blocks * BLOCK;
	const Rare a{size_of_work(b.o, 160000, 16000, 5000) / (20 * size + 60), size, 0xffffffffu / share, on_device<unsigned>(n)};
	std::vector<unsigned> want;
	const auto variant = [&](const char *name, void (*kernel)(Rare)) -> Variant {
		return {name, [=] { kernel<<<blocks, BLOCK>>>(a); }, [&want, a, n] {
			const std::vector<unsigned> got = to_host(a.out, n);
			if (want.empty())
				want = got;
			return got == want;
		}};
	};
	char data[32];
	snprintf(data, sizeof data, "%d FMAs, 1 in %d", 20 * size, share);
	measure(b, data, [=] { CHECK(cudaMemset(a.out, 0xff, n * sizeof *a.out)); },
		{variant("base", k_rare_base), variant("annotated", k_rare_ccc), variant("by hand", k_rare_hand)});
	CHECK(cudaFree(a.out));
}

int main(int argc, char **argv)
{
	Bench b{"cross sections", read_options(argc, argv)};
	bench_sections(b, 8);
	bench_sections(b, 32);
	b.program = "rare";
	for (int size : {2, 8, 32})
		for (int share : {64, 16, 4})
			bench_rare(b, size, share);
	return b.all_right ? 0 : 1;
}
