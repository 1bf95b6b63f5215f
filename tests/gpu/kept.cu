// SPDX-License-Identifier: MIT
// Lane invariants: values that do not change in a loop but differ between lanes. Each lane stores its own once, for all of its tasks. The
// loops are nested in loops that lanes leave at different times, so some lanes enter the next loop while others are still in the last one.
#ifndef KERNELS
#define KERNELS "kept.cu"
#include "gpu_test.cuh"
int main()
{
	RUN(k_words);
	RUN(k_queue);
	RUN(k_turns);
	RUN(k_threshold);
	RUN(k_sum);
	RUN(k_kinds);
	RUN(k_predicates);
	RUN(k_two_paths);
	RUN(k_alternatives);
	RUN(k_nested);
	RUN(k_steps);
	return finish();
}
#else
// A lane's values of round r; they are loaded, so they are not recomputed.
__device__ __forceinline__ int place(Args g, int r) { return (thread_id() * 7 + r * 31) % (g.n + 1); }
#define SIX(from) const unsigned a = from[0], b = from[1], c = from[2], d = from[3], e = from[4], f = from[5];
#define MANY(x) (mix(a ^ (x)) + mix(b ^ (x)) * mix(c ^ (x)) - mix(d ^ (x)) + mix(e ^ (x)) * mix(f ^ (x)))
#define ROUNDS(r) for (int r = 0; r < 1 + (thread_id() & 3); ++r)

#define WORDS(name, ...) \
	__global__ void name(Args g) \
	{ \
		ROUNDS(r) { \
			const int *from = g.in + place(g, r); \
			SIX(from) \
			CCC(for __VA_ARGS__) \
			GRID_STRIDE(i) { \
				CCC(if) \
				if (wants(g, i)) \
					atomicAdd(g.out + i, MANY(i)); \
			} \
		} \
	}
WORDS(k_words, policy(stack))
WORDS(k_queue, policy(queue))
WORDS(k_turns, policy(queue(2)))
WORDS(k_threshold, policy(stack) threshold(20))

__global__ void k_sum(Args g)
{
	unsigned s = 0;
	ROUNDS(r) {
		const unsigned a = g.in[place(g, r)], b = g.in[place(g, r) + 1];
		CCC(for policy(stack))
		GRID_STRIDE(i) {
			CCC(if)
			if (wants(g, i))
				s += mix(a + i) ^ mix(b - i);
		}
	}
	g.per_thread[thread_id()] = s;
}

__global__ void k_kinds(Args g)
{
	unsigned s = 0;
	ROUNDS(r) {
		const int at = place(g, r);
		const double d = g.in_double[at];
		const long long w = g.in64[at];
		short h = (short)g.in[at];
		const float4 f = g.in4[at];
		bool odd = g.in[at + 1] & 1, high = g.in[at + 2] > 1000;
		asm volatile("" : "+h"(h));
		CCC(for policy(queue) threads(256))
		GRID_STRIDE(i) {
			CCC(if)
			if (wants(g, i)) {
				unsigned v = mix(i + (int)(d * i)) + mix((unsigned)((w ^ i) % 1000003)) + (h ^ i) * 3;
				v = odd ? v * 3 : v + 1;
				v += mix((unsigned)(int)(f.x * i + f.y * v));
				s += high ? mix(v) : v;
			}
		}
	}
	g.per_thread[thread_id()] = s;
}

__global__ void k_predicates(Args g)
{
	unsigned s = 0;
	ROUNDS(r) {
		const int x = g.in[place(g, r)], y = g.in[place(g, r) + 1];
		const bool p = x & 1, q = x & 2, t = y > 0, u = x > y;
		CCC(for)
		GRID_STRIDE(i) {
			CCC(if policy(stack))
			if (wants(g, i)) {
				unsigned v = mix(i);
				if (p) v = mix(v + 1);
				if (q) v = mix(v + 2);
				if (t) v = mix(v + 3);
				if (u) v = mix(v + 4);
				s += v;
			}
		}
	}
	g.per_thread[thread_id()] = s;
}

__global__ void k_two_paths(Args g)
{
	ROUNDS(r) {
		const int *from = g.in + place(g, r);
		SIX(from)
		CCC(for threads(256))
		GRID_STRIDE(i) {
			const int v = g.in[i];
			CCC(if policy(stack))
			if ((v & 7) < g.k)
				atomicAdd(g.out + i, MANY(v));
			CCC(if policy(queue))
			if ((v & 0x18) == 8)
				atomicAdd(g.out2 + i, MANY(i));
		}
	}
}

__global__ void k_alternatives(Args g)
{
	ROUNDS(r) {
		const int *from = g.in + place(g, r);
		SIX(from)
		CCC(for policy(queue) threads(256))
		GRID_STRIDE(i) {
			CCC(switch paths(8))
			switch (g.in[i] & 7) {
			case 0: atomicAdd(g.out + i, MANY(i)); break;
			case 1: atomicAdd(g.out + i, MANY(i + 3)); break;
			case 2: atomicAdd(g.out + i, MANY(i * 5)); break;
			case 5: atomicAdd(g.out + i, MANY(~i)); break;
			default: break;
			}
		}
	}
}

__global__ void k_nested(Args g)
{
	ROUNDS(r) {
		const int *from = g.in + place(g, r);
		SIX(from)
		CCC(for policy(stack) threads(256))
		GRID_STRIDE(i) {
			const unsigned v = g.in[i];
			CCC(if)
			if ((v & 7) < g.k) {
				atomicAdd(g.out + i, MANY(i));
				CCC(if)
				if (v & 64)
					atomicAdd(g.out2 + i, MANY(v));
			}
		}
	}
}

__global__ void k_steps(Args g)
{
	ROUNDS(r) {
		const int *from = g.in + place(g, r);
		SIX(from)
		CCC(for)
		GRID_STRIDE(i) {
			unsigned v = g.in[i], within = ~0u;     // fewer bits in each step, so it ends
			CCC(while policy(stack))
			while (v & 15) {
				v = (mix(v ^ a) + MANY(v)) & within;
				within >>= 1;
				atomicAdd(g.out + i, v);
			}
		}
	}
}
#endif
