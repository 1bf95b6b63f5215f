// SPDX-License-Identifier: MIT
// Branch distribution (Han and Abdelrahman, GPGPU-4, 2011, section 3.2): the two arms of a branch share code, and differ
// before and after it. SYN-BRDIS: R rounds of common code have M inputs and M results. Fresnel: photons that cross the
// layers of a tissue downwards or upwards. By hand: the common code appears once, between two branches.
#include "programs.cuh"

// The multiply-with-carry generator of CUDAMCML.
struct Random {
	unsigned long long s;
	__device__ explicit Random(unsigned id) : s((unsigned long long)(id * 2654435761u + 12345u) | 1ull << 33)
	{
		for (int k = 0; k < 4; ++k)
			next();
	}
	__device__ float next()         // in [0, 1)
	{
		s = (unsigned)s * 4294883355ull + (s >> 32);
		return __fmul_rn(__uint2float_rz((unsigned)s), 2.3283064e-10f);
	}
};

// ---- SYN-BRDIS ------------------------------------------------------------------------------------------------------------
struct Synthetic { int n, rounds; float *out; };

template <int SIDE, int COUNT> static __device__ __forceinline__ float chain(float v)
{
#pragma unroll
	for (int k = 0; k < COUNT; ++k)
		v = fmaf(v, SIDE ? -0.75f : -0.625f, SIDE ? 0.25f : 0.375f);
	return v;
}
// 20 dependent multiply-adds, M of which produce the inputs of the common code.
template <int SIDE, int M> static __device__ __forceinline__ void before(float v, float (&x)[M])
{
	v = chain<SIDE, 20 - M>(v);
#pragma unroll
	for (int i = 0; i < M; ++i)
		x[i] = v = fmaf(v, v, SIDE ? -1.9f : -1.8f);
}
// 20 dependent multiply-adds, M of which use a result of the common code.
template <int SIDE, int M> static __device__ __forceinline__ float after(const float (&x)[M])
{
	float v = SIDE ? -0.75f : -0.625f;
#pragma unroll
	for (int i = 0; i < M; ++i)
		v = fmaf(v, SIDE ? -0.75f : -0.625f, x[i]);
	return chain<SIDE, 20 - M>(v);
}
template <int M> static __device__ __forceinline__ void common(float (&x)[M], int rounds)
{
#pragma unroll 1
	for (int q = 0; q < rounds; ++q) {
#pragma unroll
		for (int k = 0; k < 20 / M; ++k)
#pragma unroll
			for (int i = 0; i < M; ++i) {
				x[i] = fmaf(x[i], 2.0f, 1.0f);
				x[i] = fmaf(x[i], 0.5f, -0.5f);
			}
	}
}
// One iteration of each kernel.
struct AsItIs {
	template <int M> static __device__ __forceinline__ float branch(bool c, float v, int rounds)
	{
		float x[M];
		if (c) {
			before<1, M>(v, x);
			common<M>(x, rounds);
			v = after<1, M>(x);
		} else {
			before<0, M>(v, x);
			common<M>(x, rounds);
			v = after<0, M>(x);
		}
		return v;
	}
};
struct Annotated {
	template <int M> static __device__ __forceinline__ float branch(bool c, float v, int rounds)
	{
		float x[M];
		#pragma ccc distribute
		if (c) {
			before<1, M>(v, x);
			common<M>(x, rounds);
			v = after<1, M>(x);
		} else {
			before<0, M>(v, x);
			common<M>(x, rounds);
			v = after<0, M>(x);
		}
		return v;
	}
};
struct ByHand {
	template <int M> static __device__ __forceinline__ float branch(bool c, float v, int rounds)
	{
		float x[M];
		if (c)
			before<1, M>(v, x);
		else
			before<0, M>(v, x);
		common<M>(x, rounds);
		return c ? after<1, M>(x) : after<0, M>(x);
	}
};
template <int M, class Form> static __global__ void __launch_bounds__(BLOCK) synthetic(Synthetic a)
{
	const int id = blockIdx.x * BLOCK + threadIdx.x;
	Random random(id);
	float v = 0, sum = 0;
#pragma unroll 1
	for (int i = 0; i < a.n; ++i) {
		v = fmaf(v, 0.0625f, random.next() * 0.5f);
		v = Form::template branch<M>((threadIdx.x + i) & 1, v, a.rounds);
		sum = __fadd_rn(sum, v);
	}
	a.out[id] = sum;
}

// ---- the Fresnel branch ---------------------------------------------------------------------------------------------------
// Explicitly rounded: every version gives the same bits.
constexpr int LAYERS = 7;
static __constant__ float index_of[LAYERS + 2];

static __device__ __forceinline__ float mul(float a, float b) { return __fmul_rn(a, b); }
static __device__ __forceinline__ float add(float a, float b) { return __fadd_rn(a, b); }
static __device__ __forceinline__ float sub(float a, float b) { return __fsub_rn(a, b); }
static __device__ __forceinline__ float root(float a) { return mul(a, rsqrtf(fmaxf(a, 1e-30f))); }

// The reflected share of unpolarised light at a boundary; ct is set to the cosine of the transmitted direction.
static __device__ __forceinline__ float fresnel(float ni, float nt, float ci, float &ct)
{
	ct = ci;
	if (ni == nt)
		return 0;
	if (ci > 0.99999f) {
		const float r = __fdividef(sub(nt, ni), add(nt, ni));
		return mul(r, r);
	}
	const float si = root(fmaf(-ci, ci, 1.0f)), st = __fdividef(mul(ni, si), nt);
	if (st >= 1.0f) {
		ct = 0;
		return 1;
	}
	ct = root(fmaf(-st, st, 1.0f));
	const float cc = mul(ci, ct), ss = mul(si, st), sc = mul(si, ct), cs = mul(ci, st);
	const float cap = sub(cc, ss), cam = add(cc, ss), sap = add(sc, cs), sam = sub(sc, cs);
	const float up = mul(mul(0.5f, mul(sam, sam)), fmaf(cam, cam, mul(cap, cap)));
	return __fdividef(up, mul(mul(sap, sap), mul(cam, cam)));
}

struct Photon { float ux, uy, uz; int layer; bool dead; };
struct Tissue { int n; float *out; };

static __device__ __forceinline__ void transmit(Photon &p, float ni, float nt, float uz)
{
	const float q = __fdividef(ni, nt);
	p.ux = mul(p.ux, q);
	p.uy = mul(p.uy, q);
	p.uz = uz;
}
static __device__ __forceinline__ void down(Photon &p, Random &random)
{
	const float ni = index_of[p.layer], nt = index_of[p.layer + 1];
	float ct;
	const float r = fresnel(ni, nt, p.uz, ct);
	if (random.next() > r) {
		++p.layer;
		if (p.layer > LAYERS)
			p.dead = true;
		else
			transmit(p, ni, nt, ct);
	} else {
		p.uz = -p.uz;
	}
}
static __device__ __forceinline__ void up(Photon &p, Random &random)
{
	const float ni = index_of[p.layer], nt = index_of[p.layer - 1];
	float ct;
	const float r = fresnel(ni, nt, -p.uz, ct);
	if (random.next() > r) {
		--p.layer;
		if (p.layer < 1)
			p.dead = true;
		else
			transmit(p, ni, nt, -ct);
	} else {
		p.uz = -p.uz;
	}
}
// Only the new layer and the sign differ.
static __device__ __forceinline__ void down_or_up(Photon &p, Random &random)
{
	const bool is_down = p.uz > 0;
	const int layer = is_down ? p.layer + 1 : p.layer - 1;
	const float ni = index_of[p.layer], nt = index_of[layer];
	float ct;
	const float r = fresnel(ni, nt, is_down ? p.uz : -p.uz, ct);
	if (random.next() > r) {
		p.layer = layer;
		if (layer > LAYERS || layer < 1)
			p.dead = true;
		else
			transmit(p, ni, nt, is_down ? ct : -ct);
	} else {
		p.uz = -p.uz;
	}
}
static __device__ __forceinline__ void boundary(AsItIs, Photon &p, Random &random)
{
	if (p.uz > 0)
		down(p, random);
	else
		up(p, random);
}
static __device__ __forceinline__ void boundary(Annotated, Photon &p, Random &random)
{
	#pragma ccc distribute
	if (p.uz > 0)
		down(p, random);
	else
		up(p, random);
}
static __device__ __forceinline__ void boundary(ByHand, Photon &p, Random &random) { down_or_up(p, random); }

template <class Form> static __global__ void __launch_bounds__(BLOCK) photons(Tissue a)
{
	const int id = blockIdx.x * BLOCK + threadIdx.x;
	Random random(id);
	Photon p{0.3f, 0.2f, 1.0f, 1 + id % LAYERS, false};
	float sum = 0;
#pragma unroll 1
	for (int i = 0; i < a.n; ++i) {
		p.uz = fmaf(2.0f, random.next(), -1.0f);        // a new direction in each step: half of the lanes go each way
		boundary(Form(), p, random);
		sum = add(sum, fmaf(p.uz, float(p.layer), add(p.ux, p.uy)));
		if (p.dead)
			p = Photon{0.3f, 0.2f, p.uz, 1 + (id + i) % LAYERS, false};
	}
	a.out[id] = sum;
}

// ---- host -----------------------------------------------------------------------------------------------------------------
// All versions give the same bits.
template <class Args> static void bench_kernels(Bench &b, const char *data, Args a, const std::vector<void (*)(Args)> &kernels)
{
	const int blocks = fill_device(b.o, kernels[0]), n = blocks * BLOCK;
	std::vector<float> want;
	a.out = on_device<float>(n);
	const auto variant = [&](const char *name, void (*kernel)(Args)) -> Variant {
		return {name, [=] { kernel<<<blocks, BLOCK>>>(a); }, [&want, a, n] {
			const std::vector<float> got = to_host(a.out, n);
			if (want.empty())
				want = got;
			return !memcmp(got.data(), want.data(), n * sizeof(float));
		}};
	};
	measure(b, data, [=] { CHECK(cudaMemset(a.out, 0xff, n * sizeof *a.out)); },
		{variant("base", kernels[0]), variant("annotated", kernels[1]), variant("by hand", kernels[2])});
	CHECK(cudaFree(a.out));
}
template <int M> static void bench_synthetic(Bench &b)
{
	for (int rounds : {1, 4, 16}) {
		char data[32];
		snprintf(data, sizeof data, "M=%d R=%d", M, rounds);
		bench_kernels<Synthetic>(b, data, {size_of_work(b.o, 200000, 20000, 2000) / (80 + 80 * rounds), rounds, nullptr},
			{synthetic<M, AsItIs>, synthetic<M, Annotated>, synthetic<M, ByHand>});
	}
}

int main(int argc, char **argv)
{
	Bench b{"syn_brdis", read_options(argc, argv)};
	bench_synthetic<1>(b);
	bench_synthetic<10>(b);
	const float tissue[] = {1.0f, 1.50f, 1.34f, 1.40f, 1.37f, 1.40f, 1.36f, 1.44f, 1.0f};
	CHECK(cudaMemcpyToSymbol(index_of, tissue, sizeof tissue));
	b.program = "fresnel";
	bench_kernels<Tissue>(b, "7 layers", {size_of_work(b.o, 2000, 200, 20), nullptr},
		{photons<AsItIs>, photons<Annotated>, photons<ByHand>});
	return b.all_right ? 0 : 1;
}
