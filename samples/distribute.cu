// SPDX-License-Identifier: MIT
// Light at the surface of a lens. A ray arrives from outside or from inside, and the Fresnel
// equations give the share of each of 16 colours that is transmitted. Both arms of the branch are a
// loop with much the same work, but light from inside was attenuated by the glass, and is totally
// reflected beyond an angle. A warp with both kinds of rays runs both loops, each with half its lanes.
//
// `distribute` melds the two arms: all lanes execute the instructions that both arms have, on
// operands that each lane selects, and an instruction of only one arm is predicated (branch
// distribution of Han and Abdelrahman). It needs no promise and no loop over tasks: every lane
// computes what it did before, in the same order. nvcc does this by itself when the two arms are
// identical to the last instruction; here they end differently.
//
//	cccnvcc -O3 -std=c++17 -arch=native distribute.cu -o distribute
//	distribute [--rays N] [--blocks B]              2^24 rays by default

#include "sample.cuh"

constexpr int COLOURS = 16;

// cosine: of the angle to the surface normal; depth: length of the way through the glass
struct Ray { float cosine, depth; bool inside; };

__host__ __device__ inline float index_of(int colour) { return 1.45f + 0.005f * (float)colour; }

// The transmitted share of unpolarised light, from index a to index b.
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
		#pragma unroll 1        // otherwise the compiler gives the two loops different shapes
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
		// near the angle of total reflection, the root amplifies a rounding error
		ok = ok && std::fabs(got[i] - want) <= 2e-3f * (1 + want);
	}
	return result(ok, ms, "%d rays, %d colours", n, COLOURS);
}
