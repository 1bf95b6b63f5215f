// SPDX-License-Identifier: MIT
// Inverse error function in double precision (CCC paper, section 6.1; Giles, "Approximating the erfinv function"): w = -log(1 - x^2)
// selects one of three polynomials. Data: the three equally often, or 90, 7 and 3 %, or x uniform in (-1, 1); values from memory, or
// 64 KB of them repeatedly with the results summed, so that arithmetic dominates. By hand: a stack for each of the polynomials.
#include <cmath>
#include "programs.cuh"
#include "iefa.cuh"

constexpr unsigned CACHED = 8192, NONE = 3;

// ---- the workload ---------------------------------------------------------------------------------------------------------
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
