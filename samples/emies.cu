// SPDX-License-Identifier: MIT
// Waves from many sources, as in electromagnetic integral equations (one of the CCC paper's
// programs), one thread per observer. The sources lie in 512 boxes. Sources of a box near the
// observer are summed one by one; a far box counts as a whole. Few boxes are near, but then 48 to 80
// sources are much work, while the lanes for which that box is far wait.
//
// `if` collects the near boxes: a task is an observer and a box. Its sum belongs to the observer,
// which is in another lane. The path's contribution to `sum` goes into a slot of that lane and is
// added when the loop ends: `reduction` says that the order of the additions may change. The else
// branch is short and common, and is left where it is.
//
//	cccnvcc -O3 -std=c++17 -arch=native emies.cu -o emies
//	emies [--observers N] [--blocks B]      2^18 observers by default

#include "sample.cuh"

constexpr int SIDE = 8, BOXES = SIDE * SIDE * SIDE;
constexpr float WAVE = 25, NEAR2 = 1.5f / SIDE * (1.5f / SIDE);

// Place and charge; the charge of a box is the sum of those of its sources.
struct Source { float x, y, z, charge; };
struct Box { Source whole; int first, end; };

__host__ __device__ inline float square(Source s, float4 o)
{
	const float x = o.x - s.x, y = o.y - s.y, z = o.z - s.z;
	return x * x + y * y + z * z + 1e-6f;
}
__host__ __device__ inline void add_wave(float charge, float r2, float2 &sum)
{
	const float r = sqrtf(r2), turns = WAVE / 3.14159265f * r;
	sum.x += charge / r * cospif(turns);
	sum.y -= charge / r * sinpif(turns);
}

__host__ __device__ inline float2 field(float4 observer, const Box *box, const Source *source)
{
	float2 sum = make_float2(0, 0);
	#pragma ccc for
	for (int b = 0; b < BOXES; ++b) {
		const float r2 = square(box[b].whole, observer);
		#pragma ccc if reduction(+: sum)
		if (r2 < NEAR2)
			for (int k = box[b].first; k < box[b].end; ++k)
				add_wave(source[k].charge, square(source[k], observer), sum);
		else
			add_wave(box[b].whole.charge, r2, sum);
	}
	return sum;
}

__global__ void fields(
	int n, const float4 *observer, const Box *box, const Source *source, float2 *out)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		out[i] = field(observer[i], box, source);
}

static void make_boxes(std::vector<Box> &boxes, std::vector<Source> &sources)
{
	unsigned seed = 0;
	for (int b = 0; b < BOXES; ++b) {
		const int x = b / (SIDE * SIDE), y = b / SIDE % SIDE, z = b % SIDE;
		const auto within = [](int box, float part) { return ((float)box + part) / SIDE; };
		Box box = {{within(x, 0.5f), within(y, 0.5f), within(z, 0.5f), 0}, 0, 0};
		box.first = (int)sources.size();
		for (int k = 48 + (int)(random32(b) % 33); k; --k, seed += 4) {
			sources.push_back({within(x, random01(seed)), within(y, random01(seed + 1)),
				within(z, random01(seed + 2)), random01(seed + 3) - 0.25f});
			box.whole.charge += sources.back().charge;
		}
		box.end = (int)sources.size();
		boxes.push_back(box);
	}
}

int main(int argc, char **argv)
{
	int n = 1 << 18;
	read_options(argc, argv, {{"observers", &n}});
	std::vector<Box> boxes;
	std::vector<Source> sources;
	make_boxes(boxes, sources);
	std::vector<float4> observers;
	for (int i = 0; i < n; ++i)
		observers.push_back(make_float4(
			random01(3 * i + 1), random01(3 * i + 2), random01(3 * i + 3), 0));

	Array<Box> box(boxes);
	Array<Source> source(sources);
	Array<float4> observer(observers);
	Array<float2> out(n);
	const int blocks = resident_blocks(fields, 256);
	const float ms = best_ms([&] { out.fill(0xff); },
		[&] { fields<<<blocks, 256>>>(n, observer, box, source, out); });

	const std::vector<float2> got = out.host();
	bool ok = true;
	for (int i = 0; i < n; i += 1 + n / 2000) {
		const float2 want = field(observers[i], boxes.data(), sources.data());
		const double size = std::hypot(want.x, want.y) + 1;
		ok = ok && std::fabs(got[i].x - want.x) < 1e-2 * size &&
			std::fabs(got[i].y - want.y) < 1e-2 * size;
	}
	return result(ok, ms, "%d observers, %zu sources", n, sources.size());
}
