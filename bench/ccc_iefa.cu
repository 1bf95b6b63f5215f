// SPDX-License-Identifier: MIT
// Inverse error function in double precision (CCC paper, section 6.1; Giles, "Approximating the erfinv function"): w = -log(1 - x^2)
// selects one of three polynomials. Data: the three equally often, or 90, 7 and 3 %, or x uniform in (-1, 1); values from memory, or
// 64 KB of them repeatedly with the results summed, so that arithmetic dominates. By hand: a stack for each of the polynomials.
#include <cmath>
#include "programs.cuh"

constexpr unsigned CACHED = 8192, NONE = 3;

// ---- the workload ---------------------------------------------------------------------------------------------------------
static __device__ __forceinline__ double exponent(double x) { return -log((1.0 - x) * (1.0 + x)); }
template <int B> static __device__ __forceinline__ double poly(double w)
{
	double p;
	if (B == 0) {
		w = w - 3.125000;
		p = -3.6444120640178196996e-21;
		p = fma(p, w, -1.685059138182016589e-19);
		p = fma(p, w, 1.2858480715256400167e-18);
		p = fma(p, w, 1.115787767802518096e-17);
		p = fma(p, w, -1.333171662854620906e-16);
		p = fma(p, w, 2.0972767875968561637e-17);
		p = fma(p, w, 6.6376381343583238325e-15);
		p = fma(p, w, -4.0545662729752068639e-14);
		p = fma(p, w, -8.1519341976054721522e-14);
		p = fma(p, w, 2.6335093153082322977e-12);
		p = fma(p, w, -1.2975133253453532498e-11);
		p = fma(p, w, -5.4154120542946279317e-11);
		p = fma(p, w, 1.051212273321532285e-09);
		p = fma(p, w, -4.1126339803469836976e-09);
		p = fma(p, w, -2.9070369957882005086e-08);
		p = fma(p, w, 4.2347877827932403518e-07);
		p = fma(p, w, -1.3654692000834678645e-06);
		p = fma(p, w, -1.3882523362786468719e-05);
		p = fma(p, w, 0.0001867342080340571352);
		p = fma(p, w, -0.00074070253416626697512);
		p = fma(p, w, -0.0060336708714301490533);
		p = fma(p, w, 0.24015818242558961693);
		p = fma(p, w, 1.6536545626831027356);
	} else if (B == 1) {
		w = sqrt(w) - 3.250000;
		p = 2.2137376921775787049e-09;
		p = fma(p, w, 9.0756561938885390979e-08);
		p = fma(p, w, -2.7517406297064545428e-07);
		p = fma(p, w, 1.8239629214389227755e-08);
		p = fma(p, w, 1.5027403968909827627e-06);
		p = fma(p, w, -4.013867526981545969e-06);
		p = fma(p, w, 2.9234449089955446044e-06);
		p = fma(p, w, 1.2475304481671778723e-05);
		p = fma(p, w, -4.7318229009055733981e-05);
		p = fma(p, w, 6.8284851459573175448e-05);
		p = fma(p, w, 2.4031110387097893999e-05);
		p = fma(p, w, -0.0003550375203628474796);
		p = fma(p, w, 0.00095328937973738049703);
		p = fma(p, w, -0.0016882755560235047313);
		p = fma(p, w, 0.0024914420961078508066);
		p = fma(p, w, -0.0037512085075692412107);
		p = fma(p, w, 0.005370914553590063617);
		p = fma(p, w, 1.0052589676941592334);
		p = fma(p, w, 3.0838856104922207635);
	} else {
		w = sqrt(w) - 5.000000;
		p = -2.7109920616438573243e-11;
		p = fma(p, w, -2.5556418169965252055e-10);
		p = fma(p, w, 1.5076572693500548083e-09);
		p = fma(p, w, -3.7894654401267369937e-09);
		p = fma(p, w, 7.6157012080783393804e-09);
		p = fma(p, w, -1.4960026627149240478e-08);
		p = fma(p, w, 2.9147953450901080826e-08);
		p = fma(p, w, -6.7711997758452339498e-08);
		p = fma(p, w, 2.2900482228026654717e-07);
		p = fma(p, w, -9.9298272942317002539e-07);
		p = fma(p, w, 4.5260625972231537039e-06);
		p = fma(p, w, -1.9681778105531670567e-05);
		p = fma(p, w, 7.5995277030017761139e-05);
		p = fma(p, w, -0.00021503011930044477347);
		p = fma(p, w, -0.00013871931833623122026);
		p = fma(p, w, 1.0103004648645343977);
		p = fma(p, w, 4.8499064014085844221);
	}
	return p;
}

struct Args { unsigned n; const double *in; double *out; };

template <bool MEMORY> static __device__ __forceinline__ double value(const Args &g, unsigned i)
{
	return __ldg(g.in + (MEMORY ? i : i % CACHED));
}
template <bool MEMORY> static __device__ __forceinline__ void use(double y, unsigned i, const Args &g, double &sum)
{
	if (MEMORY)
		g.out[i] = y;
	else
		sum += y;
}
template <bool MEMORY> static __device__ __forceinline__ void finish(double sum, const Args &g)
{
	if (!MEMORY)
		g.out[blockIdx.x * BLOCK + threadIdx.x] = sum;
}

// ---- original, annotated, by hand -----------------------------------------------------------------------------------------
template <bool MEMORY> static __global__ void __launch_bounds__(BLOCK) k_base(Args g)
{
	double sum = 0;
	for (unsigned i = blockIdx.x * BLOCK + threadIdx.x; i < g.n; i += gridDim.x * BLOCK) {
		const double x = value<MEMORY>(g, i), w = exponent(x);
		if (w < 6.25)
			use<MEMORY>(poly<0>(w) * x, i, g, sum);
		else if (w < 16.0)
			use<MEMORY>(poly<1>(w) * x, i, g, sum);
		else
			use<MEMORY>(poly<2>(w) * x, i, g, sum);
	}
	finish<MEMORY>(sum, g);
}
template <bool MEMORY> static __global__ void __launch_bounds__(BLOCK) k_ccc(Args g)
{
	double sum = 0;
	#pragma ccc for warpwide
	for (unsigned i = blockIdx.x * BLOCK + threadIdx.x; i < g.n; i += gridDim.x * BLOCK) {
		const double x = value<MEMORY>(g, i), w = exponent(x);
		#pragma ccc if
		if (w < 6.25)
			use<MEMORY>(poly<0>(w) * x, i, g, sum);
		else
			#pragma ccc if else
			if (w < 16.0)
				use<MEMORY>(poly<1>(w) * x, i, g, sum);
			else
				use<MEMORY>(poly<2>(w) * x, i, g, sum);
	}
	finish<MEMORY>(sum, g);
}

struct Stack { double w[32], x[32]; unsigned i[32]; };
template <bool MEMORY, int B> static __device__ __forceinline__ void turn(Stack &s, int &top, unsigned branch, double w, double x,
	unsigned i, const Args &g, double &sum)
{
	const unsigned votes = __ballot_sync(FULL, branch == B), below = lanes_below();
	const int wanted = __popc(votes);
	if (top + wanted >= 32) {
		if (branch != B) {
			const int at = top - 1 - __popc(~votes & below);
			w = s.w[at];
			x = s.x[at];
			i = s.i[at];
		}
		top -= 32 - wanted;
		use<MEMORY>(poly<B>(w) * x, i, g, sum);
	} else {
		const int at = top + __popc(votes & below);
		if (branch == B) {
			s.w[at] = w;
			s.x[at] = x;
			s.i[at] = i;
		}
		top += wanted;
	}
}
template <bool MEMORY, int B> static __device__ __forceinline__ void rest(const Stack &s, int top, const Args &g, double &sum)
{
	const int lane = lane_id();
	if (lane < top)
		use<MEMORY>(poly<B>(s.w[lane]) * s.x[lane], s.i[lane], g, sum);
}
template <bool MEMORY> static __global__ void __launch_bounds__(BLOCK) k_hand(Args g)
{
	__shared__ Stack stacks[WARPS][3];
	const unsigned warp = warp_id();
	Stack (&s)[3] = stacks[warp];
	double sum = 0;
	int top0 = 0, top1 = 0, top2 = 0;
	for (unsigned base = blockIdx.x * BLOCK + warp * 32; base < g.n; base += gridDim.x * BLOCK) {
		const unsigned i = base + lane_id();
		const double x = i < g.n ? value<MEMORY>(g, i) : 0, w = exponent(x);
		const unsigned branch = i < g.n ? (w >= 6.25) + (w >= 16.0) : NONE;
		__syncwarp();           // orders the previous iteration's reads and writes before this one's
		turn<MEMORY, 0>(s[0], top0, branch, w, x, i, g, sum);
		turn<MEMORY, 1>(s[1], top1, branch, w, x, i, g, sum);
		turn<MEMORY, 2>(s[2], top2, branch, w, x, i, g, sum);
	}
	__syncwarp();
	rest<MEMORY, 0>(s[0], top0, g, sum);
	rest<MEMORY, 1>(s[1], top1, g, sum);
	rest<MEMORY, 2>(s[2], top2, g, sum);
	finish<MEMORY>(sum, g);
}

// ---- host -----------------------------------------------------------------------------------------------------------------
// x for which w is below 6.25 with probability p0, below 16 with p1 more; p0 < 0: x uniform.
static double draw(unsigned i, double p0, double p1)
{
	const uint32_t h = mix(i + 1), k = mix(h ^ 0x9E3779B9u);
	const double a = (h >> 8) * 0x1p-24, u = (k + 0.5) * 0x1p-32;
	const double w = a < p0 ? 6.25 * u : a < p0 + p1 ? 6.25 + 9.75 * u : 16.0 + 18.0 * u;
	const double v = p0 < 0 ? u : std::sqrt(-std::expm1(-w));
	return h & 1 ? v : -v;
}
// Whether erf(y) is x, tested by the complement 1 - |x|.
static bool is_inverse(double x, double y)
{
	const double e = 1.0 - std::fabs(x);
	return std::fabs(std::erfc(std::fabs(y)) - e) <= 1e-10 * e + 3e-16 && std::signbit(x) == std::signbit(y);
}

template <bool MEMORY> static void bench_values(Bench &b, unsigned n, const char *name, double p0, double p1)
{
	std::vector<double> values(MEMORY ? n : CACHED);
	for (unsigned i = 0; i < values.size(); ++i)
		values[i] = draw(i, p0, p1);
	const double *const in = to_device(values);
	double want = 0;
	bool first = true;
	std::vector<double> ys;
	double *const out = on_device<double>(MEMORY ? n : 1 << 20);
	const auto variant = [&](const char *what, void (*kernel)(Args), size_t tasks = 0) -> Variant {
		const int blocks = fill_device(b.o, kernel, tasks);
		return {what, [=] { kernel<<<blocks, BLOCK>>>(Args{n, in, out}); }, [&, blocks] {
			if (MEMORY) {
				ys = to_host(out, n);
				for (unsigned i = 0; i < n; i += b.o.small ? 1 : 997)
					if (!is_inverse(values[i], ys[i]))
						return false;
				return true;
			}
			double sum = 0;
			for (double part : to_host(out, size_t(blocks) * BLOCK))
				sum += part;
			if (first)
				want = sum;
			first = false;
			return std::fabs(sum - want) < 1e-2;    // smaller than the contribution of most single items
		}};
	};
	char data[48];
	snprintf(data, sizeof data, "%u values, %s, %s", n, name, MEMORY ? "memory" : "cached");
	measure(b, data, [=] { CHECK(cudaMemset(out, 0xff, (MEMORY ? n : 1 << 20) * sizeof *out)); },
		MEMORY ? std::vector<Variant>{variant("base", k_base<MEMORY>), variant("annotated", k_ccc<MEMORY>),
			variant("by hand", k_hand<MEMORY>), variant("one a thread", k_base<MEMORY>, n)} :
		std::vector<Variant>{variant("base", k_base<MEMORY>), variant("annotated", k_ccc<MEMORY>),
			variant("by hand", k_hand<MEMORY>)});
	CHECK(cudaFree(out));
}

int main(int argc, char **argv)
{
	Bench b{"iefa", read_options(argc, argv)};
	const unsigned n = size_of_work(b.o, 100000007u, 10000019u, 5003u);
	bench_values<true>(b, n, "thirds", 1.0 / 3, 1.0 / 3);
	bench_values<true>(b, n, "skewed", 0.90, 0.07);
	bench_values<true>(b, n, "uniform", -1.0, 0.0);
	bench_values<false>(b, n, "thirds", 1.0 / 3, 1.0 / 3);
	bench_values<false>(b, n, "skewed", 0.90, 0.07);
	return b.all_right ? 0 : 1;
}
