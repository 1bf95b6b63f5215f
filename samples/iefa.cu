// SPDX-License-Identifier: MIT
// The inverse error function in double precision, by three polynomials (Giles, "Approximating the
// erfinv function"; one of the CCC paper's programs). Near 0 a polynomial of degree 22 in w =
// -log(1 - x^2) is enough; each tail needs a square root and another polynomial. Nine of ten inputs
// here are near 0: in most warps a few lanes are not, and the warp runs all three.
//
// The two rare arms are paths, the common one is not: collection gains where few lanes take a path,
// and costs a little where most do. Both paths end by computing `p`, which the next line reads, so
// that line becomes part of their tasks, too.
//
//	cccnvcc -O3 -std=c++17 -arch=native iefa.cu -o iefa
//	iefa [--numbers N] [--blocks B]         2^24 numbers by default

#include "sample.cuh"

template <int N> __host__ __device__ inline double polynomial(const double (&c)[N], double w)
{
	double p = c[0];
	#pragma unroll
	for (int i = 1; i < N; ++i)
		p = fma(p, w, c[i]);
	return p;
}

__host__ __device__ inline double middle(double w)
{
	const double c[] = {-3.6444120640178196996e-21, -1.685059138182016589e-19,
		1.2858480715256400167e-18, 1.115787767802518096e-17, -1.333171662854620906e-16,
		2.0972767875968561637e-17, 6.6376381343583238325e-15, -4.0545662729752068639e-14,
		-8.1519341976054721522e-14, 2.6335093153082322977e-12, -1.2975133253453532498e-11,
		-5.4154120542946279317e-11, 1.051212273321532285e-09, -4.1126339803469836976e-09,
		-2.9070369957882005086e-08, 4.2347877827932403518e-07, -1.3654692000834678645e-06,
		-1.3882523362786468719e-05, 0.0001867342080340571352, -0.00074070253416626697512,
		-0.0060336708714301490533, 0.24015818242558961693, 1.6536545626831027356};
	return polynomial(c, w - 3.125);
}
__host__ __device__ inline double tail(double w)
{
	const double c[] = {2.2137376921775787049e-09, 9.0756561938885390979e-08,
		-2.7517406297064545428e-07, 1.8239629214389227755e-08, 1.5027403968909827627e-06,
		-4.013867526981545969e-06, 2.9234449089955446044e-06, 1.2475304481671778723e-05,
		-4.7318229009055733981e-05, 6.8284851459573175448e-05, 2.4031110387097893999e-05,
		-0.0003550375203628474796, 0.00095328937973738049703, -0.0016882755560235047313,
		0.0024914420961078508066, -0.0037512085075692412107, 0.005370914553590063617,
		1.0052589676941592334, 3.0838856104922207635};
	return polynomial(c, sqrt(w) - 3.25);
}
__host__ __device__ inline double far_tail(double w)
{
	const double c[] = {-2.7109920616438573243e-11, -2.5556418169965252055e-10,
		1.5076572693500548083e-09, -3.7894654401267369937e-09, 7.6157012080783393804e-09,
		-1.4960026627149240478e-08, 2.9147953450901080826e-08, -6.7711997758452339498e-08,
		2.2900482228026654717e-07, -9.9298272942317002539e-07, 4.5260625972231537039e-06,
		-1.9681778105531670567e-05, 7.5995277030017761139e-05, -0.00021503011930044477347,
		-0.00013871931833623122026, 1.0103004648645343977, 4.8499064014085844221};
	return polynomial(c, sqrt(w) - 5);
}

__global__ void invert(int n, const double *in, double *out)
{
	#pragma ccc for threads(256)
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		const double x = in[i], w = -log((1 - x) * (1 + x));
		double p;
		if (w < 6.25)
			p = middle(w);
		else
			#pragma ccc if else
			if (w < 16)
				p = tail(w);
			else
				p = far_tail(w);
		out[i] = p * x;
	}
}

int main(int argc, char **argv)
{
	int n = 1 << 24;
	read_options(argc, argv, {{"numbers", &n}});
	std::vector<double> x(n);
	for (int i = 0; i < n; ++i) {
		// w is below 6.25 for 90 % of the inputs, and at least 16 for 3 %.
		const double a = random01(3 * i), u = random01(3 * i + 1) + 1e-9;
		const double w = a < 0.9 ? 6.25 * u : a < 0.97 ? 6.25 + 9.75 * u : 16 + 18 * u;
		x[i] = (i % 2 ? 1 : -1) * std::sqrt(-std::expm1(-w));
	}

	Array<double> in(x), out(n);
	const int blocks = resident_blocks(invert, 256);
	const float ms =
		best_ms([&] { out.fill(0xff); }, [&] { invert<<<blocks, 256>>>(n, in, out); });

	// erfc(|y|) is 1 - |x|, which keeps its digits where x is near 1.
	const std::vector<double> y = out.host();
	bool ok = true;
	for (int i = 0; i < n; ++i) {
		const double rest = 1 - std::fabs(x[i]);
		ok = ok && std::signbit(x[i]) == std::signbit(y[i]) &&
			std::fabs(std::erfc(std::fabs(y[i])) - rest) <= 1e-10 * rest + 3e-16;
	}
	return result(ok, ms, "%d numbers", n);
}
