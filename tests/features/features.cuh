// SPDX-License-Identifier: MIT
// A file of kernels includes this header, which includes the file once per policy, in a namespace of that name. In `plain`, annotations
// expand to nothing. main() runs each kernel of each namespace with the same input and launches, and prints a hash of its output. With
// ONLY_PLAIN the source contains no annotation.
//
//	FOR, SEQ	a loop with independent iterations; one with dependent iterations, annotated only for policies under which lanes keep their iterations
//	LATER		as SEQ, but the test reads what the path wrote in an earlier iteration, which `ahead` does not support unless it detects it
//	FORV		as FOR, with an inner loop
//	IF, SIF, LIF	a path; one in a SEQ loop; one in a LATER loop
//	VAR, WHILE	an inner loop
//	LAUNCH(k)	the usual launch of kernel k; a kernel with another one defines launch_k() itself
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>
#ifdef HEADERS
#include HEADERS
#endif

struct G {
	int n;
	const unsigned *in; // random
	unsigned *out;      // n, by item
	unsigned *thread;   // by thread of the grid
	unsigned *count;    // 64 counters
	float *f;           // n
};
enum { N = 900, THREADS = 1024, COUNTS = 64, WORDS = 2 * N + THREADS + COUNTS };

__device__ __forceinline__ int thread_id() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ __forceinline__ int threads() { return gridDim.x * blockDim.x; }
__device__ __forceinline__ unsigned mix(unsigned x)
{
	x = (x ^ x >> 16) * 0x85ebca6bu;
	x = (x ^ x >> 13) * 0xc2b2ae35u;
	return x ^ x >> 16;
}
__device__ __forceinline__ unsigned work(unsigned x) // a long computation
{
#pragma unroll
	for (int k = 0; k < 12; k++)
		x = mix(x + k);
	return x;
}
__device__ __forceinline__ bool rare(unsigned x) { return (x & 7) == 3; }
#define EACH(i) for (int i = thread_id(); i < g.n; i += threads())
#define LAUNCH(k) inline void launch_##k(const G &g, int blocks, int block) { k<<<blocks, block>>>(g); }

#define CCC_PRAGMA(x) _Pragma(#x)
#define CCC(...) CCC_PRAGMA(ccc __VA_ARGS__)
#define FOR
#define FORV
#define SEQ
#define IF
#define SIF
#define LATER
#define LIF
#define VAR
#define WHILE
#define POLICY 0
namespace plain {
#include KERNELS
}
#undef FOR
#undef FORV
#undef SEQ
#undef IF
#undef SIF
#undef LATER
#undef LIF
#undef VAR
#undef WHILE
#undef POLICY
#ifndef ONLY_PLAIN
#define FOR CCC(for policy(stack))
#define FORV CCC(for policy(stack))
#define SEQ
#define IF CCC(if)
#define SIF
#define LATER
#define LIF
#define VAR CCC(for var policy(stack))
#define WHILE CCC(while policy(stack))
#define POLICY 1
namespace stack {
#include KERNELS
}
#undef FOR
#undef FORV
#undef SEQ
#undef IF
#undef SIF
#undef LATER
#undef LIF
#undef VAR
#undef WHILE
#undef POLICY
#define FOR CCC(for policy(queue))
#define FORV CCC(for policy(queue))
#define SEQ
#define IF CCC(if)
#define SIF
#define LATER
#define LIF
#define VAR CCC(for var policy(queue))
#define WHILE CCC(while policy(queue))
#define POLICY 2
namespace queue {
#include KERNELS
}
#undef FOR
#undef FORV
#undef SEQ
#undef IF
#undef SIF
#undef LATER
#undef LIF
#undef VAR
#undef WHILE
#undef POLICY
#define FOR CCC(for policy(queue(4)))
#define FORV CCC(for policy(queue(4)))
#define SEQ
#define IF CCC(if)
#define SIF
#define LATER
#define LIF
#define VAR CCC(for var policy(expand))
#define WHILE
#define POLICY 3
namespace queue4 {
#include KERNELS
}
#undef FOR
#undef FORV
#undef SEQ
#undef IF
#undef SIF
#undef LATER
#undef LIF
#undef VAR
#undef WHILE
#undef POLICY
#define FOR
#define FORV CCC(for)
#define SEQ
#define IF
#define SIF
#define LATER
#define LIF
#define VAR CCC(for var policy(expand(choose)))
#define WHILE CCC(while)
#define POLICY 4
namespace expand {
#include KERNELS
}
#undef FOR
#undef FORV
#undef SEQ
#undef IF
#undef SIF
#undef LATER
#undef LIF
#undef VAR
#undef WHILE
#undef POLICY
#define FOR CCC(for policy(ahead))
#define FORV CCC(for policy(ahead))
#define SEQ CCC(for policy(ahead))
#define IF CCC(if)
#define SIF CCC(if)
#define LATER
#define LIF
#define VAR
#define WHILE
#define POLICY 5
namespace ahead {
#include KERNELS
}
#undef FOR
#undef FORV
#undef SEQ
#undef IF
#undef SIF
#undef LATER
#undef LIF
#undef VAR
#undef WHILE
#undef POLICY
#define FOR CCC(for policy(wait(8)))
#define FORV CCC(for policy(wait(8)))
#define SEQ CCC(for policy(wait(8)))
#define IF CCC(if)
#define SIF CCC(if)
#define LATER CCC(for policy(wait(8)))
#define LIF CCC(if)
#define VAR
#define WHILE
#define POLICY 6
namespace wait {
#include KERNELS
}
#undef FOR
#undef FORV
#undef SEQ
#undef IF
#undef SIF
#undef LATER
#undef LIF
#undef VAR
#undef WHILE
#undef POLICY
#define FOR CCC(for policy(converge))
#define FORV CCC(for policy(converge))
#define SEQ CCC(for policy(converge))
#define IF CCC(if)
#define SIF CCC(if)
#define LATER CCC(for policy(converge))
#define LIF CCC(if)
#define VAR
#define WHILE
#define POLICY 7
namespace converge {
#include KERNELS
}
#undef FOR
#undef FORV
#undef SEQ
#undef IF
#undef SIF
#undef LATER
#undef LIF
#undef VAR
#undef WHILE
#undef POLICY
#define FOR CCC(for policy(majority))
#define FORV CCC(for policy(majority))
#define SEQ CCC(for policy(majority))
#define IF CCC(if)
#define SIF CCC(if)
#define LATER CCC(for policy(majority))
#define LIF CCC(if)
#define VAR
#define WHILE
#define POLICY 8
namespace majority {
#include KERNELS
}
#undef FOR
#undef FORV
#undef SEQ
#undef IF
#undef SIF
#undef LATER
#undef LIF
#undef VAR
#undef WHILE
#undef POLICY
#define FOR CCC(for policy(live))
#define FORV CCC(for policy(live))
#define SEQ CCC(for policy(live))
#define IF CCC(if)
#define SIF CCC(if)
#define LATER CCC(for policy(live))
#define LIF CCC(if)
#define VAR
#define WHILE
#define POLICY 9
namespace live {
#include KERNELS
}
#undef FOR
#undef FORV
#undef SEQ
#undef IF
#undef SIF
#undef LATER
#undef LIF
#undef VAR
#undef WHILE
#undef POLICY
#define FOR CCC(for policy(cycle(2,1)))
#define FORV CCC(for policy(cycle(2,1)))
#define SEQ CCC(for policy(cycle(2,1)))
#define IF CCC(if)
#define SIF CCC(if)
#define LATER CCC(for policy(cycle(2,1)))
#define LIF CCC(if)
#define VAR
#define WHILE
#define POLICY 10
namespace cycle {
#include KERNELS
}
#undef FOR
#undef FORV
#undef SEQ
#undef IF
#undef SIF
#undef LATER
#undef LIF
#undef VAR
#undef WHILE
#undef POLICY
#define FOR
#define FORV CCC(for)
#define SEQ
#define IF
#define SIF
#define LATER
#define LIF
#define VAR CCC(for var policy(flatten))
#define WHILE CCC(while policy(flatten))
#define POLICY 11
namespace flatten {
#include KERNELS
}
#undef FOR
#undef FORV
#undef SEQ
#undef IF
#undef SIF
#undef LATER
#undef LIF
#undef VAR
#undef WHILE
#undef POLICY
#define FOR CCC(for proven policy(ahead))
#define FORV CCC(for proven policy(ahead))
#define SEQ CCC(for proven policy(ahead))
#define IF CCC(if proven)
#define SIF CCC(if proven)
#define LATER CCC(for proven policy(ahead))
#define LIF CCC(if proven)
#define VAR
#define WHILE
#define POLICY 12
namespace proven {
#include KERNELS
}
#undef FOR
#undef FORV
#undef SEQ
#undef IF
#undef SIF
#undef LATER
#undef LIF
#undef VAR
#undef WHILE
#undef POLICY
#endif

static bool wrong;
inline void check(cudaError_t e, const char *what)
{
	if (e == cudaSuccess)
		return;
	printf("%s: %s\n", what, cudaGetErrorString(e));
	exit(2);
}
#define CHECK(call) check(call, #call)

typedef void (*Launch)(const G &, int, int);
static unsigned run_one(Launch launch, int blocks, int block)
{
	static G g;
	static unsigned *words;
	if (!words) {
		std::vector<unsigned> in(N + 64);
		unsigned long long s = 1;
		for (unsigned &x : in)
			s = s * 6364136223846793005u + 1442695040888963407u, x = s >> 33;
		unsigned *p;
		CHECK(cudaMalloc(&p, in.size() * 4));
		CHECK(cudaMemcpy(p, in.data(), in.size() * 4, cudaMemcpyHostToDevice));
		CHECK(cudaMalloc(&words, WORDS * 4));
		g = { N, p, words, words + N, words + N + THREADS, (float *)words + N + THREADS + COUNTS };
	}
	CHECK(cudaMemset(words, 0, WORDS * 4));
	launch(g, blocks, block);
	CHECK(cudaGetLastError());
	CHECK(cudaDeviceSynchronize());
	std::vector<unsigned> v(WORDS);
	CHECK(cudaMemcpy(v.data(), words, WORDS * 4, cudaMemcpyDeviceToHost));
	unsigned h = 2166136261u;
	for (unsigned x : v)
		h = (h ^ x) * 16777619u, h ^= h >> 13;
	return h;
}
struct Named {
	const char *name;
	Launch launch;
};
inline void run(const char *kernel, std::initializer_list<Named> all)
{
	static const int shapes[][2] = { { 2, 96 }, { 3, 50 }, { 1, 1 } };
	unsigned want[3], h;
	bool first = true;
	const char *only = getenv("ONLY_KERNEL"), *policy = getenv("ONLY_POLICY");
	if (only && strcmp(only, kernel))
		return;
	for (const Named &n : all) {
		if (policy && !first && strcmp(policy, n.name))
			continue;
		for (int s = 0; s < 3; s++) {
			h = run_one(n.launch, shapes[s][0], shapes[s][1]);
			if (first)
				printf("%s %d %08x\n", kernel, s, want[s] = h);
			else if (h != want[s])
				printf("WRONG %s %s %d: %08x\n", kernel, n.name, s, h), wrong = true;
		}
		first = false;
	}
}
#ifdef ONLY_PLAIN
#define RUN(k) run(#k, { { "plain", plain::launch_##k } })
#else
#define NAMED(p, k) { #p, p::launch_##k }
#define RUN(k) run(#k, { NAMED(plain, k), NAMED(stack, k), NAMED(queue, k), NAMED(queue4, k), NAMED(expand, k), NAMED(ahead, k), NAMED(wait, k), NAMED(converge, k), \
	NAMED(majority, k), NAMED(live, k), NAMED(cycle, k), NAMED(flatten, k), NAMED(proven, k) })
#endif
inline int finish()
{
	printf(wrong ? "wrong\n" : "ok\n");
	return wrong;
}
