// Trial of copies: annotations in functions that are inlined twice, in unrolled loops, in templates, nested. STRICT: no.
#ifndef KERNELS
#define KERNELS "../trial/copies.cu"
#include "../gpu/gpu_test.cuh"
int main()
{
	RUN(c_path_twice);
	RUN(c_unify_twice);
	RUN(c_delay_twice);
	RUN(c_rows_twice);
	RUN(c_while_twice);
	RUN(c_meld_twice);
	RUN(c_remap_twice);
	RUN(c_switch_twice);
	RUN(c_unroll_path);
	RUN(c_unroll_unify);
	RUN(c_unroll_delay);
	RUN(c_unroll_rows);
	RUN(c_unroll_while);
	RUN(c_unroll_switch);
	RUN(c_unroll_predict);
	RUN(c_unroll_assign);
	RUN(c_unroll_inner);
	RUN(c_unroll_meld);
	RUN(c_template);
	RUN(c_lambda);
	RUN(c_loop_in_loop);
	RUN(c_function_loop);
	RUN(c_path_in_rows);
	RUN(c_rows_in_path_in_path);
	RUN(c_while_in_path);
	RUN(c_meld_in_rows);
	RUN(c_unify_in_path);
	RUN(c_all);
	RUN(c_known_condition);
	RUN(c_same_condition_twice);
	RUN(c_uniform_condition);
	RUN(c_unroll_known);
	RUN(c_two_loops_one_line);
	RUN(c_for_in_switch);
	RUN(c_loop_breaks_outer);
	RUN(c_meld_sequence);
	RUN(c_predict_calls_unrolled);
	return finish();
}
#else
static __device__ __noinline__ unsigned walk(unsigned s, unsigned until)
{
	while (s % until)
		s = mix(s);
	return s;
}
__device__ __forceinline__ void path_of(const Args &g, int i, unsigned x)
{
	CCC(if)
	if (x & 4)
		atomicAdd(g.out + i, walk(x, 5));
}
__global__ void c_path_twice(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		path_of(g, i, g.in[i]);
		path_of(g, i, g.in[i] >> 3);
	}
}

__device__ __forceinline__ void unify_of(const Args &g, int i, unsigned x)
{
	CCC(unify)
	if (x & 4)
		atomicAdd(g.out + i, walk(x, 5));
	else
		atomicXor(g.out2 + i, walk(x, 7));
}
__global__ void c_unify_twice(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		unify_of(g, i, g.in[i]);
		unify_of(g, i, g.in[i] >> 3);
	}
}

__device__ __forceinline__ unsigned delay_of(int i, unsigned x)
{
	CCC(delay)
	if (x & 4)
		x = walk(x, 5) + i;
	else
		x = walk(x, 7) ^ i;
	return x;
}
__global__ void c_delay_twice(Args g)
{
	unsigned s = 0;
	CCC(for)
	GRID_STRIDE(i) {
		s = delay_of(i, s + g.in[i]);
		s = delay_of(i, s);
	}
	g.per_thread[thread_id()] = s;
}

__device__ __forceinline__ unsigned rows_of(int i, unsigned x)
{
	unsigned s = 0;
	CCC(for var)
	for (int k = x & 15; k > 0; --k)
		s += mix(k + i);
	return s;
}
__global__ void c_rows_twice(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		g.out[i] = rows_of(i, g.in[i]);
		g.out2[i] = rows_of(i + 1, g.in[i] >> 4) * 3;
	}
}

__device__ __forceinline__ unsigned while_of(unsigned x)
{
	CCC(while)
	while (x % 9)
		x = mix(x);
	return x;
}
__global__ void c_while_twice(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		g.out[i] = while_of(g.in[i]);
		g.out2[i] = while_of(g.in[i] >> 5);
	}
}

__device__ __forceinline__ unsigned meld_of(unsigned x)
{
	CCC(distribute)
	if (x & 1)
		x = mix(x + 3) * mix(x);
	else
		x = mix(x + 5) * mix(x ^ 3);
	return x;
}
__global__ void c_meld_twice(Args g)
{
	unsigned x = g.in[thread_id() % 800];
	x = meld_of(meld_of(x) + 1);
	if (x & 8)
		x = meld_of(x + 7);
	else
		x = meld_of(x * 3);
	g.per_thread[thread_id()] = x;
}

__device__ __forceinline__ unsigned remap_of(unsigned x)
{
	CCC(remap)
	if (x & 1)
		x = walk(x, 5) + threadIdx.x;
	else
		x = walk(x, 7);
	return x;
}
__global__ void c_remap_twice(Args g)
{
	unsigned x = g.in[thread_id() % 800];
	g.per_thread[thread_id()] = remap_of(remap_of(x) + 1);
}

__device__ __forceinline__ unsigned switch_of(const Args &g, int i, unsigned x)
{
	CCC(switch)
	switch (x % 5) {
	case 0: atomicAdd(g.out + i, walk(x, 5));
	case 1: atomicAdd(g.out + i, walk(x, 7)); break;
	case 3: atomicAdd(g.out + i, walk(x, 9)); break;
	}
	return x / 5;
}
__global__ void c_switch_twice(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		unsigned x = switch_of(g, i, g.in[i]);
		switch_of(g, i, x);
	}
}

__global__ void c_unroll_path(Args g)
{
	CCC(for unroll(3))
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i))
			g.out[i] = walk(i, 5);
	}
}

__global__ void c_unroll_unify(Args g)
{
	CCC(for unroll(2))
	GRID_STRIDE(i) {
		CCC(unify)
		if (wants(g, i))
			g.out[i] = walk(i, 5);
		else
			g.out2[i] = walk(i, 7);
	}
}

__global__ void c_unroll_delay(Args g)
{
	unsigned s = thread_id();
	CCC(for unroll(2))
	GRID_STRIDE(i) {
		CCC(delay)
		if ((g.in[i] ^ s) & 4)
			s = walk(s, 5);
		else
			s = walk(s + i, 7) * 3;
	}
	g.per_thread[thread_id()] = s;
}

__global__ void c_unroll_rows(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		unsigned s = i;
		CCC(for var unroll(4))
		for (int k = g.in[i] & 31; k > 0; --k)
			s += mix(k + i);
		g.out[i] = s;
	}
}

__global__ void c_unroll_while(Args g)
{
	CCC(for unroll(2))
	GRID_STRIDE(i) {
		unsigned s = i;
		CCC(while unroll(4))
		while (s % 9)
			s = mix(s);
		g.out[i] = s;
	}
}

__global__ void c_unroll_switch(Args g)
{
	CCC(for unroll(2))
	GRID_STRIDE(i) {
		unsigned x = g.in[i];
		CCC(switch policy(queue))
		switch (x % 4) {
		case 0: g.out[i] = walk(x, 5); break;
		case 1: g.out[i] = walk(x, 7); break;
		case 3: g.out2[i] = walk(x, 9); break;
		}
	}
}

__global__ void c_unroll_predict(Args g)
{
	unsigned s = thread_id();
	CCC(for unroll(2))
	GRID_STRIDE(i) {
		CCC(predict threshold(9) unroll(3))
		for (int k = g.in[i] & 31; k > 0; --k)
			s = mix(s + k);
		s++;
	}
	g.per_thread[thread_id()] = s;
}

__global__ void c_unroll_assign(Args g)
{
	CCC(assign unroll(2))
	GRID_STRIDE(i) {
		unsigned s = i;
		CCC(for var)
		for (int k = g.in[i] & 31; k > 0; --k)
			s = mix(s + k);
		g.out[i] = s;
	}
}

__global__ void c_unroll_inner(Args g)
{
	CCC(for)
	GRID_STRIDE(i)
#pragma unroll
		for (int k = 0; k < 3; k++) {
			CCC(if)
			if (g.in[i] >> k & 1)
				atomicAdd(g.out + i, walk(i + k, 5));
			CCC(distribute)
			if (g.in[i] >> k & 2)
				atomicAdd(g.out2 + i, mix(i + 2 * k) * mix(i));
			else
				atomicAdd(g.out2 + i, mix(i + 3 * k) * mix(i + 3));
		}
}

__global__ void c_unroll_meld(Args g)
{
	unsigned x = g.in[thread_id() % 800];
#pragma unroll
	for (int k = 0; k < 5; k++) {
		CCC(distribute)
		if (x & 1)
			x = mix(x + k) * mix(x);
		else
			x = mix(x + 5) * mix(x ^ k) + 1;
	}
	g.per_thread[thread_id()] = x;
}

template <int N, class T> __device__ __forceinline__ void templated(const Args &g)
{
	CCC(for)
	GRID_STRIDE(i) {
		const T x = (T)g.in[i];
		CCC(if)
		if (g.in[i] & N)
			atomicAdd(g.out + i, walk((unsigned)(x + N), 5));
	}
}
__global__ void c_template(Args g)
{
	templated<1, int>(g);
	templated<4, float>(g);
	templated<8, unsigned char>(g);
	templated<0, int>(g);
}

__global__ void c_lambda(Args g)
{
	auto f = [&](int i, unsigned x) {
		CCC(if)
		if (x & 4)
			atomicAdd(g.out + i, walk(x, 5));
	};
	CCC(for)
	GRID_STRIDE(i) {
		f(i, g.in[i]);
		if (g.in[i] & 2)
			f(i, g.in[i] >> 4);
	}
}

__global__ void c_loop_in_loop(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(for)
		for (int k = 0; k < (g.in[i] & 7); k++) {
			CCC(if)
			if (mix(i + k) & 1)
				atomicAdd(g.out + i, walk(i + k, 5));
		}
		CCC(if)
		if (g.in[i] & 8)
			g.out2[i] = walk(i, 7);
	}
}

__device__ __noinline__ unsigned own_loop(const Args &g, int from)
{
	unsigned s = 0;
	CCC(for)
	for (int k = from; k < g.n; k += 37) {
		CCC(if)
		if (wants(g, k))
			s += walk(k, 5);
	}
	return s;
}
__global__ void c_function_loop(Args g)
{
	CCC(for)
	for (int i = thread_id(); i < g.n / 8; i += thread_count()) {
		CCC(if)
		if (wants(g, i))
			g.out[i] = own_loop(g, i);
	}
}

__global__ void c_path_in_rows(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(for var)
		for (int k = g.in[i] & 15; k > 0; --k) {
			CCC(if)
			if (mix(i + k) & 3)
				atomicAdd(g.out + i, walk(i + k, 5));
		}
	}
}

__global__ void c_rows_in_path_in_path(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if policy(queue))
		if (g.in[i] & 1) {
			unsigned s = mix(i);
			CCC(if policy(stack))
			if (g.in[i] & 2) {
				CCC(for var policy(expand))
				for (int k = g.in[i] & 31; k > 0; --k)
					s += mix(i + k);
				g.out2[i] = s;
			}
			g.out[i] = walk(i, 5);
		}
	}
}

__global__ void c_while_in_path(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (g.in[i] & 3) {
			unsigned s = i;
			CCC(while)
			while (s % 11)
				s = mix(s);
			g.out[i] = s;
		}
	}
}

__global__ void c_meld_in_rows(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		unsigned s = 0;
		CCC(for var)
		for (int k = g.in[i] & 31; k > 0; --k) {
			unsigned x = mix(i * 31 + k);
			CCC(distribute)
			if (x & 1)
				x = mix(x + 3) * mix(x);
			else
				x = mix(x + 5) * mix(x ^ 3);
			s += x;
		}
		g.out[i] = s;
	}
}

__global__ void c_unify_in_path(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (g.in[i] & 8) {
			CCC(unify)
			if (g.in[i] & 1)
				g.out[i] = walk(i, 5);
			else
				g.out[i] = walk(i, 7);
		}
	}
}

__global__ void c_all(Args g)
{
	unsigned total = 0;
	CCC(for)
	GRID_STRIDE(i) {
		unsigned s = g.in[i], n = 0;
		CCC(while)
		while (s % 9) {
			CCC(distribute)
			if (s & 1)
				s = mix(s + 3) * mix(s);
			else
				s = mix(s + 5) * mix(s ^ 3);
			if (++n > 50)
				break;
		}
		CCC(for var)
		for (int k = s & 15; k > 0; --k)
			total += mix(s + k);
		CCC(switch)
		switch (s % 4) {
		case 0: g.out[i] = walk(s, 7); break;
		case 1: g.out2[i] = walk(s, 5); break;
		}
	}
	g.per_thread[thread_id()] = total;
}

// The compiler knows which arm is taken, or finds that both are the same.
__global__ void c_known_condition(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		unsigned x = g.in[i] | 4;
		CCC(if else)
		if (x & 4)
			g.out[i] = walk(i, 5);
		else
			g.out2[i] = walk(i, 7);
		CCC(distribute)
		if (x & 8)
			x = mix(x);
		else
			x = mix(x);
		CCC(unify)
		if (x == 0 && x == 1)
			g.out2[i] = walk(x, 7);
		else
			atomicAdd(g.out + i, walk(x, 9));
	}
}

// Jump threading duplicates the code between two branches on the same condition.
__global__ void c_same_condition_twice(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		const bool c = g.in[i] & 4;
		unsigned x = i;
		CCC(if else)
		if (c)
			atomicAdd(g.out + i, walk(i, 5));
		else
			atomicAdd(g.out2 + i, walk(i, 7));
		atomicAdd(g.count + (x & 7), 1);
		CCC(distribute)
		if (c)
			atomicAdd(g.count + 8, mix(x + 1) * mix(x));
		else
			atomicAdd(g.count + 9, mix(x + 2) * mix(x + 3));
		CCC(if)
		if (c)
			atomicXor(g.out2 + i, walk(x + 3, 9));
	}
}

__global__ void c_uniform_condition(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (g.k > 2)
			g.out[i] = walk(i, 5);
		CCC(unify)
		if (blockIdx.x & 1)
			atomicAdd(g.out + i, walk(i, 7));
		else
			g.out2[i] = walk(i, 9);
	}
}

__global__ void c_unroll_known(Args g)
{
	unsigned s = thread_id();
	CCC(for unroll(4))
	for (int k = 0; k < 4 * g.k; k++) {
		CCC(delay)
		if (k & 1)
			s = walk(s + k, 5);
		else
			s = walk(s ^ k, 7);
	}
	CCC(for unroll(4))
	for (int k = 0; k < 4 * g.k; k++) {
		CCC(unify)
		if (k & 1)
			atomicAdd(g.count + k, walk(s + k, 5));
		else
			atomicAdd(g.count + k, walk(s ^ k, 7));
	}
	g.per_thread[thread_id()] = s;
}

#define ONE_LINE(a, b) CCC(for) for (int i = a; i < g.n; i += thread_count()) { CCC(if else) if (g.in[i] & b) atomicAdd(g.out + i, walk(i, 5)); else atomicAdd(g.out2 + i, walk(i, 7)); }
__global__ void c_two_loops_one_line(Args g)
{
	ONE_LINE(thread_id(), 1) ONE_LINE(thread_id() + 3, 2)
}

__global__ void c_for_in_switch(Args g)
{
	switch (g.in[thread_id() % 800] & 3) {
	case 0: ONE_LINE(thread_id(), 1)
	case 1: ONE_LINE(thread_id(), 2) break;
	case 2: ONE_LINE(thread_id() + 5, 4)
	}
}

__global__ void c_loop_breaks_outer(Args g)
{
	for (int j = 0; j < 4; j++) {
		CCC(for)
		for (int i = thread_id(); i < g.n / 2; i += thread_count()) {
			CCC(if)
			if (wants(g, i))
				atomicAdd(g.out + i, walk(i + j, 5));
			if (mix(i + j) % 29 == 1)
				goto next;
			if (mix(i + j) % 29 == 2)
				goto done;
		}
		g.per_thread[thread_id()] += 1;
	next:;
	}
done:
	g.per_thread[thread_id()] += 1000;
}

__global__ void c_meld_sequence(Args g)
{
	unsigned x = g.in[thread_id() % 800];
	const bool c = x & 8;
	x = meld_of(x);
	for (int k = 0; k < g.k; k++) {
		CCC(distribute)
		if (c == (k & 1))
			x = mix(x + k) * mix(x);
		else
			x = mix(x + 5) * mix(x ^ k) + 1;
	}
	g.per_thread[thread_id()] = x;
}

__global__ void c_predict_calls_unrolled(Args g)
{
	unsigned x = g.in[thread_id() % 800];
#pragma unroll 2
	for (int k = 0; k < 4 * g.k; k++) {
		if (x & 1) {
			CCC(predict)
			x = walk(x + k, 5);
			x += 3;
		} else {
			x = mix(x);
			CCC(predict)
			x = walk(x ^ k, 7);
		}
	}
	g.per_thread[thread_id()] = x;
}
#endif
// SPDX-License-Identifier: MIT
