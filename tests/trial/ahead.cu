// Trial of `ahead` and `unify`: tests, counters and arms that are hard to look ahead through. STRICT: no, some are refused.
#ifndef KERNELS
#define KERNELS "../trial/ahead.cu"
#include "../gpu/gpu_test.cuh"
int main()
{
	RUN(a_goto_sides);
	RUN(a_inner_loops);
	RUN(a_one_reads_other);
	RUN(a_float_count);
	RUN(a_doubles);
	RUN(a_generator);
	RUN(a_conditional_count);
	RUN(a_chase);
	RUN(a_two_counts);
	RUN(a_volatile_test);
	RUN(a_atomic_test);
	RUN(a_flag_flips);
	RUN(a_short_count);
	RUN(a_down);
	RUN(a_wraps);
	RUN(a_return_inside);
	RUN(a_break_effect);
	RUN(a_break_test);
	RUN(a_ordered);
	RUN(a_ordered_both);
	RUN(a_min_fold);
	RUN(a_float_sum);
	RUN(a_last);
	RUN(a_nested_unify);
	RUN(a_three);
	RUN(a_chain);
	RUN(a_switch);
	RUN(a_one_ahead);
	RUN(a_local_array);
	RUN(a_array_in_both);
	RUN(a_test_loop);
	RUN(a_do_while);
	RUN(a_index_behind);
	RUN(a_rest_reads);
	RUN(a_shared_read);
	RUN(a_returns_before);
	RUN(a_in_loop);
	RUN(a_continue);
	RUN(a_predicate_behind);
	RUN(a_wide_stride);
	RUN(a_path_changes_index);
	RUN(a_path_changes_bound);
	RUN(a_reads_own_write);
	RUN(a_div_by_zero);
	RUN(a_out_of_bounds);
	RUN(a_infinite_by_return);
	return finish();
}
#else
static __device__ __noinline__ unsigned walk(unsigned s, unsigned until)
{
	while (s % until)
		s = mix(s);
	return s;
}

__global__ void a_goto_sides(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		unsigned x = g.in[i], n = 0;
		CCC(unify)
		if (x & 4) {
		again:
			x = mix(x);
			if (x % 5 == 0)
				goto done;
			if (++n < 9)
				goto again;
			x ^= 3;
		done:
			g.out[i] = x;
		} else {
			do {
				x = mix(x) + n;
				if (x % 3 == 0)
					break;
				if (x % 3 == 1)
					continue;
				n += 2;
			} while (++n < 11);
			g.out2[i] = x + n;
		}
	}
}

__global__ void a_inner_loops(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(unify policy(ahead(7)))
		if (g.in[i] & 1) {
			unsigned s = 0;
			for (int j = 0; j < (g.in[i] >> 3 & 7); j++)
				for (int k = j; k < 9; k++) {
					s = mix(s + k);
					if (s % 13 == 0)
						goto out;
				}
		out:
			g.out[i] = s;
		} else {
			g.out[i] = walk(i, 5);
		}
	}
}

__global__ void a_one_reads_other(Args g)
{
	unsigned s = thread_id();
	CCC(for)
	GRID_STRIDE(i) {
		CCC(unify)
		if (g.in[i] & 1)
			s = walk(s + i, 5);
		else
			g.out[i] = walk(i, 5) + s;
	}
	g.per_thread[thread_id()] = s;
}

// The counter is a float: adding differs from multiplying.
__global__ void a_float_count(Args g)
{
	float f = 0.1f * thread_id();
	CCC(for)
	for (int i = thread_id(); i < g.n; i += thread_count(), f += 0.1f) {
		CCC(if)
		if (wants(g, i))
			g.out[i] = walk(i, 5) + __float_as_uint(f);
	}
}

__global__ void a_doubles(Args g)
{
	CCC(for)
	for (double d = thread_id(); d < g.n; d += thread_count()) {
		const int i = (int)d;
		CCC(if)
		if (wants(g, i))
			g.out[i] = walk(i, 5) + (unsigned)d;
	}
}

__global__ void a_generator(Args g)
{
	unsigned s = thread_id();
	CCC(for)
	GRID_STRIDE(i) {
		s = s * 1664525u + 1013904223u;
		CCC(if)
		if (s >> 29 < (unsigned)g.k)
			g.out[i] = walk(i, 5);
	}
}

__global__ void a_conditional_count(Args g)
{
	CCC(for)
	for (int i = thread_id(); i < g.n; i += g.in[i] & 64 ? thread_count() : 2 * thread_count()) {
		CCC(if)
		if (wants(g, i))
			g.out[i] = walk(i, 5);
	}
}

__global__ void a_chase(Args g)
{
	CCC(for)
	for (int i = thread_id(); i < g.n; i = i + thread_count() + (g.in[i] & 3)) {
		CCC(if)
		if (wants(g, i))
			atomicAdd(g.out + i, walk(i, 5));
	}
}

__global__ void a_two_counts(Args g)
{
	long long w = g.in64[thread_id() & 63];
	const int *p = g.in + thread_id();
	CCC(for)
	for (int i = thread_id(); i < g.n; i += thread_count(), p += thread_count(), w -= 0x123456789abll) {
		CCC(unify)
		if ((*p ^ w) & 4)
			g.out[i] = walk((unsigned)w, 5);
		else
			g.out2[i] = walk((unsigned)(w >> 20), 5);
	}
}

__global__ void a_volatile_test(Args g)
{
	volatile const int *in = g.in;
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (in[i] & 4)
			g.out[i] = walk(i, 5);
	}
}

// The test has a side effect.
__global__ void a_atomic_test(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (atomicAdd(g.out2 + i, 3) == 0 && wants(g, i))
			g.out[i] = walk(i, 5);
	}
}

__global__ void a_flag_flips(Args g)
{
	bool odd = thread_id() & 1;
	CCC(for)
	GRID_STRIDE(i) {
		odd = !odd;
		CCC(unify)
		if (odd)
			g.out[i] = walk(i, 5);
		else
			g.out[i] = walk(i + 1, 7);
	}
}

__global__ void a_short_count(Args g)
{
	CCC(for)
	for (unsigned short i = (unsigned short)thread_id(); i < (unsigned short)min(g.n, 30000); i = (unsigned short)(i + thread_count())) {
		CCC(if)
		if (wants(g, i))
			g.out[i] = walk(i, 5);
	}
}

__global__ void a_down(Args g)
{
	CCC(for)
	for (int i = g.n - 1 - thread_id(); i >= 0; i -= thread_count()) {
		CCC(unify policy(ahead(3)))
		if (g.in[i] & 2)
			g.out[i] = walk(i, 5);
		else
			g.out2[i] = walk(i, 7);
	}
}

// The index wraps around, and the loop ends with !=.
__global__ void a_wraps(Args g)
{
	const unsigned t = thread_count(), per = (g.n + t - 1) / t, first = 0u - thread_id() * per;
	CCC(for)
	for (unsigned u = first; u != first + per; ++u) {
		const int i = (int)(u - first) * (int)t + thread_id();
		CCC(if)
		if (i < g.n && wants(g, i))
			g.out[i] = walk(u, 5);
	}
}

__global__ void a_return_inside(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		const int v = g.in[i];
		if (v % 61 == 5)
			return;
		CCC(unify)
		if (v & 2)
			g.out[i] = walk(i, 5);
		else
			g.out2[i] = walk(i, 7);
	}
	g.per_thread[thread_id()] = 1;
}

__global__ void a_break_effect(Args g)
{
	int i;
	CCC(for)
	for (i = thread_id(); i < g.n; i += thread_count()) {
		const int v = g.in[i];
		if (v % 61 == 5) {
			g.out2[i] = v;
			break;
		}
		CCC(if)
		if (v & 2)
			g.out[i] = walk(i, 5);
		if (v % 67 == 6)
			break;
	}
	g.per_thread[thread_id()] = i;
}

__global__ void a_break_test(Args g)
{
	unsigned s = 1;
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i)) {
			s = walk(s + i, 5);
			g.out[i] = s;
			if (s % 7 == 2)
				break;
		}
	}
	g.per_thread[thread_id()] = s;
}

__global__ void a_ordered(Args g)
{
	unsigned s = thread_id();
	float f = 1.f;
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i)) {
			s = walk(s * 3 + i, 5);
			f = f * 0.75f + (float)(s & 15);
		}
	}
	g.per_thread[thread_id()] = s ^ __float_as_uint(f);
}

// Both arms change one value, so their order matters.
__global__ void a_ordered_both(Args g)
{
	unsigned s = thread_id();
	CCC(for)
	GRID_STRIDE(i) {
		CCC(unify)
		if (wants(g, i))
			s = walk(s * 3 + i, 5);
		else
			s = walk(s * 7 + i, 3);
	}
	g.per_thread[thread_id()] = s;
}

__global__ void a_min_fold(Args g)
{
	unsigned most = 0;
	float least = __int_as_float(0x7fffffff);
	CCC(for)
	GRID_STRIDE(i) {
		CCC(unify)
		if (wants(g, i))
			most = max(most, walk(i, 5));
		else
			least = fminf(least, (float)walk(i, 7));
	}
	g.per_thread[thread_id()] = most ^ __float_as_uint(least);
}

__global__ void a_float_sum(Args g)
{
	float s = 0.3f;
	CCC(for)
	GRID_STRIDE(i) {
		const float x = g.in[i] * 1e-3f;
		CCC(unify)
		if (g.in[i] & 4)
			s += x * 1.7f;
		else
			g.out[i] = walk(i, 5);
	}
	g.per_thread[thread_id()] = __float_as_uint(s);
}

__global__ void a_last(Args g)
{
	int last = -1, other = -1;
	CCC(for)
	GRID_STRIDE(i) {
		CCC(unify)
		if (g.in[i] & 4) {
			g.out[i] = walk(i, 5);
			last = i;
		} else {
			g.out[i] = walk(i, 3);
			other = i;
		}
	}
	g.per_thread[thread_id()] = last * 1000 + other;
}

__global__ void a_nested_unify(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(unify)
		if (g.in[i] & 4) {
			CCC(unify)
			if (g.in[i] & 2)
				g.out[i] = walk(i, 5);
			else
				g.out[i] = walk(i, 6);
		} else {
			CCC(if)
			if (g.in[i] & 1)
				g.out2[i] = walk(i, 7);
		}
	}
}

__global__ void a_three(Args g)
{
	unsigned s = 0;
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (g.in[i] & 1) {
			s = s * 5 + i;
			atomicAdd(g.out2 + i, s);
		}
		CCC(unify)
		if (g.in[i] & 4)
			g.out[i] = walk(i, 5);
		else
			g.out[i] = walk(i, 6);
		CCC(if)
		if (g.in[i] & 8)
			atomicXor(g.out2 + i, walk(i, 9));
	}
	g.per_thread[thread_id()] = s;
}

__global__ void a_chain(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		const unsigned x = g.in[i];
		CCC(unify)
		if (x % 5 == 0)
			g.out[i] = walk(x, 5);
		else if (x % 5 == 1)
			g.out[i] = walk(x, 6);
		else if (x % 5 == 2)
			g.out2[i] = walk(x, 7);
	}
}

__global__ void a_switch(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		unsigned x = g.in[i];
		CCC(switch)
		switch (x % 7) {
		case 0: g.out[i] = walk(x, 5);
		case 1: g.out2[i] = walk(x, 6); break;
		case 3: x = walk(x, 8); g.out[i] = x; break;
		case 5: continue;
		default: break;
		}
	}
}

__global__ void a_one_ahead(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(unify policy(ahead(1)))
		if (g.in[i] & 4)
			g.out[i] = walk(i, 5);
		else
			g.out2[i] = walk(i, 6);
	}
}

// When the path runs, the array contains what the last iteration wrote.
__global__ void a_local_array(Args g)
{
	unsigned a[8] = {1, 2, 3, 4, 5, 6, 7, 8};
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (a[g.in[i] & 7] % 3 || wants(g, i)) {
			const unsigned x = walk(i, 5);
			a[x & 7] += x;
			g.out[i] = a[i & 7];
		}
	}
	g.per_thread[thread_id()] = a[g.k & 7];
}

__global__ void a_array_in_both(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		unsigned a[8];
		for (int k = 0; k < 8; k++)
			a[k] = g.in[i + k];
		CCC(unify)
		if (a[g.k & 7] & 1) {
			a[g.in[i] & 7] = walk(i, 5);
			g.out[i] = a[g.in[i] >> 4 & 7];
		} else {
			g.out2[i] = walk(a[g.in[i] >> 6 & 7], 3);
		}
	}
}

__global__ void a_test_loop(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		unsigned x = g.in[i];
		int n = 0;
		while (x % 3) {
			x = mix(x);
			if (++n == 5)
				break;
		}
		CCC(unify)
		if (n > 1)
			g.out[i] = walk(x, 5);
		else
			g.out2[i] = walk(x, 6);
	}
}

__global__ void a_do_while(Args g)
{
	int i = thread_id();
	CCC(for)
	do {
		CCC(unify)
		if (g.in[i] & 1)
			g.out[i] = walk(i, 5);
		else
			g.out2[i] = walk(i, 6);
		i += thread_count();
	} while (i < g.n);
	g.per_thread[thread_id()] = i;
}

__global__ void a_index_behind(Args g)
{
	int i = thread_id(), j = 7 * i;
	CCC(for)
	for (; i < g.n; i += thread_count()) {
		CCC(if)
		if (wants(g, i))
			g.out[i] = walk(j, 5);
		j += 3;
	}
	g.per_thread[thread_id()] = i * 5 + j;
}

__global__ void a_rest_reads(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		unsigned x = 5;
		CCC(unify)
		if (g.in[i] & 2)
			x = walk(i, 5);
		else
			x = walk(i, 6) + 1;
		g.out[i] = x * 3;
	}
}

// The test reads memory that is not written while the loop runs.
__global__ void a_shared_read(Args g)
{
	__shared__ int table[32];
	if (block_rank() < 32)
		table[block_rank()] = g.in[block_rank()];
	__syncthreads();
	const int most = min(block_size(), 32);
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if policy(ahead) independent)
		if (table[g.in[i] & 31 & (most == 32 ? 31 : 0)] & 2)
			g.out[i] = walk(i, 5);
	}
}

__global__ void a_returns_before(Args g)
{
	if (g.in[thread_id() & 511] % 3 == 0)
		return;
	CCC(for)
	GRID_STRIDE(i) {
		CCC(unify)
		if (g.in[i] & 2)
			g.out[i] = walk(i, 5);
		else
			g.out2[i] = walk(i, 6);
	}
	if (g.in[thread_id() & 511] % 5 == 0)
		return;
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if policy(ahead(4)))
		if (g.in[i] & 8)
			atomicAdd(g.out + i, walk(i, 7));
	}
}

__global__ void a_in_loop(Args g)
{
	unsigned total = 0;
	for (int round = 0; round < 1 + (thread_id() & 3); round++) {
		CCC(for)
		for (int i = thread_id() + round; i < g.n / 4; i += thread_count() + round) {
			CCC(unify)
			if (g.in[i] & 2)
				total += walk(i, 5);
			else
				atomicAdd(g.count + (i & 63), walk(i, 6));
		}
		total = mix(total);
	}
	g.per_thread[thread_id()] = total;
}

__global__ void a_continue(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		const unsigned x = g.in[i];
		if (x % 5 == 0)
			continue;
		if (x % 5 == 1 && g.in[i + 1] & 1)
			continue;
		CCC(unify)
		if (x & 2) {
			g.out[i] = walk(i, 5);
			if (x & 64)
				continue;
			g.out2[i] = 3;
		} else {
			g.out[i] = walk(i, 6);
		}
	}
}

__global__ void a_predicate_behind(Args g)
{
	bool found = false, both = true;
	CCC(for)
	GRID_STRIDE(i) {
		CCC(unify)
		if (g.in[i] & 2)
			found = found || walk(i, 5) % 7 == 3;
		else
			both = both && walk(i, 6) % 3;
	}
	g.per_thread[thread_id()] = found + 2 * both;
}

__global__ void a_wide_stride(Args g)
{
	const unsigned long long stride = (unsigned long long)thread_count() << 32 | thread_count();
	CCC(for)
	for (unsigned long long i = (unsigned long long)thread_id() << 32 | thread_id(); (unsigned)i < g.n; i += stride) {
		CCC(unify)
		if (g.in[i >> 32] & 2)
			g.out[(unsigned)i] = walk((unsigned)i, 5);
		else
			g.out2[i >> 32] = walk((unsigned)i, 6);
	}
}

__global__ void a_path_changes_index(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i)) {
			const unsigned x = walk(i, 5);
			atomicAdd(g.out + i, x);
			if (x & 4)
				i += thread_count();
		}
	}
}

__global__ void a_path_changes_bound(Args g)
{
	int end = g.n;
	CCC(for)
	for (int i = thread_id(); i < end; i += thread_count()) {
		CCC(if)
		if (wants(g, i)) {
			g.out[i] = walk(i, 5);
			end -= thread_count() / 2;
		}
	}
	g.per_thread[thread_id()] = end;
}

// The test of an iteration reads what the path of the previous one has written.
__global__ void a_reads_own_write(Args g)
{
	g.per_thread[thread_id()] = 0;
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if policy(ahead))
		if ((g.per_thread[thread_id()] ^ g.in[i]) & 4)
			g.per_thread[thread_id()] += walk(i, 5);
	}
}

// The iteration in which the lane exits must not read anything: the index is far out of bounds.
__global__ void a_out_of_bounds(Args g)
{
	CCC(for)
	for (int i = thread_id(); i < g.n; i += g.in[i] & 1 ? thread_count() : 0x1000000) {
		CCC(if)
		if (wants(g, i))
			g.out[i] = walk(i, 5);
	}
	const int stride = 0x10000000;
	CCC(for)
	for (long long i = thread_id(); i < g.n; i += stride) {
		CCC(unify)
		if (g.in[i] & 2)
			atomicAdd(g.out2 + i, walk(i, 5));
		else
			atomicAdd(g.out2 + i, walk(i, 6));
	}
}

__global__ void a_div_by_zero(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		const int d = g.in[i] & 3;
		if (d == 0)
			continue;
		CCC(if)
		if (g.in[i + 1] / d & 1)
			g.out[i] = walk(i, 5) % d;
	}
}

__global__ void a_infinite_by_return(Args g)
{
	int i = thread_id();
	CCC(for)
	for (;;) {
		if (i >= g.n) {
			g.per_thread[thread_id()] = i;
			return;
		}
		CCC(unify)
		if (g.in[i] & 2)
			g.out[i] = walk(i, 5);
		else
			g.out2[i] = walk(i, 6);
		i += thread_count();
	}
}
#endif
// SPDX-License-Identifier: MIT
