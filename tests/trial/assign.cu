// Trial of `assign` and `flatten`: iterations that are drawn from a pool, and inner loops without a wait at their ends. STRICT: no.
#include <cuda_fp16.h>
#ifndef KERNELS
#define KERNELS "../trial/assign.cu"
#include "../gpu/gpu_test.cuh"
int main()
{
	RUN(s_doubles_index);
	RUN(s_halves_index);
	RUN(s_list);
	RUN(s_float_index);
	RUN(s_wraps);
	RUN(s_short);
	RUN(s_char);
	RUN(s_64);
	RUN(s_not_equal);
	RUN(s_two_counts);
	RUN(s_pointer);
	RUN(s_do_while);
	RUN(s_break);
	RUN(s_return);
	RUN(s_carried);
	RUN(s_sum_behind);
	RUN(s_values_of_owner);
	RUN(s_predicates_of_owner);
	RUN(s_array_of_owner);
	RUN(s_array_inside);
	RUN(s_bound_of_owner);
	RUN(s_step_of_owner);
	RUN(s_bound_loaded);
	RUN(s_lane_number);
	RUN(s_volatile);
	RUN(s_inner_break);
	RUN(s_inner_return);
	RUN(s_inner_goto);
	RUN(s_inner_nested);
	RUN(s_inner_under_if);
	RUN(s_two_inner);
	RUN(s_inner_zero);
	RUN(s_inner_do);
	RUN(s_switch);
	RUN(s_some_enter);
	RUN(s_in_loop);
	RUN(s_in_branch);
	RUN(s_half_of_owner);
	RUN(s_vector_of_owner);
	RUN(s_continue);
	RUN(s_flat_5);
	RUN(s_flat_32);
	RUN(f_ordered);
	RUN(f_break_outer);
	RUN(f_inner_break);
	RUN(f_inner_return);
	RUN(f_inner_nested);
	RUN(f_two);
	RUN(f_empty);
	RUN(f_do);
	RUN(f_carry);
	RUN(f_float_order);
	RUN(f_under_if);
	RUN(f_three_deep);
	RUN(f_local_array);
	RUN(f_goto_between);
	RUN(f_predicates);
	return finish();
}
#else
static __device__ __noinline__ unsigned walk(unsigned s, unsigned until)
{
	while (s % until)
		s = mix(s);
	return s;
}
#define WALK_INNER(s, n) \
	CCC(for var) \
	for (int left = (n); left; --left) \
		s = mix(s + left);

__global__ void s_doubles_index(Args g)
{
	CCC(assign)
	for (int i = thread_id() + 1; i < g.n; i *= 2) {
		unsigned s = i;
		WALK_INNER(s, g.in[i] & 7)
		atomicAdd(g.count + (i & 63), s);
	}
}

__global__ void s_halves_index(Args g)
{
	CCC(assign)
	for (unsigned i = g.n ? g.n - 1 - thread_id() % g.n : 0; i; i >>= 1) {
		unsigned s = i;
		WALK_INNER(s, g.in[i] & 7)
		atomicAdd(g.count + (i & 63), s);
	}
}

__global__ void s_list(Args g)
{
	CCC(assign)
	for (int i = thread_id(); i < g.n; i += 1 + (g.in[i] & 63)) {
		unsigned s = i;
		WALK_INNER(s, g.in[i] & 7)
		atomicAdd(g.count + (i & 63), s);
	}
}

__global__ void s_float_index(Args g)
{
	CCC(assign)
	for (float x = 0.1f * thread_id(); x < 0.1f * (float)g.n; x += 0.1f * thread_count()) {
		unsigned s = __float_as_uint(x);
		WALK_INNER(s, s & 7)
		atomicAdd(g.count + (s & 63), s);
	}
}

__global__ void s_wraps(Args g)
{
	const unsigned t = thread_count(), per = (g.n + t - 1) / t, first = 0u - (thread_id() & 3);
	CCC(assign)
	for (unsigned u = first; u != first + per; ++u) {
		unsigned s = u * 7 + thread_id();
		WALK_INNER(s, s & 7)
		atomicAdd(g.count + (u & 63), s);
	}
}

__global__ void s_short(Args g)
{
	CCC(assign)
	for (unsigned short i = (unsigned short)thread_id(); i < (unsigned short)min(g.n, 30000); i = (unsigned short)(i + thread_count())) {
		unsigned s = i;
		WALK_INNER(s, g.in[i] & 7)
		g.out[i] = s;
	}
}

__global__ void s_char(Args g)
{
	CCC(assign)
	for (signed char i = (signed char)(thread_id() & 31); i < 100; i = (signed char)(i + 13)) {
		unsigned s = i;
		WALK_INNER(s, g.in[i] & 7)
		atomicAdd(g.count + (i & 63), s);
	}
}

__global__ void s_64(Args g)
{
	const long long big = 1ll << 40;
	CCC(assign)
	for (long long i = big + thread_id(); i < big + g.n; i += thread_count()) {
		unsigned s = (unsigned)(i >> 3);
		WALK_INNER(s, g.in[i - big] & 7)
		g.out[i - big] = s;
	}
}

__global__ void s_not_equal(Args g)
{
	const int per = g.n / thread_count();
	CCC(assign)
	for (int i = thread_id() * per; i != (thread_id() + 1) * per; i++) {
		unsigned s = i;
		WALK_INNER(s, g.in[i] & 7)
		g.out[i] = s;
	}
}

__global__ void s_two_counts(Args g)
{
	long long w = g.in64[thread_id() & 127];
	unsigned short h = (unsigned short)thread_id();
	CCC(assign)
	for (int i = thread_id(); i < g.n; i += thread_count(), w -= 0x987654321ll, h = (unsigned short)(h + 777)) {
		unsigned s = (unsigned)w ^ h;
		WALK_INNER(s, s & 7)
		g.out[i] = s + (unsigned)(w >> 32);
	}
}

__global__ void s_pointer(Args g)
{
	const int *p = g.in + thread_id();
	unsigned *q = g.out + thread_id();
	CCC(assign)
	for (; p < g.in + g.n; p += thread_count(), q += thread_count()) {
		unsigned s = *p;
		WALK_INNER(s, s & 7)
		*q = s;
	}
}

__global__ void s_do_while(Args g)
{
	int i = thread_id();
	CCC(assign)
	do {
		unsigned s = i;
		WALK_INNER(s, g.in[i % 800] & 7)
		atomicAdd(g.count + (i & 63), s);
		i += thread_count();
	} while (i < g.n);
}

__global__ void s_break(Args g)
{
	CCC(assign)
	GRID_STRIDE(i) {
		unsigned s = i;
		WALK_INNER(s, g.in[i] & 7)
		g.out[i] = s;
		if (s % 16 == 3)
			break;
	}
}

__global__ void s_return(Args g)
{
	CCC(assign)
	GRID_STRIDE(i) {
		if (g.in[i] % 32 == 3)
			return;
		unsigned s = i;
		WALK_INNER(s, g.in[i] & 7)
		g.out[i] = s;
	}
	g.per_thread[thread_id()] = 1;
}

__global__ void s_carried(Args g)
{
	unsigned t = thread_id();
	CCC(assign)
	GRID_STRIDE(i) {
		unsigned s = i + t;
		WALK_INNER(s, g.in[i] & 7)
		g.out[i] = s;
		t = s;
	}
}

__global__ void s_sum_behind(Args g)
{
	unsigned t = 0;
	CCC(assign)
	GRID_STRIDE(i) {
		unsigned s = i;
		WALK_INNER(s, g.in[i] & 7)
		t += s;
	}
	g.per_thread[thread_id()] = t;
}

__global__ void s_values_of_owner(Args g)
{
	const int o = thread_id() % 800;
	const unsigned char c = (unsigned char)g.in[o];
	const short h = (short)g.in[o];
	const float f = g.in4[o].x;
	const double d = g.in_double[o];
	const long long w = g.in64[o];
	CCC(assign)
	GRID_STRIDE(i) {
		unsigned s = i + c * 3;
		WALK_INNER(s, (g.in[i] + h) & 7)
		g.out[i] = s + h + __float_as_uint(f * 2) + (unsigned)(w >> 7);
		g.out2[i] = (unsigned)(long long)(d * 3) + threadIdx.x + threadIdx.y * 5;
	}
	g.per_thread[thread_id()] = c + h + (unsigned)w;
}

__global__ void s_predicates_of_owner(Args g)
{
	const int o = thread_id() % 800;
	const bool a = g.in[o] & 1, b = g.in[o] % 3 == 0, c = a != b, d = g.in4[o].x > g.in4[o].y;
	CCC(assign)
	GRID_STRIDE(i) {
		unsigned s = i;
		if (a)
			s ^= 5;
		WALK_INNER(s, (g.in[i] & 7) + b)
		if (c && s & 1)
			s += 3;
		if (!d)
			s = ~s;
		g.out[i] = s;
	}
	g.per_thread[thread_id()] = a + 2 * b + 4 * c + 8 * d;
}

__global__ void s_array_of_owner(Args g)
{
	unsigned a[8];
	for (int k = 0; k < 8; k++)
		a[k] = g.in[(thread_id() + k) % 800];
	CCC(assign)
	GRID_STRIDE(i) {
		unsigned s = i;
		WALK_INNER(s, g.in[i] & 7)
		g.out[i] = s + a[s & 7];
	}
}

__global__ void s_array_inside(Args g)
{
	CCC(assign)
	GRID_STRIDE(i) {
		unsigned a[8];
		for (int k = 0; k < 8; k++)
			a[k] = g.in[i + k];
		unsigned s = i;
		CCC(for var)
		for (int left = g.in[i] & 7; left; --left)
			s = mix(s + a[s & 7]);
		g.out[i] = s + a[s & 7];
	}
}

__global__ void s_bound_of_owner(Args g)
{
	const int end = g.n - (g.in[thread_id() % 800] & 127);
	CCC(assign)
	for (int i = thread_id(); i < end; i += thread_count()) {
		unsigned s = i;
		WALK_INNER(s, g.in[i] & 7)
		g.out[i] = s;
	}
}

__global__ void s_step_of_owner(Args g)
{
	const int step = 1 + (g.in[thread_id() % 800] & 63);
	CCC(assign)
	for (int i = thread_id(); i < g.n; i += step) {
		unsigned s = i;
		WALK_INNER(s, g.in[i] & 7)
		atomicAdd(g.out + i, s);
	}
}

__global__ void s_bound_loaded(Args g)
{
	CCC(assign)
	for (int i = thread_id(); i < min(g.n, 700 + g.in[i % 800] % 100); i += thread_count()) {
		unsigned s = i;
		WALK_INNER(s, g.in[i] & 7)
		g.out[i] = s;
	}
}

__global__ void s_lane_number(Args g)
{
	CCC(assign)
	GRID_STRIDE(i) {
		unsigned s = i, lane;
		WALK_INNER(s, g.in[i] & 7)
		asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
		g.out[i] = s + lane;
	}
}

__global__ void s_volatile(Args g)
{
	volatile unsigned *out = g.out;
	CCC(assign)
	GRID_STRIDE(i) {
		unsigned s = i;
		WALK_INNER(s, g.in[i] & 7)
		out[i] = s;
		out[i] += 3;
	}
}

__global__ void s_inner_break(Args g)
{
	CCC(assign)
	GRID_STRIDE(i) {
		unsigned s = i;
		CCC(while)
		for (int left = g.in[i] & 31; left; --left) {
			s = mix(s + left);
			if (s % 9 == 0)
				break;
			if (s % 9 == 1)
				left = min(left, 3);
		}
		g.out[i] = s;
	}
}

__global__ void s_inner_return(Args g)
{
	CCC(assign)
	GRID_STRIDE(i) {
		unsigned s = i;
		CCC(while)
		for (int left = g.in[i] & 31; left; --left) {
			s = mix(s + left);
			if (s % 29 == 0)
				return;
		}
		g.out[i] = s;
	}
}

__global__ void s_inner_goto(Args g)
{
	CCC(assign)
	GRID_STRIDE(i) {
		unsigned s = i;
		CCC(while)
		for (int left = g.in[i] & 31; left; --left) {
			s = mix(s + left);
			if (s % 29 == 0)
				goto next;
			if (s % 29 == 1)
				goto store;
		}
		s++;
	store:
		g.out[i] = s;
	next:
		g.out2[i] = s;
	}
}

__global__ void s_inner_nested(Args g)
{
	CCC(assign)
	GRID_STRIDE(i) {
		unsigned s = i;
		CCC(for var)
		for (int left = g.in[i] & 7; left; --left) {
			CCC(for var)
			for (int k = s & 3; k < left; k++)
				s = mix(s + k);
			s++;
		}
		g.out[i] = s;
	}
}

__global__ void s_inner_under_if(Args g)
{
	CCC(assign)
	GRID_STRIDE(i) {
		unsigned s = i;
		if (g.in[i] & 8) {
			s += 5;
			WALK_INNER(s, g.in[i] & 7)
			s ^= 3;
		}
		g.out[i] = s;
	}
}

__global__ void s_two_inner(Args g)
{
	CCC(assign)
	GRID_STRIDE(i) {
		unsigned s = i;
		WALK_INNER(s, g.in[i] & 7)
		s += 3;
		WALK_INNER(s, s & 7)
		g.out[i] = s;
	}
}

__global__ void s_inner_zero(Args g)
{
	CCC(assign)
	GRID_STRIDE(i) {
		unsigned s = i;
		WALK_INNER(s, 0 * g.in[i])
		g.out[i] = s;
	}
}

__global__ void s_inner_do(Args g)
{
	CCC(assign)
	GRID_STRIDE(i) {
		unsigned s = i;
		CCC(while)
		do
			s = mix(s);
		while (s % 5);
		g.out[i] = s;
	}
}

__global__ void s_switch(Args g)
{
	CCC(assign)
	GRID_STRIDE(i) {
		unsigned s = i;
		switch (g.in[i] % 5) {
		case 0: s = walk(s, 3);
		case 1: s += 7; break;
		case 2: continue;
		case 4: { WALK_INNER(s, g.in[i] & 15) break; }
		}
		g.out[i] = s;
	}
}

__global__ void s_some_enter(Args g)
{
	if (g.in[thread_id() % 800] % 3 == 0)
		return;
	CCC(assign)
	GRID_STRIDE(i) {
		unsigned s = i;
		WALK_INNER(s, g.in[i] & 7)
		g.out[i] = s;
	}
	g.per_thread[thread_id()] = 3;
}

__global__ void s_in_loop(Args g)
{
	for (int round = 0; round < (thread_id() & 3); round++) {
		CCC(assign)
		for (int i = thread_id() + round; i < g.n / 2; i += thread_count() + round) {
			unsigned s = i;
			WALK_INNER(s, g.in[i] & 7)
			atomicAdd(g.out + i, s * (round + 1));
		}
	}
}

__global__ void s_in_branch(Args g)
{
	if (g.in[thread_id() % 800] & 1) {
		CCC(assign)
		GRID_STRIDE(i) {
			unsigned s = i;
			WALK_INNER(s, g.in[i] & 7)
			atomicAdd(g.out + i, s);
		}
	} else {
		CCC(assign policy(flatten(2)))
		GRID_STRIDE(i) {
			unsigned s = i + 1;
			WALK_INNER(s, g.in[i] & 15)
			atomicAdd(g.out + i, s);
		}
	}
}

__global__ void s_half_of_owner(Args g)
{
	const __half h = __float2half((float)(g.in[thread_id() % 800] & 31));
	const __half2 p = __floats2half2_rn((float)(g.in[thread_id() % 800] >> 5 & 31), 2.f);
	CCC(assign)
	GRID_STRIDE(i) {
		unsigned s = i;
		WALK_INNER(s, g.in[i] & 7)
		g.out[i] = s + (unsigned)__half2float(__hmul(h, __float2half(2.f))) + (unsigned)__low2float(__hadd2(p, p));
	}
}

__global__ void s_vector_of_owner(Args g)
{
	const float4 v = g.in4[thread_id() % 800];
	CCC(assign)
	GRID_STRIDE(i) {
		unsigned s = i;
		WALK_INNER(s, g.in[i] & 7)
		const float4 u = g.in4[i];
		g.out[i] = s + (unsigned)(v.x * u.x + v.y * u.y) + (unsigned)(v.z + v.w);
	}
}

__global__ void s_continue(Args g)
{
	CCC(assign)
	GRID_STRIDE(i) {
		if (g.in[i] % 3 == 0)
			continue;
		unsigned s = i;
		CCC(for var)
		for (int left = g.in[i] & 15; left; --left) {
			if (s & 1) {
				s = s * 5 + 2;
				continue;
			}
			s = mix(s + left);
		}
		if (s & 4)
			continue;
		g.out[i] = s;
	}
}

__global__ void s_flat_5(Args g)
{
	CCC(assign policy(flatten(5)))
	GRID_STRIDE(i) {
		unsigned s = i;
		WALK_INNER(s, g.in[i] & 15)
		g.out[i] = s;
	}
}

__global__ void s_flat_32(Args g)
{
	CCC(assign policy(flatten(32)))
	GRID_STRIDE(i) {
		unsigned s = i;
		WALK_INNER(s, g.in[i] & 63)
		g.out[i] = s;
	}
}

// From here on, every lane keeps its own iterations and their order.
__global__ void f_ordered(Args g)
{
	unsigned s = thread_id();
	CCC(for)
	GRID_STRIDE(i) {
		CCC(for var policy(flatten(3)))
		for (int k = g.in[i] & 15; k > 0; --k)
			s = mix(s + k);
		s += i;
	}
	g.per_thread[thread_id()] = s;
}

__global__ void f_break_outer(Args g)
{
	unsigned s = thread_id();
	CCC(for)
	GRID_STRIDE(i) {
		CCC(for var policy(flatten))
		for (int k = g.in[i] & 15; k > 0; --k)
			s = mix(s + k);
		if (s % 7 == 2)
			break;
		if (s % 7 == 3)
			continue;
		if (s % 37 == 4)
			return;
		s += i;
	}
	g.per_thread[thread_id()] = s;
}

__global__ void f_inner_break(Args g)
{
	unsigned s = thread_id();
	CCC(for)
	GRID_STRIDE(i) {
		int k;
		CCC(while policy(flatten(4)))
		for (k = g.in[i] & 31; k > 0; --k) {
			s = mix(s + k);
			if (s % 11 == 2)
				break;
		}
		g.out[i] = k;
	}
	g.per_thread[thread_id()] = s;
}

__global__ void f_inner_return(Args g)
{
	unsigned s = thread_id();
	CCC(for)
	GRID_STRIDE(i) {
		CCC(while policy(flatten))
		for (int k = g.in[i] & 31; k > 0; --k) {
			s = mix(s + k);
			if (s % 101 == 2) {
				g.out2[i] = s;
				return;
			}
			if (s % 101 == 3)
				goto out;
		}
		g.out[i] = s;
	}
out:
	g.per_thread[thread_id()] = s;
}

__global__ void f_inner_nested(Args g)
{
	unsigned s = thread_id();
	CCC(for)
	GRID_STRIDE(i)
		for (int j = 0; j < (g.in[i] & 3); j++) {
			CCC(for var policy(flatten(2)))
			for (int k = g.in[i + j] & 7; k > 0; --k)
				s = mix(s + k * j);
			s++;
		}
	g.per_thread[thread_id()] = s;
}

__global__ void f_two(Args g)
{
	unsigned s = thread_id();
	CCC(for)
	GRID_STRIDE(i) {
		CCC(for var policy(flatten))
		for (int k = g.in[i] & 7; k > 0; --k)
			s = mix(s + k);
		CCC(for var policy(flatten))
		for (int k = s & 7; k > 0; --k)
			s = mix(s ^ k);
		g.out[i] = s;
	}
}

__global__ void f_empty(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		unsigned s = 1;
		CCC(for var policy(flatten(7)))
		for (int k = (g.in[i] & 1023) - 1000; k > 0; --k)
			s = mix(s + k);
		g.out[i] = s;
	}
}

__global__ void f_do(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		unsigned s = i;
		CCC(while policy(flatten(2)))
		do {
			s = mix(s);
			if (s & 1)
				continue;
			s ^= 5;
		} while (s % 7);
		g.out[i] = s;
	}
}

__global__ void f_carry(Args g)
{
	unsigned lo = thread_id(), hi = 0;
	CCC(for)
	GRID_STRIDE(i) {
		CCC(for var policy(flatten(2)))
		for (int k = g.in[i] & 7; k > 0; --k)
			asm volatile("add.cc.u32 %0, %0, %2;\n\taddc.u32 %1, %1, 0;" : "+r"(lo), "+r"(hi) : "r"(mix(lo + k)));
		g.out[i] = lo ^ hi;
	}
	g.per_thread[thread_id()] = hi;
}

__global__ void f_float_order(Args g)
{
	float s = 1.f;
	double d = 0;
	CCC(for)
	GRID_STRIDE(i) {
		CCC(for var policy(flatten(2)))
		for (int k = g.in[i] & 7; k > 0; --k) {
			s = s * 0.37f + (float)k * 1e-3f;
			d += s;
		}
		g.out[i] = __float_as_uint(s);
	}
	g.per_thread[thread_id()] = (unsigned)__double_as_longlong(d);
}

__global__ void f_under_if(Args g)
{
	unsigned s = thread_id();
	CCC(for)
	GRID_STRIDE(i) {
		if (g.in[i] & 16) {
			s += 3;
			if (g.in[i] & 32) {
				CCC(for var policy(flatten(2)))
				for (int k = g.in[i] & 7; k > 0; --k)
					s = mix(s + k);
			}
			s ^= i;
		} else if (g.in[i] & 64) {
			continue;
		}
		g.out[i] = s;
	}
}

__global__ void f_three_deep(Args g)
{
	unsigned s = thread_id();
	CCC(for)
	GRID_STRIDE(i) {
		CCC(for var policy(flatten(2)))
		for (int j = g.in[i] & 3; j > 0; --j) {
			for (int k = g.in[i + j] & 3; k > 0; --k)
				for (int l = s & 3; l < 3; l++) {
					s = mix(s + k * l);
					if (s % 17 == 2)
						goto next;
				}
			s += 5;
		}
	next:
		g.out[i] = s;
	}
}

__global__ void f_local_array(Args g)
{
	unsigned a[8] = {1, 2, 3, 4, 5, 6, 7, 8};
	CCC(for)
	GRID_STRIDE(i) {
		CCC(for var policy(flatten(2)))
		for (int k = g.in[i] & 7; k > 0; --k)
			a[k] = mix(a[a[k - 1] & 7] + k);
		g.out[i] = a[g.in[i] >> 3 & 7];
	}
	g.per_thread[thread_id()] = a[g.k & 7];
}

__global__ void f_goto_between(Args g)
{
	unsigned s = thread_id();
	CCC(for)
	GRID_STRIDE(i) {
		int k = g.in[i] & 15;
		if (s & 1)
			goto middle;
		s ^= 1;
		for (; k > 0; --k) {
			s = mix(s + k);
		middle:
			if (s % 13 == 3)
				break;
			s++;
		}
		g.out[i] = s;
	}
}

__global__ void f_predicates(Args g)
{
	bool a = false, b = true;
	CCC(for)
	GRID_STRIDE(i) {
		CCC(for var policy(flatten(2)))
		for (int k = g.in[i] & 7; k > 0; --k) {
			a = b != (mix(k + i) % 3 == 0);
			b = !b || a;
		}
		g.out[i] = a + 2 * b;
	}
	g.per_thread[thread_id()] = a + 2 * b;
}
#endif
// SPDX-License-Identifier: MIT
