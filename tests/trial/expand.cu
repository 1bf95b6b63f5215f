// Trial of `for var`: induction variables, bounds and bodies that are hard to expand. STRICT: no, some of them are refused.
#include <cuda_fp16.h>
#ifndef KERNELS
#define KERNELS "../trial/expand.cu"
#include "../gpu/gpu_test.cuh"
int main()
{
	RUN(e_wrap_not_equal);
	RUN(e_post_decrement);
	RUN(e_down_to_zero);
	RUN(e_near_int_max);
	RUN(e_empty_unsigned);
	RUN(e_char_wraps);
	RUN(e_short);
	RUN(e_huge_stride64);
	RUN(e_wide_difference);
	RUN(e_wide_difference_unsigned);
	RUN(e_wide_difference64);
	RUN(e_uniform_step);
	RUN(e_lane_step);
	RUN(e_bound_changes);
	RUN(e_break);
	RUN(e_nested);
	RUN(e_last_value);
	RUN(e_nan_extremes);
	RUN(e_zero_extremes);
	RUN(e_double_extremes);
	RUN(e_short_sum);
	RUN(e_product);
	RUN(e_bools);
	RUN(e_reversed_difference);
	RUN(e_sum_of_sum);
	RUN(e_sum_indexes);
	RUN(e_slots);
	RUN(e_array_before);
	RUN(e_array_behind);
	RUN(e_array_inside);
	RUN(e_volatile);
	RUN(e_lane_number);
	RUN(e_carry_inside);
	RUN(e_two_loops);
	RUN(e_goto_out);
	RUN(e_switch_inside);
	RUN(e_leaves_behind);
	RUN(e_pointer_to_local);
	RUN(e_shared);
	RUN(e_pointer_step);
	RUN(e_triangular);
	RUN(e_negative_length);
	RUN(e_once);
	RUN(e_index_written);
	RUN(e_unsigned_min);
	RUN(e_mixed_fold);
	RUN(e_half_value);
	RUN(e_signed_bound_to_64);
	RUN(e_divergent_entry);
	RUN(e_sum_read_in_loop);
	RUN(e_min_of_two);
	RUN(e_shifted);
	return finish();
}
#else
__device__ __forceinline__ int row_length(const Args &g, int i)
{
	const unsigned x = mix(g.in[i]);
	return (x & 15) == 0 ? 30 + (x >> 8) % 100 : x & 1 ? 0 : (x >> 8) % 14;
}
__device__ __forceinline__ void visit(const Args &g, unsigned i, unsigned k)
{
	atomicAdd(g.count + k % 64, mix(i * 331 + k));
}
#define HALF_STRIDE(i) for (int i = thread_id(); i < g.n / 4; i += thread_count())

__global__ void e_wrap_not_equal(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const unsigned begin = 0u - (g.in[i] & 31), end = begin + row_length(g, i);
		CCC(for var)
		for (unsigned k = begin; k != end; ++k)
			visit(g, i, k);
	}
}

__global__ void e_post_decrement(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		unsigned k = row_length(g, i);
		CCC(for var)
		while (k-- > 0)
			visit(g, i, k);
		g.out[i] = k;
	}
}

__global__ void e_down_to_zero(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		CCC(for var)
		for (int k = row_length(g, i) - 1; k >= 0; --k)
			visit(g, i, k);
	}
}

__global__ void e_near_int_max(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const int end = 0x7fffffff - 7 - (g.in[i] & 3), begin = end - 5 * row_length(g, i);
		unsigned s = 0;
		CCC(for var)
		for (int k = begin; k <= end; k += 7)
			s += mix(k);
		g.out[i] = s;
	}
}

// An unsigned start value greater than the end: no iteration.
__global__ void e_empty_unsigned(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const unsigned begin = g.in[i] & 1 ? 0xfffffff0u : 3, end = row_length(g, i);
		unsigned s = 0;
		CCC(for var)
		for (unsigned k = begin; k < end; k += 2)
			s += mix(k);
		g.out[i] = s;
	}
}

__global__ void e_char_wraps(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const unsigned char begin = (unsigned char)(250 + (g.in[i] & 3)), end = (unsigned char)(begin + row_length(g, i));
		unsigned s = 0;
		CCC(for var)
		for (unsigned char k = begin; k != end; ++k)
			s += mix(k);
		g.out[i] = s;
	}
}

__global__ void e_short(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const short end = (short)row_length(g, i);
		unsigned s = 0;
		CCC(for var)
		for (short k = (short)-(g.in[i] & 7); k < end; k = (short)(k + 3))
			s ^= mix(k) + i;
		g.out[i] = s;
	}
}

__global__ void e_huge_stride64(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const long long end = ((long long)row_length(g, i) << 45) + i;
		unsigned s = 0;
		CCC(for var)
		for (long long k = -(1ll << 46); k < end; k += 1ll << 45)
			s += mix((unsigned)(k >> 40));
		g.out[i] = s;
	}
}

// More than 2^31 between start and end.
__global__ void e_wide_difference(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const int begin = -0x7fffffff + (g.in[i] & 0xffff), end = 0x7fffffff - 0x10000000 - row_length(g, i);
		unsigned s = 0;
		CCC(for var)
		for (int k = begin; k < end; k += 0x10000000)
			s += mix(k);
		g.out[i] = s;
	}
}

__global__ void e_wide_difference_unsigned(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const unsigned end = 0x80000000u + (g.in[i] & 0x3fffffff);
		unsigned s = 0;
		CCC(for var)
		for (unsigned k = row_length(g, i); k <= end; k += 0x08000001u)
			s += mix(k);
		g.out[i] = s;
	}
}

__global__ void e_wide_difference64(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const long long begin = (long long)(1ull << 63) + (1ll << 60) + row_length(g, i), end = 0x7000000000000000ll - (g.in[i] & 255);
		unsigned s = 0;
		CCC(for var)
#pragma unroll 1 /* ptxas 13.0 at -O2 and -O3 unrolls it, and takes the range for negative: one iteration instead of 28 */
		for (long long k = end; k > begin; k -= 0x0800000000000001ll)
			s += mix((unsigned)(k >> 32));
		g.out[i] = s;
	}
}

__global__ void e_uniform_step(Args g)
{
	const int step = g.k + 1;
	CCC(for)
	HALF_STRIDE(i) {
		const int end = row_length(g, i);
		unsigned s = 0;
		CCC(for var)
		for (int k = 0; k < end; k += step)
			s += mix(k);
		g.out[i] = s;
	}
}

__global__ void e_lane_step(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const int end = row_length(g, i), step = 1 + (g.in[i] & 3);
		unsigned s = 0;
		CCC(for var)
		for (int k = 0; k < end; k += step)
			s += mix(k);
		g.out[i] = s;
	}
}

__global__ void e_bound_changes(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		int end = row_length(g, i);
		unsigned s = 0;
		CCC(for var)
		for (int k = 0; k < end; k += 2) {
			s += mix(k);
			if (s & 1)
				--end;
		}
		g.out[i] = s;
	}
}

__global__ void e_break(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const int end = row_length(g, i);
		unsigned s = 0;
		CCC(for var)
		for (int k = 0; k < end; k++) {
			if (mix(k + i) % 7 == 3)
				break;
			s += mix(k);
		}
		g.out[i] = s;
	}
}

__global__ void e_nested(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const int end = row_length(g, i);
		CCC(for var)
		for (int k = 0; k < end; k++) {
			const int inner = row_length(g, k) & 7;
			CCC(for var)
			for (int j = k; j < k + inner; j++)
				visit(g, k, j);
		}
	}
}

__global__ void e_last_value(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const int end = row_length(g, i);
		unsigned last = i;
		CCC(for var)
		for (int k = 0; k < end; k++) {
			last = mix(k + i);
			atomicAdd(g.out2 + i, last);
		}
		g.out[i] = last;
	}
}

__device__ __forceinline__ float odd_float(unsigned x)
{
	const float nan = __int_as_float(0x7fffffff);
	return x % 3 ? nan : x % 5 ? __uint_as_float(x & 0x80ffffffu) : -__int_as_float(0x7f800000);
}
// Rows of NaNs only, and rows that begin with NaN.
__global__ void e_nan_extremes(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const int end = row_length(g, i);
		float least = g.in[i] & 2 ? __int_as_float(0x7fffffff) : 3.f, most = g.in[i] & 4 ? __int_as_float(0x7fffffff) : -3.f;
		CCC(for var)
		for (int k = 0; k < end; k++) {
			least = fminf(least, odd_float(mix(i * 7 + k)));
			most = fmaxf(most, odd_float(mix(i * 9 + k)));
		}
		g.out[i] = __float_as_uint(least);
		g.out2[i] = __float_as_uint(most);
	}
}

__global__ void e_zero_extremes(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const int end = row_length(g, i);
		float least = g.in[i] & 2 ? -0.f : 0.f, most = -0.f;
		CCC(for var)
		for (int k = 0; k < end; k++) {
			least = fminf(least, __uint_as_float(mix(i + k) & 0x80000000u));
			most = fmaxf(most, __uint_as_float(mix(i + k) << 3 & 0x80000000u));
		}
		g.out[i] = __float_as_uint(least);
		g.out2[i] = __float_as_uint(most);
	}
}

__global__ void e_double_extremes(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const int end = row_length(g, i);
		double least = g.in[i] & 2 ? __longlong_as_double(0x7fffffffffffffffll) : 3., most = g.in[i] & 4 ? -__longlong_as_double(0x7ff0000000000000ll) : -3.;
		CCC(for var)
		for (int k = 0; k < end; k++) {
			least = fmin(least, (double)odd_float(mix(i * 7 + k)));
			most = fmax(most, (double)odd_float(mix(i * 9 + k)));
		}
		g.out[i] = (unsigned)(__double_as_longlong(least) >> 30);
		g.out2[i] = (unsigned)(__double_as_longlong(most) >> 30);
	}
}

__global__ void e_short_sum(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const int end = row_length(g, i);
		short s = (short)i;
		unsigned char c = (unsigned char)(i + 3);
		CCC(for var)
		for (int k = 0; k < end; k++) {
			s = (short)(s + mix(k + i));
			c = (unsigned char)(c ^ mix(k));
		}
		g.out[i] = s + (c << 20);
	}
}

__global__ void e_product(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const int end = row_length(g, i);
		unsigned s = 1;
		CCC(for var)
		for (int k = 0; k < end; k++)
			s *= mix(k + i) | 1;
		g.out[i] = s;
	}
}

__global__ void e_bools(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const int end = row_length(g, i);
		bool all = true, any = false, odd = i & 1;
		CCC(for var)
		for (int k = 0; k < end; k++) {
			all = all && mix(k + i) % 5;
			any = any || mix(k + i) % 11 == 1;
			odd = odd != (mix(k) % 3 == 1);
		}
		g.out[i] = all + 2 * any + 4 * odd;
	}
}

// s = x - s is not a sum.
__global__ void e_reversed_difference(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const int end = row_length(g, i);
		unsigned s = i;
		CCC(for var)
		for (int k = 0; k < end; k++)
			s = mix(k + i) - s;
		g.out[i] = s;
	}
}

__global__ void e_sum_of_sum(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const int end = row_length(g, i);
		unsigned s = i, t = 0;
		CCC(for var)
		for (int k = 0; k < end; k++) {
			s += mix(k);
			t += s;
		}
		g.out[i] = s;
		g.out2[i] = t;
	}
}

__global__ void e_sum_indexes(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const int end = row_length(g, i);
		unsigned s = 0;
		CCC(for var)
		for (int k = 0; k < end; k++) {
			if (mix(k + i) & 2) {
				atomicAdd(g.count + s % 64, 1);
				s++;
			}
		}
		g.out[i] = s;
	}
}

// Any lane may take any slot: the operation that uses its number does not depend on it.
__global__ void e_slots(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const int end = row_length(g, i);
		CCC(for var)
		for (int k = 0; k < end; k++) {
			const unsigned slot = atomicAdd(g.count, 1);
			atomicXor(g.count + 1, mix(slot));
		}
	}
}

__global__ void e_array_before(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		int a[8];
		const int end = row_length(g, i);
		for (int k = 0; k < 8; k++)
			a[k] = g.in[i + k];
		unsigned s = 0;
		CCC(for var)
		for (int k = 0; k < end; k++)
			s += a[mix(k) & 7] + k;
		g.out[i] = s;
	}
}

__global__ void e_array_behind(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		unsigned a[8] = {};
		const int end = row_length(g, i);
		CCC(for var)
		for (int k = 0; k < end; k++)
			a[mix(k + i) & 7] += k;
		g.out[i] = a[i & 7] + a[g.k & 7];
	}
}

__global__ void e_array_inside(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const int end = row_length(g, i);
		unsigned s = 0;
		CCC(for var)
		for (int k = 0; k < end; k++) {
			unsigned a[4] = {1, 2, 3, 4};
			a[mix(k + i) & 3] = k;
			a[mix(k + i) >> 3 & 3] ^= 77;
			s += a[(k + i) & 3];
		}
		g.out[i] = s;
	}
}

__global__ void e_volatile(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const int end = row_length(g, i);
		volatile const int *in = g.in;
		unsigned s = 0;
		CCC(for var)
		for (int k = 0; k < end; k++)
			s += in[(i + k) % g.n];
		g.out[i] = s;
	}
}

__global__ void e_lane_number(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const int end = row_length(g, i);
		unsigned s = 0;
		CCC(for var)
		for (int k = 0; k < end; k++) {
			unsigned lane, below;
			asm("mov.u32 %0, %%laneid;" : "=r"(lane));
			asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
			s += mix(lane + k) ^ below;
		}
		g.out[i] = s;
	}
}

__global__ void e_carry_inside(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const int end = row_length(g, i);
		unsigned s = 0;
		CCC(for var)
		for (int k = 0; k < end; k++) {
			unsigned lo, hi;
			asm("add.cc.u32 %0, %2, %3;\n\taddc.u32 %1, %2, %4;" : "=r"(lo), "=r"(hi) : "r"(mix(k + i)), "r"(mix(i)), "r"(k));
			s += lo ^ hi;
		}
		g.out[i] = s;
	}
}

__global__ void e_two_loops(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const int end = row_length(g, i), other = row_length(g, i + 1);
		unsigned s = 0, t = 0;
		CCC(for var)
		for (int k = 0; k < end; k++)
			s += mix(k + i);
		CCC(for var)
		for (int k = other; k > 0; k--)
			t ^= mix(k + s);
		g.out[i] = s;
		g.out2[i] = t;
	}
}

__global__ void e_goto_out(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const int end = row_length(g, i);
		unsigned s = 0;
		CCC(for var)
		for (int k = 0; k < end; k++) {
			if (mix(k + i) % 50 == 1)
				goto next;
			s += mix(k);
		}
		g.out[i] = s;
	next:
		g.out2[i] = s;
	}
}

__global__ void e_switch_inside(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const int end = row_length(g, i);
		unsigned s = 0;
		CCC(for var)
		for (int k = 0; k < end; k++) {
			unsigned x = mix(k + i);
			switch (x % 6) {
			case 0: x ^= 0x55;
			case 1: x += 3; break;
			case 2: continue;
			case 3: x = mix(x);
			case 4: s += x;
			default: x = ~x;
			}
			s += x;
		}
		g.out[i] = s;
	}
}

__global__ void e_leaves_behind(Args g)
{
	unsigned total = 0;
	CCC(for)
	HALF_STRIDE(i) {
		const int end = row_length(g, i);
		unsigned s = 0;
		CCC(for var)
		for (int k = 0; k < end; k++)
			s += mix(k + i);
		total += s;
		if (s % 7 == 1)
			break;
		if (s % 7 == 2)
			return;
		if (s % 7 == 3)
			continue;
		g.out[i] = s;
	}
	g.per_thread[thread_id()] = total;
}

__device__ __noinline__ unsigned through(unsigned *p, unsigned x) { *p += x; return *p ^ x; }
__global__ void e_pointer_to_local(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const int end = row_length(g, i);
		unsigned v = i;
		CCC(for var)
		for (int k = 0; k < end; k++)
			atomicAdd(g.count + (through(&v, mix(k)) & 63), 1);
		g.out[i] = v;
	}
}

__global__ void e_shared(Args g)
{
	__shared__ int table[64];
	for (int k = block_rank(); k < 64; k += block_size())
		table[k] = g.in[k];
	__syncthreads();
	CCC(for)
	HALF_STRIDE(i) {
		const int end = row_length(g, i);
		unsigned s = 0;
		CCC(for var)
		for (int k = 0; k < end; k++)
			s += table[(k + i) & 63] * (k + 1);
		g.out[i] = s;
	}
	__syncthreads();
	for (int k = block_rank(); k < 64; k += block_size())
		table[k] = 0;
}

__global__ void e_pointer_step(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const int *p = g.in + i, *const end = p + 3 * (row_length(g, i) / 4);
		unsigned s = 0;
		CCC(for var)
		for (; p != end; p += 3)
			s += *p;
		g.out[i] = s + (unsigned)(p - g.in);
	}
}

__global__ void e_triangular(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const int end = row_length(g, i);
		unsigned j = 0, s = 0;
		CCC(for var)
		for (int k = 0; k < end; k++) {
			j += k;
			s += mix(j);
		}
		g.out[i] = s;
	}
}

__global__ void e_negative_length(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const int begin = g.in[i] & 63, end = begin + row_length(g, i) - 20;
		unsigned s = 0;
		int k = begin;
		CCC(for var)
		for (; k < end; k += 4)
			s += mix(k);
		g.out[i] = s + k;
	}
}

__global__ void e_once(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		unsigned k = 1 + row_length(g, i), s = 0;
		CCC(for var)
		do
			s += mix(k);
		while (--k);
		g.out[i] = s;
	}
}

// The body changes the index.
__global__ void e_index_written(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const int end = row_length(g, i);
		unsigned s = 0;
		CCC(for var)
		for (int k = 0; k < end; k++) {
			s += mix(k);
			if (mix(k + i) % 4 == 0)
				k += 2;
		}
		g.out[i] = s;
	}
}

__global__ void e_unsigned_min(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const int end = row_length(g, i);
		unsigned a = g.in[i], b = 0;
		unsigned long long c = ~0ull, d = 0;
		long long e = 1ll << 62, f = -e;
		CCC(for var)
		for (int k = 0; k < end; k++) {
			const unsigned x = mix(k + i);
			const unsigned long long w = (unsigned long long)x << 32 | mix(x);
			a = min(a, x), b = max(b, x | 0x80000000u);
			c = min(c, w | 1ull << 63), d = max(d, w);
			e = min(e, (long long)w), f = max(f, (long long)w);
		}
		g.out[i] = a ^ b * 3 ^ (unsigned)c ^ (unsigned)(d >> 32);
		g.out2[i] = (unsigned)(e >> 32) * 3 + (unsigned)f;
	}
}

// One variable, two different operations.
__global__ void e_mixed_fold(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const int end = row_length(g, i);
		unsigned s = i;
		CCC(for var)
		for (int k = 0; k < end; k++) {
			s += mix(k);
			if (mix(k + i) & 1)
				s ^= k;
		}
		g.out[i] = s;
	}
}

__global__ void e_half_value(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const int end = row_length(g, i);
		const __half h = __float2half((float)(g.in[i] & 15));
		const __half2 h2 = __floats2half2_rn((float)(g.in[i] & 7), 2.f);
		unsigned s = 0;
		CCC(for var)
		for (int k = 0; k < end; k++) {
			const __half2 p = __hmul2(h2, __floats2half2_rn((float)(k & 7), 3.f));
			s += (unsigned)__half2float(__hadd(h, __float2half((float)(k & 31)))) + (unsigned)__low2float(p) + (unsigned)__high2float(p);
		}
		g.out[i] = s;
	}
}

// The test compares values that are extended from 32 bits.
__global__ void e_signed_bound_to_64(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const long long end = g.in64[i] & 1 ? row_length(g, i) : -row_length(g, i);
		unsigned s = 0;
		CCC(for var)
		for (int k = -20; k < end; k++)
			s += mix(k);
		g.out[i] = s;
	}
}

__global__ void e_divergent_entry(Args g)
{
	unsigned total = 0;
	for (int round = 0; round < 3; round++) {
		if (mix(thread_id() * 3 + round) & 3) {
			CCC(for)
			for (int i = thread_id(); i < g.n / 8; i += thread_count()) {
				const int end = row_length(g, i + round);
				unsigned s = 0;
				CCC(for var)
				for (int k = 0; k < end; k++)
					s += mix(k + i);
				total += s * (round + 1);
				if ((s & 15) == 3)
					break;
			}
		}
		total = mix(total);
	}
	g.per_thread[thread_id()] = total;
}

__global__ void e_sum_read_in_loop(Args g)
{
	unsigned total = 0;
	CCC(for)
	HALF_STRIDE(i) {
		const int end = row_length(g, i);
		CCC(for var)
		for (int k = 0; k < end; k++)
			total += mix(k + i);
		g.out[i] = total;
	}
}

// The reduced value is the second operand, in a comparison written by hand.
__global__ void e_min_of_two(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const int end = row_length(g, i);
		int best = 1 << 30, at = -1;
		float f = 9.f;
		CCC(for var)
		for (int k = 0; k < end; k++) {
			const int x = (int)(mix(k + i) & 255);
			if (x < best)
				best = x, at = k;
			const float y = (float)(x - 99);
			f = y < f ? y : f;
		}
		g.out[i] = best * 1000 + at;
		g.out2[i] = __float_as_uint(f);
	}
}

__global__ void e_shifted(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const unsigned end = 1u << (row_length(g, i) & 31);
		unsigned s = 0;
		CCC(for var)
		for (unsigned k = 1; k < end; k <<= 1)
			s += mix(k);
		CCC(for var)
		for (unsigned k = end; k; k >>= 2)
			s ^= mix(k);
		g.out[i] = s;
	}
}
#endif
// SPDX-License-Identifier: MIT
