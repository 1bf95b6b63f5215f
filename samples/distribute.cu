// SPDX-License-Identifier: MIT
// Light at the surface of a lens: a ray comes from outside or from inside, and Fresnel's equations
// say for each of 16 colours how much goes through. Both sides of the branch are a loop of much
// the same work; but what leaves the glass was dimmed on its way, and beyond an angle nothing
// leaves. A warp that has both kinds of rays runs both loops, each with half of its lanes.
//
// `distribute` writes the two sides as one: where they have the same instruction, all lanes run
// it, on operands that each selects; what only one side has is left to its lanes (branch
// distribution of Han and Abdelrahman). It needs no promise, and no loop over tasks: every lane
// does what it would have done, in the same order. The compiler does so by itself where two sides
// are alike to their last instruction; here they end differently.
//
//	cccnvcc -O3 -std=c++17 -arch=native distribute.cu -o distribute
//	distribute [--rays N] [--blocks B]              2^24 rays

#include "sample.cuh"

constexpr int COLOURS = 16;

// cosine: of the angle to the surface's normal; depth: of the glass it went through
struct Ray { float cosine, depth; bool inside; };

__host__ __device__ inline float index_of(int colour) { return 1.45f + 0.005f * (float)colour; }

// The part that goes through, of light of both polarisations, from index a to index b.
__host__ __device__ inline float through(float a, float b, float cosine)
{
	const float sine = a / b, inside = 1 - (1 - cosine * cosine) * (sine * sine);
	const float other = sqrtf(fmaxf(inside, 0));
	const float s = a * cosine + b * other, p = b * cosine + a * other;
	return 2 * a * b * cosine * other * (1 / (s * s) + 1 / (p * p));
}

__host__ __device__ inline float light(Ray r)
{
	float sum = 0;
	#pragma ccc distribute
	if (r.inside) {
		const float fade = expf(-0.01f * r.depth);
		float left = 1;
		#pragma unroll 1        // or the compiler gives the two loops different shapes
		for (int k = 0; k < COLOURS; ++k) {
			left *= fade;
			sum += left * through(index_of(k), 1, r.cosine);
		}
	} else {
		#pragma unroll 1
		for (int k = 0; k < COLOURS; ++k)
			sum += through(1, index_of(k), r.cosine);
	}
	return sum;
}

__global__ void shine(int n, const Ray *ray, float *out)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		out[i] = light(ray[i]);
}

int main(int argc, char **argv)
{
	int n = 1 << 24;
	read_options(argc, argv, {{"rays", &n}});
	std::vector<Ray> rays;
	for (int i = 0; i < n; ++i)
		rays.push_back({0.05f + 0.95f * random01(3 * i), 10 * random01(3 * i + 1),
			random01(3 * i + 2) < 0.5f});

	Array<Ray> ray(rays);
	Array<float> out(n);
	const int blocks = resident_blocks(shine, 256);
	const float ms =
		best_ms([&] { out.fill(0xff); }, [&] { shine<<<blocks, 256>>>(n, ray, out); });

	const std::vector<float> got = out.host();
	bool ok = true;
	for (int i = 0; i < n; i += 1 + n / 100000) {
		const float want = light(rays[i]);
		// just where total reflection begins, the root makes much of a rounding error
		ok = ok && std::fabs(got[i] - want) <= 2e-3f * (1 + want);
	}
	return result(ok, ms, "%d rays, %d colours", n, COLOURS);
}
