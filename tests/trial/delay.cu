// Trial of `delay`, `predict` and `while`: wait points, and iterations as tasks. STRICT: no.
#ifndef KERNELS
#define KERNELS "../trial/delay.cu"
#include "../gpu/gpu_test.cuh"
int main()
{
	RUN(l_fall_through);
	RUN(l_cases_leave);
	RUN(l_goto_cases);
	RUN(l_ordered);
	RUN(l_cycle);
	RUN(l_cycle_many);
	RUN(l_majority);
	RUN(l_nested_loop);
	RUN(l_no_else);
	RUN(l_dense);
	RUN(l_do_while);
	RUN(l_array);
	RUN(l_two);
	RUN(l_atomics_order);
	RUN(t_three_deep);
	RUN(t_beside);
	RUN(t_leaves);
	RUN(t_soft_one);
	RUN(t_loop_goto);
	RUN(t_with_delay);
	RUN(t_statement_twice);
	RUN(w_irreducible);
	RUN(w_two_exits);
	RUN(w_return);
	RUN(w_nested_break);
	RUN(w_tail_two);
	RUN(w_reductions);
	RUN(w_values);
	RUN(w_zero);
	RUN(w_in_switch);
	RUN(w_array);
	RUN(w_stack_and_queue);
	RUN(w_last_read);
	RUN(w_barred);
	return finish();
}
#else
static __device__ __noinline__ unsigned walk(unsigned s, unsigned until)
{
	while (s % until)
		s = mix(s);
	return s;
}

__global__ void l_fall_through(Args g)
{
	unsigned s = thread_id();
	CCC(for)
	GRID_STRIDE(i) {
		CCC(delay)
		switch ((g.in[i] + s) % 6) {
		case 0: s = walk(s, 5);
		case 1: s += i;
		case 2: s = walk(s ^ i, 7); break;
		case 3: s = mix(s); break;
		case 4: s += walk(i, 3);
		default: s++;
		}
		g.out[i] = s;
	}
	g.per_thread[thread_id()] = s;
}

__global__ void l_cases_leave(Args g)
{
	unsigned s = thread_id();
	CCC(for)
	GRID_STRIDE(i) {
		s = mix(s + g.in[i]);
		CCC(delay)
		switch (s % 8) {
		case 0: s = walk(s, 5); if (s & 256) continue; s++; break;
		case 1: s = walk(s, 7); if (s % 19 == 0) { g.out2[i] = s; return; } break;
		case 2: s = walk(s, 9); if (s % 11 == 0) goto out; break;
		case 5: continue;
		default: s += 3;
		}
		g.out[i] = s;
	}
out:
	g.per_thread[thread_id()] = s;
}

__global__ void l_goto_cases(Args g)
{
	unsigned s = thread_id();
	CCC(for)
	GRID_STRIDE(i) {
		s = mix(s + g.in[i]);
		CCC(delay policy(majority))
		if (s & 1) {
			s = walk(s, 5);
			if (s & 8)
				goto tail;
			s = walk(s + 1, 6);
		} else if (s & 2) {
			s = walk(s, 7);
		}
		s++;
	tail:
		g.out[i] = s;
	}
	g.per_thread[thread_id()] = s;
}

__global__ void l_ordered(Args g)
{
	float f = 1;
	unsigned s = 0;
	bool odd = false;
	CCC(for)
	GRID_STRIDE(i) {
		CCC(delay policy(live) threshold(5))
		if ((g.in[i] ^ s) & 4) {
			f = f * 0.5f + (float)(walk(i, 5) & 15);
			odd = !odd;
		} else {
			s = walk(s + i, 7);
			odd = odd || (s & 1);
		}
	}
	g.per_thread[thread_id()] = s ^ __float_as_uint(f) ^ odd;
}

__global__ void l_cycle(Args g)
{
	unsigned s = thread_id();
	CCC(for)
	GRID_STRIDE(i) {
		CCC(delay policy(cycle(3, 5)) idle)
		if ((g.in[i] ^ s) & 4)
			s = walk(s, 5);
		else
			s = walk(s + i, 3) * 3;
		if (s % 31 == 4)
			break;
	}
	g.per_thread[thread_id()] = s;
}

__global__ void l_cycle_many(Args g)
{
	unsigned s = thread_id();
	CCC(for)
	GRID_STRIDE(i) {
		CCC(delay policy(cycle(2, 1)))
		switch (mix(s + i) % 5) {
		case 0: s = walk(s, 5); break;
		case 1: s = walk(s + 1, 6); break;
		case 2: s = walk(s + 2, 7);
		case 3: s = walk(s + 3, 8); break;
		}
	}
	g.per_thread[thread_id()] = s;
}

__global__ void l_majority(Args g)
{
	unsigned s = thread_id();
	for (int round = 0; round < 2; round++) {
		if (s & 1) {
			CCC(for)
			for (int i = thread_id(); i < g.n; i += thread_count() * (1 + (s & 1))) {
				CCC(delay policy(majority) threshold(3))
				if ((g.in[i] ^ s) & 4)
					s = walk(s, 5);
				else
					s = mix(s);
			}
		}
		s = mix(s);
	}
	g.per_thread[thread_id()] = s;
}

__global__ void l_nested_loop(Args g)
{
	unsigned s = thread_id();
	CCC(for)
	GRID_STRIDE(i)
		for (int k = 0; k < (g.in[i] & 3); k++) {
			CCC(delay)
			if (s & 2)
				s = walk(s + k, 5);
			else
				s = mix(s ^ k);
			if (s % 9 == 1)
				break;
		}
	g.per_thread[thread_id()] = s;
}

__global__ void l_no_else(Args g)
{
	unsigned s = thread_id();
	int i = thread_id();
	CCC(for)
	while (i < g.n) {
		if (g.in[i] % 3 == 0) {
			i += 2 * thread_count();
			continue;
		}
		CCC(delay policy(cycle))
		if (g.in[i] & 8) {
			s = walk(s + i, 5);
			if (s & 1)
				i += thread_count();
		}
		i += thread_count();
	}
	g.per_thread[thread_id()] = s + i;
}

__global__ void l_dense(Args g)
{
	unsigned s = thread_id();
	CCC(for)
	GRID_STRIDE(i) {
		CCC(delay)
		switch (mix(s + i) & 15) {
		case 0: s = walk(s, 3); break;
		case 1: s = walk(s, 4); break;
		case 2: s = walk(s, 5) + 1; break;
		case 3: s = walk(s, 6); break;
		case 4: s = walk(s, 7) + 2; break;
		case 5: s = walk(s, 8); break;
		case 6: s = walk(s, 9) + i; break;
		case 7: s = walk(s, 10); break;
		case 9: s = walk(s, 11) ^ i; break;
		case 11: s = walk(s, 12); break;
		case 13: s = walk(s, 13) * 3; break;
		}
		s++;
	}
	g.per_thread[thread_id()] = s;
}

__global__ void l_do_while(Args g)
{
	unsigned s = thread_id(), n = 0;
	CCC(for)
	do {
		CCC(delay)
		if (s & 2)
			s = walk(s, 5) + n;
		else
			s = mix(s + n);
	} while (s % 13 && ++n < 40);
	g.per_thread[thread_id()] = s + n;
}

__global__ void l_array(Args g)
{
	unsigned a[8] = {1, 2, 3, 4, 5, 6, 7, 8};
	CCC(for)
	GRID_STRIDE(i) {
		CCC(delay)
		if (a[g.in[i] & 7] & 2)
			a[g.in[i] >> 3 & 7] = walk(i, 5);
		else
			a[g.in[i] >> 6 & 7] += walk(i, 7);
	}
	g.per_thread[thread_id()] = a[0] ^ a[3] * 3 ^ a[g.k & 7];
}

__global__ void l_two(Args g)
{
	unsigned s = thread_id();
	CCC(for)
	GRID_STRIDE(i) {
		CCC(delay)
		if ((g.in[i] ^ s) & 4)
			s = walk(s, 5);
		else
			s += walk(i, 9);
		CCC(delay policy(cycle))
		if (s & 8)
			s = walk(s, 6);
		else
			s ^= walk(i, 7);
	}
	g.per_thread[thread_id()] = s;
}

__global__ void l_atomics_order(Args g)
{
	unsigned *p = g.out + thread_id();
	CCC(for)
	GRID_STRIDE(i) {
		CCC(delay)
		if (atomicAdd(p, g.in[i]) & 4)
			atomicExch(p, walk(i, 5));
		else
			atomicXor(p, walk(i, 7));
	}
}

__global__ void t_three_deep(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		unsigned s = i;
		CCC(predict threshold(20))
		for (int j = g.in[i] & 7; j > 0; --j) {
			CCC(predict threshold(9))
			for (int k = s & 3; k < j; k++) {
				if (s % 7 == 2)
					CCC(predict threshold(3))
					s = walk(s, 9);
				else if (s % 7 == 3)
					break;
				s = mix(s + k);
			}
			if (s % 23 == 1)
				goto next;
		}
	next:
		g.out[i] = s;
	}
}

__global__ void t_beside(Args g)
{
	unsigned s = thread_id();
	CCC(for)
	GRID_STRIDE(i) {
		if (g.in[i] & 1) {
			CCC(predict threshold(4))
			s = walk(s, 5);
		} else if (g.in[i] & 2) {
			CCC(predict)
			s = walk(s, 7) + 1;
		}
		CCC(predict threshold(30))
		for (int k = g.in[i] >> 2 & 7; k; --k)
			s = mix(s + k);
		CCC(if policy(wait(6)))
		if (s & 8)
			s = walk(s, 6);
	}
	g.per_thread[thread_id()] = s;
}

__global__ void t_leaves(Args g)
{
	unsigned s = thread_id();
	CCC(for)
	GRID_STRIDE(i) {
		CCC(predict threshold(17))
		for (int k = g.in[i] & 31; k; --k) {
			s = mix(s + k);
			if (s % 51 == 0)
				return;
			if (s % 51 == 1)
				goto out;
			if (s % 51 == 2)
				break;
		}
		g.out[i] = s;
	}
out:
	g.per_thread[thread_id()] = s;
}

__global__ void t_soft_one(Args g)
{
	unsigned s = thread_id();
	if (g.in[thread_id() % 800] & 1)
		return;
	CCC(for)
	GRID_STRIDE(i) {
		CCC(predict threshold(1))
		for (int k = g.in[i] & 31; k; --k)
			s = mix(s + k);
		s++;
	}
	g.per_thread[thread_id()] = s;
}

__global__ void t_loop_goto(Args g)
{
	unsigned s = thread_id();
	CCC(for)
	GRID_STRIDE(i) {
		int k = g.in[i] & 15;
	again:
		if (s & 1)
			CCC(predict threshold(8))
			s = walk(s + k, 5);
		s = mix(s);
		if (--k > 0)
			goto again;
		g.out[i] = s;
	}
}

__global__ void t_with_delay(Args g)
{
	unsigned s = thread_id();
	CCC(for)
	GRID_STRIDE(i) {
		CCC(predict threshold(8))
		for (int k = g.in[i] & 7; k; --k) {
			CCC(delay)
			if (s & 1)
				s = walk(s + k, 5);
			else
				s = walk(s ^ k, 6);
		}
	}
	g.per_thread[thread_id()] = s;
}

__global__ void t_statement_twice(Args g)
{
	unsigned s = thread_id();
	CCC(for)
	GRID_STRIDE(i) {
		if (g.in[i] & 1) {
			CCC(predict)
			s = walk(s, 5);
			s += 3;
		}
		s ^= i;
		if (s & 4) {
			CCC(predict)
			s = walk(s, 7);
		}
		if (s % 41 == 3)
			continue;
		g.out[i] = s;
	}
	g.per_thread[thread_id()] = s;
}

__global__ void w_irreducible(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		unsigned x = g.in[i], n = 0;
		CCC(while)
		while (x % 7) {
			if (x & 1)
				goto two;
		one:
			x = mix(x);
			if (++n > 20)
				break;
			if (x % 5 == 0)
				continue;
		two:
			x += 3;
			if (x % 3 == 0)
				goto one;
		}
		g.out[i] = x + n;
	}
}

__global__ void w_two_exits(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		unsigned x = g.in[i], n = 0;
		CCC(while)
		for (;;) {
			x = mix(x + n);
			if (x % 9 == 0) {
				g.out2[i] = x;
				break;
			}
			if (x % 9 == 1) {
				n += 100;
				break;
			}
			if (++n > 30)
				goto none;
		}
		g.out[i] = n;
		continue;
	none:
		g.out[i] = 7777;
	}
}

__global__ void w_return(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		unsigned x = g.in[i];
		CCC(while)
		while (x % 13) {
			x = mix(x);
			if (x % 101 == 7)
				return;
		}
		g.out[i] = x;
	}
}

__global__ void w_nested_break(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		unsigned x = g.in[i];
		int n = 0;
		CCC(while)
		while (x % 13) {
			for (int j = 0; j < 5; j++)
				for (int k = j; k < 5; k++) {
					x = mix(x + k);
					if (x % 17 == 3)
						goto inner;
					if (x % 17 == 4)
						goto outer;
				}
		inner:
			n++;
		}
	outer:
		g.out[i] = x + n;
	}
}

__device__ void tail(const Args &g, unsigned x, unsigned depth, double d)
{
	if (x % 7 == 0 || depth > 30)
		return;
	atomicAdd(g.count + (x & 63), (unsigned)(long long)d);
	if (x & 1)
		tail(g, mix(x), depth + 1, d + 1);
	else
		tail(g, mix(x + 3), depth + 2, d * 2 > 1e6 ? 1 : d * 2);
}
__global__ void w_tail_two(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(while)
		tail(g, g.in[i], 0, 1);
	}
}

__global__ void w_reductions(Args g)
{
	unsigned most = 0, bits = ~0u, least = ~0u;
	long long sum = 0;
	float low = __int_as_float(0x7fffffff), high = -0.f;
	CCC(for)
	GRID_STRIDE(i) {
		unsigned x = g.in[i];
		CCC(while)
		while (x % 9) {
			x = mix(x);
			most = max(most, x | 0x80000000u), least = min(least, x), bits &= x | 1;
			sum += (long long)x << 20;
			low = fminf(low, x & 1 ? __int_as_float(0x7fffffff) : (float)(x & 255) - 99);
			high = fmaxf(high, __uint_as_float(x & 0x80000000u));
		}
	}
	g.per_thread[thread_id()] = most ^ bits * 3 ^ least * 5 ^ (unsigned)(sum >> 16) ^ __float_as_uint(low) ^ __float_as_uint(high);
}

__global__ void w_values(Args g)
{
	CCC(for threads(128))
	GRID_STRIDE(i) {
		unsigned char c = (unsigned char)g.in[i];
		short h = (short)(g.in[i] >> 3);
		bool a = c & 1, b = h & 1;
		float4 v = g.in4[i];
		long long w = g.in64[i];
		int n = 0;
		CCC(while)
		while (w % 7 && ++n < 100) {
			w = w / 3 + c;
			c = (unsigned char)(c * 3 + h);
			h = (short)(h ^ c);
			a = b != a;
			b = !b || (c & 2);
			v = make_float4(v.y, v.z, v.w, v.x + (a ? 1.f : 0.f));
			if (w > -5 && w < 5)
				break;
		}
		g.out[i] = (unsigned)w + c + h * 3 + a + 2 * b;
		g.out2[i] = __float_as_uint(v.x + 2 * v.y) ^ __float_as_uint(v.z - v.w);
	}
}

__global__ void w_zero(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		unsigned x = g.in[i] & 0x3ff;
		CCC(while policy(queue))
		while (x > 0x3f0) {
			x -= mix(x) & 7;
			atomicAdd(g.out + i, x);
		}
	}
}

__global__ void w_in_switch(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		unsigned x = g.in[i];
		switch (x % 5) {
		case 0:
			CCC(while)
			while (x % 11)
				x = mix(x);
		case 1:
			x += 3;
			break;
		case 2:
			CCC(while policy(queue))
			while (x % 13)
				x = mix(x) + 1;
			break;
		case 3:
			continue;
		}
		g.out[i] = x;
	}
}

__global__ void w_array(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		unsigned x = g.in[i], a[4] = {1, 2, 3, 4};
		CCC(while)
		while (x % 9) {
			x = mix(x + a[x & 3]);
			a[x >> 3 & 3] = x;
		}
		g.out[i] = x + a[x & 3];
	}
}

__global__ void w_stack_and_queue(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		unsigned x = g.in[i], y = x * 7;
		CCC(while policy(stack) threshold(11))
		while (x % 9)
			x = mix(x);
		CCC(while policy(queue))
		while (y % 7)
			y = mix(y + x);
		CCC(if policy(queue))
		if (y & 16)
			y += walk(x, 5);
		g.out[i] = x ^ y;
	}
}

__global__ void w_last_read(Args g)
{
	unsigned last = 0;
	CCC(for)
	GRID_STRIDE(i) {
		unsigned x = g.in[i] + last;
		CCC(while)
		while (x % 9)
			x = mix(x);
		last = x;
	}
	g.per_thread[thread_id()] = last;
}

// The two halves of a warp reach the loop separately.
__global__ void w_barred(Args g)
{
	unsigned s = 0;
	if (threadIdx.x % 32 < 11) {
		CCC(for)
		GRID_STRIDE(i) {
			unsigned x = g.in[i];
			CCC(while)
			while (x % 9)
				x = mix(x);
			s += x;
		}
	} else {
		CCC(for)
		GRID_STRIDE(i) {
			unsigned x = g.in[i];
			CCC(while)
			while (x % 5)
				x = mix(x) + 1;
			s += x;
		}
	}
	g.per_thread[thread_id()] = s;
}

#endif
// SPDX-License-Identifier: MIT
