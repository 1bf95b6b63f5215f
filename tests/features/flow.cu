// SPDX-License-Identifier: MIT
// Control flow: goto, early return, breaks, nested loops, loops of each kind, switches, printf, assert and trap, exit.
#ifndef KERNELS
#define KERNELS "flow.cu"
#define HEADERS "flow.cuh"
#include "features.cuh"
int main()
{
	RUN(goto_forward); RUN(goto_path); RUN(goto_back); RUN(early_return); RUN(return_in_path); RUN(break_own); RUN(break_path); RUN(continue_own); RUN(do_while); RUN(while_pointer);
	RUN(downwards); RUN(unsigned_wrap); RUN(nested_for); RUN(inner_break); RUN(switch_path); RUN(switch_in_path); RUN(fall_through); RUN(asserts); RUN(traps); RUN(two_indices);
	RUN(step_by_load); RUN(short_circuit); RUN(ternary); RUN(endless_break); RUN(else_chain); RUN(inner_counted); RUN(inner_while); RUN(inner_sum); RUN(inner_down); RUN(loop_in_loop_in_path);
	RUN(duff); RUN(path_in_path); RUN(zero_trips); RUN(long_index); RUN(exit_path); RUN(collatz); RUN(unrolled); RUN(unroll_full); RUN(two_paths); RUN(return_loop);
	return finish();
}
#else
__global__ void goto_forward(G g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		if (x & 32)
			goto next;
		x = mix(x);
		if (x & 64)
			goto skip;
		IF
		if (rare(x))
			g.out[i] = work(x);
	skip:
		x++;
	next:
		g.f[i] = x & 255;
	}
}
LAUNCH(goto_forward)
__global__ void goto_path(G g) // within the path, forwards and backwards
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x)) {
			unsigned k = 0;
		again:
			x = mix(x);
			if (x & 1)
				goto done;
			if (k++ < 6)
				goto again;
			x = work(x);
		done:
			g.out[i] = x + k;
		}
	}
}
LAUNCH(goto_path)
__global__ void goto_back(G g)
{
	int i = thread_id();
	unsigned tries = 0;
	SEQ
	while (i < g.n) {
		unsigned x = g.in[i] + tries;
		SIF
		if (rare(x))
			g.out[i] = work(x);
		if ((x & 31) == 7 && tries < 3) {
			tries++;
			continue;
		}
		tries = 0;
		i += threads();
	}
}
LAUNCH(goto_back)
__global__ void early_return(G g)
{
	if (threadIdx.x % 5 == 2)
		return;
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			g.out[i] = work(x);
	}
	g.thread[thread_id()] = 1;
}
LAUNCH(early_return)
__global__ void return_in_path(G g)
{
	SEQ
	EACH(i) {
		unsigned x = g.in[i];
		SIF
		if (rare(x)) {
			g.out[i] = work(x);
			if ((x >> 6 & 7) == 1)
				return;
		}
	}
	g.thread[thread_id()] = 1;
}
LAUNCH(return_in_path)
__global__ void break_own(G g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		if ((x & 63) == 11)
			break;
		IF
		if (rare(x))
			g.out[i] = work(x);
	}
	g.thread[thread_id()] = 1;
}
LAUNCH(break_own)
__global__ void break_path(G g)
{
	unsigned last = 0;
	SEQ
	EACH(i) {
		unsigned x = g.in[i];
		SIF
		if (rare(x)) {
			last = work(x);
			if (last & 1)
				break;
			g.out[i] = last;
		}
	}
	g.thread[thread_id()] = last;
}
LAUNCH(break_path)
__global__ void continue_own(G g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		if (x & 128)
			continue;
		IF
		if (rare(x)) {
			if (x & 256)
				continue;
			g.out[i] = work(x);
		}
	}
}
LAUNCH(continue_own)
__global__ void do_while(G g)
{
	int i = thread_id();
	FOR
	do {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			g.out[i] = work(x);
		i += threads();
	} while (i < g.n);
}
LAUNCH(do_while)
__global__ void while_pointer(G g)
{
	const unsigned *p = g.in + thread_id(), *end = g.in + g.n;
	unsigned *o = g.out + thread_id();
	FOR
	while (p < end) {
		unsigned x = *p;
		IF
		if (rare(x))
			*o = work(x);
		p += threads(), o += threads();
	}
}
LAUNCH(while_pointer)
__global__ void downwards(G g)
{
	FOR
	for (int i = g.n - 1 - thread_id(); i >= 0; i -= threads()) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			g.out[i] = work(x);
	}
}
LAUNCH(downwards)
__global__ void unsigned_wrap(G g)
{
	FOR
	for (unsigned i = 0u - 1000u + thread_id(); i != 0u - 1000u + thread_id() + threads() * 4u; i += threads()) {
		unsigned k = i + 1000u, x = g.in[k % g.n];
		IF
		if (rare(x) && k < g.n)
			g.out[k] = work(x);
	}
}
LAUNCH(unsigned_wrap)
__global__ void nested_for(G g)
{
	for (int r = 0; r < 3; r++) {
		FOR
		EACH(i) {
			unsigned x = g.in[i] + r;
			IF
			if (rare(x))
				g.out[i] += work(x);
		}
	}
}
LAUNCH(nested_for)
__global__ void inner_break(G g)
{
	FORV
	EACH(i) {
		unsigned x = g.in[i], k, end = x & 15;
		WHILE
		for (k = 0; k < end; k++) {
			x = work(x);
			if ((x & 7) == 0)
				break;
		}
		g.out[i] = x + k;
	}
}
LAUNCH(inner_break)
__global__ void switch_path(G g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		switch (x & 7) {
		case 0: g.out[i] = x; break;
		case 1: IF if (x & 8) g.out[i] = work(x); break;
		case 2: case 3: g.out[i] = x * 3; break;
		case 5: g.out[i] = 1; // fall through
		case 6: g.f[i] = 2; break;
		default: break;
		}
	}
}
LAUNCH(switch_path)
__global__ void switch_in_path(G g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x)) {
			unsigned y = work(x);
			switch (y % 9) {
			case 0: y *= 3; break;
			case 1: y = mix(y); break;
			case 2: y ^= x; break;
			case 3: y -= 5; // fall through
			case 4: y += x; break;
			case 5: y = y << 3 | y >> 29; break;
			case 6: y = __brev(y); break;
			case 7: y = __popc(y); break;
			}
			g.out[i] = y;
		}
	}
}
LAUNCH(switch_in_path)
__global__ void fall_through(G g)
{
	unsigned s = 1;
	SEQ
	EACH(i) {
		unsigned x = g.in[i];
		SIF
		if (x & 1) switch (x & 15) {
		case 3: s = work(s); // fall through
		case 4: s += x; break;
		case 9: s = mix(s ^ x);
		}
	}
	g.thread[thread_id()] = s;
}
LAUNCH(fall_through)
__global__ void asserts(G g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		assert(i < g.n);
		IF
		if (rare(x)) {
			assert((x & 7) == 3);
			g.out[i] = work(x);
		}
	}
}
LAUNCH(asserts)
__global__ void traps(G g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x)) {
			if ((x & 7) == 4)
				__trap();
			g.out[i] = work(x);
		}
	}
}
LAUNCH(traps)
__global__ void two_indices(G g)
{
	FOR
	for (int i = thread_id(), j = 2 * thread_id() + 1; i < g.n; i += threads(), j = (j + 77) % g.n) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			g.out[i] = work(x) + g.in[j];
	}
}
LAUNCH(two_indices)
__global__ void step_by_load(G g) // the next index is loaded from memory
{
	SEQ
	for (int i = thread_id(); i < g.n; i += threads() * (1 + (g.in[i] & 1))) {
		unsigned x = g.in[i];
		SIF
		if (rare(x))
			g.out[i] = work(x);
	}
}
LAUNCH(step_by_load)
__global__ void short_circuit(G g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if ((x & 1) && (mix(x) & 2 || (x & 4 && mix(x + 1) & 8)) && !(x & 16))
			g.out[i] = work(x);
	}
}
LAUNCH(short_circuit)
__global__ void ternary(G g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		unsigned y = x & 8 ? mix(x) : x & 16 ? x * 3 : x / 7;
		IF
		if (rare(y))
			g.out[i] = (y & 64 ? work(y) : mix(y)) + (x & 32 ? 1 : 2);
	}
}
LAUNCH(ternary)
__global__ void endless_break(G g)
{
	int i = thread_id();
	SEQ
	for (;;) {
		if (i >= g.n)
			break;
		unsigned x = g.in[i];
		SIF
		if (rare(x))
			g.out[i] = work(x);
		i += threads();
		if (x % 101 == 5)
			break;
	}
	g.thread[thread_id()] = i;
}
LAUNCH(endless_break)
__global__ void else_chain(G g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			g.out[i] = work(x);
		else IF if (rare(x >> 3))
			g.out[i] = work(x + 1) * 3;
		else if (x & 1)
			g.f[i] = 3;
		else IF if (rare(x >> 6))
			g.out[i] = work(x + 2) * 5;
		else
			g.f[i] = 1;
	}
}
LAUNCH(else_chain)
__global__ void inner_counted(G g)
{
	FORV
	EACH(i) {
		unsigned end = g.in[i] & 15;
		VAR
		for (unsigned k = 0; k < end; k++)
			atomicAdd(&g.count[(i + k) & 63], mix(k + i));
	}
}
LAUNCH(inner_counted)
__global__ void inner_while(G g)
{
	FORV
	EACH(i) {
		unsigned x = g.in[i] & 0xffff, steps = 0;
		WHILE
		while (x & 7) {
			x = work(x);
			steps++;
		}
		g.out[i] = steps;
	}
}
LAUNCH(inner_while)
__global__ void inner_sum(G g)
{
	FORV
	EACH(i) {
		unsigned s = 0, first = g.in[i] % 100, end = first + (g.in[i] >> 9 & 31);
		VAR
		for (unsigned k = first; k < end; k++)
			s += work(g.in[k] + i);
		g.out[i] = s;
	}
}
LAUNCH(inner_sum)
__global__ void inner_down(G g)
{
	FORV
	EACH(i) {
		unsigned m = 0xffffffff;
		int n = (int)(g.in[i] >> 5 & 31) - 4;
		VAR
		for (int k = n; k > -2; k -= 3)
			m = min(m, work(g.in[k + 2] ^ i));
		g.out[i] = m;
	}
}
LAUNCH(inner_down)
__global__ void loop_in_loop_in_path(G g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x)) {
			unsigned s = 0;
			for (unsigned a = 0; a < (x >> 4 & 7); a++)
				for (unsigned b = a; b < (x >> 8 & 7); b++) {
					s = mix(s + a * b);
					if (s % 11 == 0)
						break;
				}
			g.out[i] = s + work(x);
		}
	}
}
LAUNCH(loop_in_loop_in_path)
__global__ void duff(G g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i], s = 0;
		IF
		if (rare(x)) {
			int n = 1 + (x >> 6 & 7), rounds = (n + 3) / 4;
			switch (n & 3) {
			case 0: do { s = mix(s + 1);
			case 3:      s = mix(s + 2);
			case 2:      s = mix(s + 3);
			case 1:      s = mix(s + 4);
				} while (--rounds > 0);
			}
			g.out[i] = s;
		}
	}
}
LAUNCH(duff)
__global__ void path_in_path(G g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (x & 1) {
			unsigned y = work(x);
			IF
			if (rare(y))
				g.out[i] = work(y + 1);
			g.f[i] = y & 255;
		}
	}
}
LAUNCH(path_in_path)
__global__ void zero_trips(G g) // most threads have no iteration
{
	FOR
	for (int i = thread_id() * 40; i < g.n; i += threads() * 40) {
		unsigned x = g.in[i];
		IF
		if (rare(x) || i < 1000)
			g.out[i] = work(x);
	}
	g.thread[thread_id()] = 1;
}
LAUNCH(zero_trips)
__global__ void long_index(G g)
{
	FOR
	for (size_t i = thread_id(); i < (size_t)g.n; i += threads()) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			g.out[i] = work(x) + (unsigned)(i >> 3);
	}
}
LAUNCH(long_index)
__global__ void exit_path(G g)
{
	SEQ
	EACH(i) {
		unsigned x = g.in[i];
		SIF
		if (rare(x)) {
			g.out[i] = work(x);
			if (x % 53 == 1)
				asm volatile("exit;");
		}
	}
	g.thread[thread_id()] = 5;
}
LAUNCH(exit_path)
__global__ void collatz(G g)
{
	FORV
	EACH(i) {
		unsigned long long x = 1 + (g.in[i] & 1023);
		unsigned n = 0;
		WHILE
		do {
			x = x & 1 ? 3 * x + 1 : x / 2;
			n += (x ^ x >> 3) & 3;
		} while (x > 1);
		g.out[i] = n;
	}
}
LAUNCH(collatz)
__global__ void unrolled(G g)
{
	FOR
#pragma unroll 3
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			g.out[i] = work(x);
	}
}
LAUNCH(unrolled)
__global__ void unroll_full(G g) // the loop is unrolled completely
{
	FOR
#pragma unroll
	for (int k = 0; k < 5; k++) {
		int i = thread_id() + k * threads();
		unsigned x = i < g.n ? g.in[i] : 0;
		IF
		if (rare(x))
			g.out[i] = work(x);
	}
}
LAUNCH(unroll_full)
__global__ void two_paths(G g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i], y = 0;
		IF
		if (rare(x))
			y = work(x);
		IF
		if (rare(x >> 4) && (x & 1))
			y += work(y + 3);
		g.out[i] = y;
	}
}
LAUNCH(two_paths)
__global__ void return_loop(G g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		if (x == 0xdeadbeef)
			return;
		IF
		if (rare(x))
			g.out[i] = work(x);
	}
	g.thread[thread_id()] = 2;
}
LAUNCH(return_loop)
#endif
