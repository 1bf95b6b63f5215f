// Iteration delaying and predicted reconvergence: each lane keeps its iterations, in order, and waits for others.
#ifndef KERNELS
#define KERNELS "delay.cu"
#include "gpu_test.cuh"
int main()
{
	RUN(k_live);
	RUN(k_live_few);
	RUN(k_majority);
	RUN(k_cycle);
	RUN(k_cycle_idle);
	RUN(k_one_arm);
	RUN(k_leaves);
	RUN(k_in_if);
	RUN(k_two_waits);
	RUN(k_predict);
	RUN(k_predict_hard);
	RUN(k_merge);
	RUN(k_merge_hard);
	RUN(k_merge_breaks);
	RUN(k_merge_in_while);
	RUN(k_half_of_if);
	RUN(k_beside);
	RUN(k_statement_in_loop);
	RUN(k_loop_in_statement);
	RUN(k_three_deep);
	RUN(k_inner_ends);
	RUN(k_switch);
	RUN(k_call);
	RUN(k_call_chain);
	return finish();
}
#else
static __device__ __noinline__ unsigned walk(unsigned s, unsigned until)
{
	while (s % until)
		s = mix(s);
	return s;
}

// Both arms, and state that is carried through them.
__global__ void k_live(Args g)
{
	unsigned s = thread_id(), t = 1;
	CCC(for)
	for (int i = thread_id(); i < g.n; i += thread_count()) {
		s = s * 5 + g.in[i];
		CCC(delay)
		if ((s & 7) < g.k)
			while (s % 9)
				s = mix(s);
		else {
			t = t * 3 + s;
			while (t % 5)
				t = mix(t + i);
		}
		g.out[i] = s ^ t;
	}
	g.per_thread[thread_id()] = s + t;
}

__global__ void k_live_few(Args g)
{
	unsigned s = thread_id();
	CCC(for)
	for (int i = thread_id(); i < g.n; i += thread_count()) {
		s = s * 5 + g.in[i];
		CCC(delay policy(live) threshold(3))
		if (s & 8 && (s & 7) < g.k)
			s = walk(s, 11);
		else
			s = walk(s ^ 77, 7);
	}
	g.per_thread[thread_id()] = s;
}

__global__ void k_majority(Args g)
{
	unsigned s = thread_id();
	CCC(for)
	for (int i = thread_id() % 7; i < g.n; i += 61 + thread_id() % 5) {
		s = s * 5 + g.in[i];
		CCC(delay policy(majority))
		if ((s & 7) < g.k)
			s = walk(s, 11);
		else
			s = walk(s ^ 77, 7);
	}
	g.per_thread[thread_id()] = s;
}

__global__ void k_cycle(Args g)
{
	unsigned s = thread_id();
	CCC(for)
	for (int i = thread_id(); i < g.n; i += thread_count()) {
		s = s * 5 + g.in[i];
		CCC(delay policy(cycle(2, 1)))
		if ((s & 7) < g.k)
			s = walk(s, 11);
		else
			s = walk(s ^ 77, 7);
	}
	g.per_thread[thread_id()] = s;
}

__global__ void k_cycle_idle(Args g)
{
	unsigned s = thread_id();
	CCC(for)
	for (int i = thread_id(); i < g.n; i += thread_count()) {
		s = s * 5 + g.in[i];
		CCC(delay policy(cycle) idle)
		if ((s & 7) < g.k)
			s = walk(s, 11);
		else
			s = walk(s ^ 77, 7);
	}
	g.per_thread[thread_id()] = s;
}

// Without an else branch: the other lanes wait at the start of their next iteration.
__global__ void k_one_arm(Args g)
{
	unsigned s = thread_id();
	CCC(for)
	for (int i = thread_id(); i < g.n; i += thread_count()) {
		s = s * 5 + g.in[i];
		CCC(delay policy(cycle(1, 3)))
		if ((s & 7) < g.k)
			s = walk(s, 11);
		g.out[i] = s;
	}
	g.per_thread[thread_id()] = s;
}

// Arms that leave the loop, end the thread or continue with the next iteration.
__global__ void k_leaves(Args g)
{
	unsigned s = 0;
	CCC(for)
	for (int i = thread_id(); i < g.n; i += thread_count()) {
		s += g.in[i];
		if (s % 17 == 3)
			continue;
		CCC(delay policy(majority) threshold(5))
		if ((s & 7) < g.k) {
			s = walk(s, 11);
			if (s % 31 == 3)
				break;
			if (s % 61 == 5)
				return;
		} else {
			s = walk(s ^ 77, 7);
			if (s % 5 == 1)
				continue;
			if (s % 71 == 8)
				break;
		}
		g.out[i] = s;
	}
	g.per_thread[thread_id()] = s;
}

// Some iterations reach neither arm.
__global__ void k_in_if(Args g)
{
	unsigned s = 0;
	CCC(for)
	for (int i = thread_id(); i < g.n; i += thread_count()) {
		s += g.in[i];
		if (s % 3) {
			CCC(delay policy(live) threshold(20))
			if ((s & 7) < g.k)
				s = walk(s, 11);
			else
				s = walk(s ^ 77, 7);
		}
		g.out[i] = s;
	}
	g.per_thread[thread_id()] = s;
}

__global__ void k_two_waits(Args g)
{
	unsigned s = thread_id();
	CCC(for)
	for (int i = thread_id(); i < g.n; i += thread_count()) {
		s = s * 5 + g.in[i];
		CCC(delay policy(wait(9)))
		if ((s & 7) < g.k)
			s = walk(s, 11);
		else
			s = walk(s ^ 77, 7);
	}
	g.per_thread[thread_id()] = s;
}

__global__ void k_predict(Args g)
{
	unsigned s = thread_id();
	CCC(for)
	for (int i = thread_id(); i < g.n; i += thread_count()) {
		s = s * 5 + g.in[i];
		if ((s & 7) < g.k) {
			s ^= 5;
			CCC(predict threshold(12))
			s = walk(s, 11);
		}
		g.out[i] = s;
	}
	g.per_thread[thread_id()] = s;
}

__global__ void k_predict_hard(Args g)
{
	unsigned s = thread_id();
	CCC(for)
	for (int i = thread_id(); i < g.n; i += thread_count()) {
		s = s * 5 + g.in[i];
		if ((s & 7) < g.k)
			CCC(predict) {
			while (s % 9)
				s = mix(s);
		}
		if (s % 101 == 7)
			break;
		g.out[i] = s;
	}
	g.per_thread[thread_id()] = s;
}

// Two predictions side by side; lanes of the first one also reach the second one.
__global__ void k_beside(Args g)
{
	unsigned s = thread_id();
	CCC(for)
	for (int i = thread_id(); i < g.n; i += thread_count()) {
		s = s * 5 + g.in[i];
		if ((s & 7) < g.k)
			CCC(predict threshold(12))
			s = walk(s, 11);
		if ((s & 3) == 1) {
			g.out[i] = s;
			CCC(predict threshold(6))
			s = walk(s ^ 9, 7);
		}
		g.out[i] ^= s;
	}
	g.per_thread[thread_id()] = s;
}

__global__ void k_statement_in_loop(Args g)
{
	unsigned s = 0;
	CCC(for)
	for (int i = thread_id(); i < g.n; i += thread_count()) {
		CCC(predict threshold(20))
		for (unsigned k = g.in[i] & 15; k; --k) {
			s = mix(s + k);
			if ((s & 7) < g.k) {
				CCC(predict threshold(8))
				s = walk(s, 13);
			}
		}
		g.out[i] = s;
	}
	g.per_thread[thread_id()] = s;
}

// Not every iteration reaches the loop: lanes also wait at the start of the outer loop.
__global__ void k_loop_in_statement(Args g)
{
	unsigned s = thread_id();
	CCC(for)
	for (int i = thread_id(); i < g.n; i += thread_count()) {
		s = s * 5 + g.in[i];
		if ((s & 7) < g.k) {
			CCC(predict threshold(10)) {
				s ^= 5;
				CCC(predict threshold(16))
				for (unsigned k = s & 31; k; --k)
					s = mix(s + k);
				g.out[i] = s;
			}
		}
		s += 3;
	}
	g.per_thread[thread_id()] = s;
}

__global__ void k_three_deep(Args g)
{
	unsigned s = 1;
	CCC(for)
	for (int i = thread_id(); i < g.n; i += thread_count()) {
		CCC(predict threshold(24))
		for (unsigned k = g.in[i] & 7; k; --k) {
			s = mix(s + k);
			CCC(predict threshold(16))
			for (unsigned l = s & 7; l; --l) {
				s = mix(s + l);
				if ((s & 3) < g.k)
					CCC(predict)
					s = walk(s, 5);
			}
		}
		g.out[i] = s;
	}
	g.per_thread[thread_id()] = s;
}

// Lanes leave all loops from the innermost one.
__global__ void k_inner_ends(Args g)
{
	unsigned s = thread_id();
	CCC(for)
	for (int i = thread_id(); i < g.n; i += thread_count()) {
		CCC(predict threshold(9))
		for (unsigned k = g.in[i] & 31; k; --k) {
			s = mix(s + k);
			if (s % 61 == 9)
				goto out;
			if (s % 5 == 2) {
				CCC(predict threshold(5))
				s = walk(s, 9);
				if (s % 7 == 3)
					return;
			}
		}
		g.out[i] = s;
	}
out:
	g.per_thread[thread_id()] = s;
}

// Lanes whose inner loop has ended fetch their next iteration when enough of them have ended.
__global__ void k_merge(Args g)
{
	unsigned s = 0;
	CCC(for)
	for (int i = thread_id(); i < g.n; i += thread_count()) {
		unsigned x = g.in[i];
		CCC(predict threshold(24))
		for (unsigned k = x & 15; k; --k)
			s = mix(s + k);
		g.out[i] = s;
	}
	g.per_thread[thread_id()] = s;
}

__global__ void k_merge_hard(Args g)
{
	unsigned s = 0;
	CCC(for)
	for (int i = thread_id(); i < g.n; i += thread_count()) {
		unsigned x = g.in[i];
		CCC(predict)
		do {
			s = mix(s + x);
			x >>= 3;
		} while (x & 1);
		g.out[i] = s;
	}
	g.per_thread[thread_id()] = s;
}

// The inner loop has several exits; some leave both loops.
__global__ void k_merge_breaks(Args g)
{
	unsigned s = 0;
	CCC(for)
	for (int i = thread_id(); i < g.n; i += thread_count()) {
		unsigned x = g.in[i];
		if (x % 5 == 2)
			continue;
		CCC(predict threshold(8))
		for (unsigned k = x & 15; k; --k) {
			s = mix(s + k);
			if (s % 13 == 4)
				break;
			if (s % 251 == 9)
				return;
			if (s % 241 == 9)
				goto out;
		}
		g.out[i] = s;
	}
out:
	g.per_thread[thread_id()] = s;
}

__global__ void k_merge_in_while(Args g)
{
	unsigned s = thread_id();
	int i = thread_id() % (g.n + 1);
	CCC(for policy(wait(5)))
	while (i < g.n) {
		unsigned x = g.in[i] & 7;
		CCC(for var)
		while (x--)
			s = mix(s + x);
		i += 50 + s % 7;
	}
	g.per_thread[thread_id()] = s;
}

// The most expensive case is one wait point, the next iteration is the other.
__global__ void k_switch(Args g)
{
	unsigned s = thread_id();
	CCC(for)
	for (int i = thread_id(); i < g.n; i += thread_count()) {
		s = s * 5 + g.in[i];
		CCC(switch policy(live) threshold(10))
		switch (s % 5) {
		case 0:
			s = walk(s + 1, 11);
			s = walk(s + i, 13);
			break;
		case 2:
			s ^= 77;
			break;
		default:
			s += 3;
		}
		g.out[i] = s;
	}
	g.per_thread[thread_id()] = s;
}

// Both arms of a branch call the same function; lanes also wait before the rest of the loop.
__global__ void k_call(Args g)
{
	unsigned s = thread_id();
	CCC(for)
	for (int i = thread_id(); i < g.n; i += thread_count()) {
		s = s * 5 + g.in[i];
		if ((s & 7) < g.k) {
			s = mix(s) + 3;
			CCC(predict)
			s = walk(s, 11);
			s ^= i;
		} else {
			const unsigned t = s >> 3;
			CCC(predict)
			s = walk(t, 11);
			s += t;
		}
		CCC(delay)
		if (s & 2)
			while (s % 9)
				s = mix(s);
		g.out[i] = s;
	}
	g.per_thread[thread_id()] = s;
}

__global__ void k_call_chain(Args g)
{
	unsigned s = thread_id();
	CCC(for policy(converge))
	for (int i = thread_id(); i < g.n; i += thread_count()) {
		s = s * 5 + g.in[i];
		if ((s & 7) < 2) {
			CCC(predict)
			s = walk(s, 11);
		} else if ((s & 7) < 4) {
			CCC(predict)
			s = walk(s + 1, 11);
		} else if ((s & 7) < 6) {
			CCC(predict)
			s = walk(s ^ 5, 11);
		}
		g.out[i] = s;
	}
	g.per_thread[thread_id()] = s;
}

__global__ void k_half_of_if(Args g)
{
	unsigned s = thread_id();
	CCC(for policy(majority) threshold(11))
	for (int i = thread_id(); i < g.n; i += thread_count()) {
		s = s * 5 + g.in[i];
		CCC(if)
		if ((s & 7) < g.k)
			s = walk(s, 11);
		g.out[i] = s;
	}
	g.per_thread[thread_id()] = s;
}
#endif
// SPDX-License-Identifier: MIT
