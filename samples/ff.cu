// SPDX-License-Identifier: MIT
// A fractal flame, as in the flam3 program (one of the CCC paper's programs). Each random point
// goes through one of ten formulas, chosen at random, and is then counted in the pixel where it
// lies. A warp needs all ten formulas at each step, and runs them one after the other with three
// lanes each.
//
// `switch` makes each case a path. Each path has a task buffer of its own and runs when every lane
// of the warp has a point for it. Cheap cases (the plain copy) are left as they are. The atomicAdd
// after the switch reads the results of the cases, so it becomes part of each task; its effect does
// not depend on the lane that executes it.
//
// The buffers take shared memory: `threads(256)` gives the maximum block size.
//
//	cccnvcc -O3 -std=c++17 -arch=native ff.cu -o ff
//	ff [--points N] [--blocks B]            2^25 points by default

#include "sample.cuh"

constexpr int FORMULAS = 10, SIDE = 512;
constexpr float PI = 3.14159265f;

// In [-1, 1) x [-1, 1).
__host__ __device__ inline float2 point_of(unsigned i)
{
	return make_float2(2 * random01(2 * i) - 1, 2 * random01(2 * i + 1) - 1);
}
__host__ __device__ inline int formula_of(unsigned i)
{
	return (int)(random32(i + 0x9e3779b9u) % FORMULAS);
}

// x + iy at this angle, in units of pi: cospif and sinpif are cheaper than cosf and sinf.
__host__ __device__ inline float2 polar(float r, float angle)
{
	return make_float2(r * cospif(angle / PI), r * sinpif(angle / PI));
}

__host__ __device__ __forceinline__ float2 apply(int formula, float2 z)
{
	const float r2 = z.x * z.x + z.y * z.y + 1e-6f, r = sqrtf(r2);
	float2 w = z;                                                   // linear
	#pragma ccc switch
	switch (formula) {
	case 1: w = make_float2(sinpif(z.x / PI), sinpif(z.y / PI)); break; // sinusoidal
	case 2: w = make_float2(z.x / r2, z.y / r2); break;             // spherical
	case 3: {                                                       // swirl
		const float2 p = polar(1, r2);
		w = make_float2(z.x * p.y - z.y * p.x, z.x * p.x + z.y * p.y);
		break;
	}
	case 4:                                                         // horseshoe
		w = make_float2((z.x - z.y) * (z.x + z.y) / r, 2 * z.x * z.y / r);
		break;
	case 5: w = make_float2(atan2f(z.x, z.y) / PI, r - 1); break;   // polar
	case 6: {                                                       // handkerchief
		const float a = atan2f(z.x, z.y);
		w = make_float2(r * sinpif((a + r) / PI), r * cospif((a - r) / PI));
		break;
	}
	case 7: w = polar(r, r * atan2f(z.x, z.y)); break;              // heart
	case 8: w = polar(atan2f(z.x, z.y) / PI, PI * r); break;        // disc
	case 9: {                                                       // power
		const float a = atan2f(z.x, z.y);
		w = polar(powf(r, sinpif(a / PI)), a);
		break;
	}
	}
	return w;
}

// Maps [-2, 2) to pixels, clamped to the border.
__host__ __device__ inline int pixel(float2 z)
{
	const float x = (z.x + 2) * (SIDE / 4), y = (z.y + 2) * (SIDE / 4);
	return (int)fminf(fmaxf(y, 0), SIDE - 1) * SIDE + (int)fminf(fmaxf(x, 0), SIDE - 1);
}

__global__ void flame(unsigned n, unsigned *image)
{
	#pragma ccc for threads(256)
	for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		atomicAdd(&image[pixel(apply(formula_of(i), point_of(i)))], 1);
}

int main(int argc, char **argv)
{
	int n = 1 << 25;
	read_options(argc, argv, {{"points", &n}});
	Array<unsigned> image(SIDE * SIDE);
	const int blocks = resident_blocks(flame, 256);
	const float ms = best_ms([&] { image.fill(0); }, [&] { flame<<<blocks, 256>>>(n, image); });

	// The CPU's sine differs from the GPU's: a few points in a thousand may lie in the neighbouring pixel.
	const std::vector<unsigned> got = image.host();
	std::vector<unsigned> want(got.size());
	for (int i = 0; i < n; ++i)
		++want[pixel(apply(formula_of(i), point_of(i)))];
	long long sum = 0, differ = 0;
	for (size_t p = 0; p < got.size(); ++p) {
		sum += got[p];
		differ += std::abs((long long)got[p] - want[p]);
	}
	const bool ok = sum == n && differ <= 2 + n / 200;
	return result(ok, ms, "%d points through %d formulas", n, FORMULAS);
}
