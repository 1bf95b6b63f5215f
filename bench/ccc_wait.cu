// SPDX-License-Identifier: MIT
// A Monte Carlo loop with one stream of random numbers per thread: a cheap step in each iteration, and in some iterations a long event
// that draws from the same stream and adds to a sum whose order matters. It cannot be collected, since each event continues
// the stream where the previous one left it; but lanes can wait for each other before it. By hand: until 16 wait.
#include "programs.cuh"

struct Args { int n, length; unsigned share; float *out; };        // share: iterations with an event, of 1024

static __device__ __forceinline__ uint32_t draw(uint32_t &seed)
{
	return seed = seed * 1664525u + 1013904223u;
}
static __device__ __forceinline__ float step(uint32_t &seed, float e)
{
	return __fmaf_rn(e, 0.75f, __fmul_rn(float(draw(seed) >> 8), 0x1p-24f));
}
static __device__ __forceinline__ bool happens(const Args &a, uint32_t seed)
{
	return (seed >> 4) % 1024u < a.share;
}
static __device__ __forceinline__ float event(const Args &a, uint32_t &seed, float sum)
{
	for (int k = 0; k < a.length; ++k) {
		const float u = __fmul_rn(float(draw(seed) >> 8), 0x1p-24f);
		sum = __fmaf_rn(sum, 0.999f, __fdividef(u, __fmaf_rn(sum, sum, 1.0f)));
	}
	return sum;
}

static __global__ void __launch_bounds__(BLOCK) k_base(Args a)
{
	const int id = blockIdx.x * BLOCK + threadIdx.x;
	uint32_t seed = mix(id + 1u);
	float sum = 0, e = 0.5f;
#pragma unroll 1
	for (int i = 0; i < a.n; ++i) {
		e = step(seed, e);
		if (happens(a, seed))
			sum = event(a, seed, sum);
	}
	a.out[id] = sum + e;
}

static __global__ void __launch_bounds__(BLOCK) k_ccc(Args a)
{
	const int id = blockIdx.x * BLOCK + threadIdx.x;
	uint32_t seed = mix(id + 1u);
	float sum = 0, e = 0.5f;
	#pragma ccc for
	for (int i = 0; i < a.n; ++i) {
		e = step(seed, e);
		#pragma ccc if
		if (happens(a, seed))
			sum = event(a, seed, sum);
	}
	a.out[id] = sum + e;
}

static __global__ void __launch_bounds__(BLOCK) k_hand(Args a)
{
	const int id = blockIdx.x * BLOCK + threadIdx.x;
	uint32_t seed = mix(id + 1u);
	float sum = 0, e = 0.5f;
	bool waits = false;
	for (int i = 0;;) {
		const unsigned waiting = __ballot_sync(FULL, waits), in = __ballot_sync(FULL, i < a.n || waits);
		if (!in)
			break;
		if (__popc(waiting) >= 16 || waiting == in) {
			if (waits)
				sum = event(a, seed, sum);
			waits = false;
		} else if (i < a.n && !waits) {
			e = step(seed, e);
			waits = happens(a, seed);
			++i;
		}
	}
	a.out[id] = sum + e;
}

static void bench_events(Bench &b, int length, unsigned share)
{
	char name[64];
	snprintf(name, sizeof name, "%d steps, 1 in %u", length, 1024 / share);
	const int blocks = b.o.small ? 2 : fill_device(b.o, k_base), threads = blocks * BLOCK;
	const int n = size_of_work(b.o, 20000, 4000, 60) / (8 + length * int(share) / 256) + 1;
	const Args args{n, length, share, on_device<float>(threads)};
	std::vector<float> want;
	const auto variant = [&](const char *what, void (*kernel)(Args)) -> Variant {
		return {what, [=] { kernel<<<blocks, BLOCK>>>(args); }, [&] {
			const std::vector<float> got = to_host(args.out, threads);
			if (want.empty())
				want = got;
			return !memcmp(got.data(), want.data(), got.size() * sizeof(float));
		}};
	};
	measure(b, name, [=] { CHECK(cudaMemset(args.out, 0xff, threads * sizeof(float))); },
		{variant("base", k_base), variant("annotated", k_ccc), variant("by hand", k_hand)});
	CHECK(cudaFree(args.out));
}

int main(int argc, char **argv)
{
	Bench b{"wait", read_options(argc, argv)};
	for (int length : {10, 40, 160})
		for (unsigned share : {32u, 128u, 256u, 512u})
			bench_events(b, length, share);
	return b.all_right ? 0 : 1;
}
