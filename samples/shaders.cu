// SPDX-License-Identifier: MIT
// Shaders as virtual functions: each thread shades one hit by the material that was hit, which it calls through the material's table
// of functions. The compiler sees one call, not a branch, and a warp runs the functions of all its materials, each for a few lanes.
// `#pragma ccc remap key(kind)` lets the threads of a block exchange their hits by the kind of material before the call, as Shader
// Execution Reordering does it for rays.
//
//	cccnvcc -O3 -arch=native shaders.cu -o shaders                       with exchange
//	nvcc -diag-suppress 20199 -O3 -arch=native shaders.cu -o shaders     without
//
//	shaders [--hits N] [--rounds R]      16777216 hits, 64 rounds of each shader by default
//
// Prints the kernel time and "ok" or "WRONG" (against the CPU).
#include <new>
#include "sample.cuh"

constexpr int BLOCK = 256, KINDS = 5;

// Integer arithmetic, so that the CPU computes the same.
struct Material {
	__host__ __device__ virtual unsigned shade(unsigned x, int rounds) const = 0;
};

template <int KIND> struct Kind : Material {
	__host__ __device__ unsigned shade(unsigned x, int rounds) const override
	{
		for (int k = 0; k < rounds; ++k)
			switch (KIND) {
			case 0: x = (x ^ x >> 15) * 0x2c1b3c6du + k; break;
			case 1: x = (x << 7 | x >> 25) + (x ^ 0x9e3779b9u) * 5; break;
			case 2: x ^= (x * 3 + (x >> 4)) << 3; break;
			case 3: x = x * 0x85ebca6bu ^ x >> 13; break;
			default: x = (x ^ 0x27d4eb2fu * k) + (x >> 9) * 11; break;
			}
		return x;
	}
};

struct Slot { alignas(Material) char bytes[sizeof(Kind<0>)]; };

// Objects with virtual functions work only where they were made.
__host__ __device__ inline void make(Slot *at)
{
	new (at + 0) Kind<0>;
	new (at + 1) Kind<1>;
	new (at + 2) Kind<2>;
	new (at + 3) Kind<3>;
	new (at + 4) Kind<4>;
}

__global__ void make_materials(Slot *at)
{
	make(at);
}

__global__ void __launch_bounds__(BLOCK)
shade(int n, const unsigned *hit, const Slot *slots, unsigned *color, int rounds)
{
	const int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i >= n)
		return;
	const unsigned kind = hit[i] % KINDS, x = hit[i] / KINDS;
	const Material *const material = reinterpret_cast<const Material *>(slots + kind);
	#pragma ccc remap key(kind) paths(5)
	color[i] = material->shade(x, rounds);
}

int main(int argc, char **argv)
{
	int n = 1 << 24, rounds = 64;
	read_options(argc, argv, {{"hits", &n}, {"rounds", &rounds}});
	std::vector<unsigned> hits(n);
	unsigned s = 12345;
	for (unsigned &h : hits) {
		s ^= s << 13;
		s ^= s >> 17;
		s ^= s << 5;
		h = s;
	}

	Array<unsigned> hit(hits), color(n);
	Array<Slot> slots(KINDS);
	make_materials<<<1, 1>>>(slots);
	CHECK(cudaGetLastError());
	const float ms = best_ms([&] { color.fill(0xff); },
		[&] { shade<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(n, hit, slots, color, rounds); });

	const std::vector<unsigned> got = color.host();
	Slot mine[KINDS];
	make(mine);
	bool ok = true;
	for (int i = 0; i < n; i += 1 + n / 100000) {
		const Material *m = reinterpret_cast<const Material *>(mine + hits[i] % KINDS);
		ok = ok && got[i] == m->shade(hits[i] / KINDS, rounds);
	}
	return result(ok, ms, "%d hits, %d rounds", n, rounds);
}
