// SPDX-License-Identifier: MIT
// Inner loops with an unknown trip count: a task is one iteration, and continues where the last one ended.
#ifndef KERNELS
#define KERNELS "whiles.cu"
#include "gpu_test.cuh"
int main()
{
	RUN(k_collatz);
	RUN(k_list);
	RUN(k_top_tested);
	RUN(k_do_while);
	RUN(k_break);
	RUN(k_tail_call);
	RUN(k_queued);
	RUN(k_folds);
	RUN(k_rest_folds);
	RUN(k_wide_state);
	RUN(k_behind_if);
	RUN(k_in_path);
	RUN(k_with_path);
	RUN(k_two);
	RUN(k_inner_for);
	RUN(k_for_var);
	RUN(k_leaves_outer);
	return finish();
}
#else
// The rest of the iteration reads what the inner loop has computed: tail capture.
__global__ void k_collatz(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		unsigned x = g.in[i] & 0xfff, n = 0;
		CCC(while)
		while (x > 1) {
			x = x & 1 ? 3 * x + 1 : x / 2;
			n++;
		}
		g.out[i] = n;
	}
}

// No live-outs: nothing returns to the owner. The links of the list are random numbers.
__global__ void k_list(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		int hops = 0;
		CCC(while)
		for (unsigned p = g.in[i] & 511; p % 11; p = mix(g.in[p % g.n] + hops++) & 511)
			atomicAdd(g.count + (p & 15), i);
	}
}

__global__ void k_top_tested(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		unsigned x = g.in[i];
		int n = 0;
		CCC(while)
		while ((x = mix(x + n)) & 3) {
			atomicAdd(g.out + i, x >> 7);
			n++;
		}
	}
}

__global__ void k_do_while(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		unsigned x = g.in[i];
		float f = 1;
		CCC(while)
		do {
			x = mix(x);
			f = f * 0.5f + (float)(x & 7);
		} while (x % 7);
		g.out[i] = x;
		g.out2[i] = __float_as_uint(f);
	}
}

__global__ void k_break(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		unsigned x = g.in[i] & 1023, y = i;
		CCC(while)
		for (;;) {
			if (x % 13 == 5)
				break;
			y = mix(x + y);
			if (y % 17 == 3) {
				y++;
				break;
			}
			if (y & 1) {
				x += 3;
				continue;
			}
			x = x * 5 + 1;
		}
		g.out[i] = x ^ y;
	}
}

// The CCC paper, Figure 6: the compiler makes a loop of the call.
__device__ void place(Args g, unsigned key, int hops)
{
	atomicAdd(g.count + (key & 31), 1u);
	if (key % 5 && hops < 40)
		place(g, mix(key + hops), hops + 1);
}
__global__ void k_tail_call(Args g)
{
	CCC(for independent)
	GRID_STRIDE(i) {
		CCC(while)
		place(g, g.in[i] & 0xffff, 0);
	}
}

__global__ void k_queued(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		unsigned x = g.in[i] & 0xff, n = 0;
		CCC(while policy(queue))
		while (x > 1) {
			x = x & 1 ? 3 * x + 1 : x / 2;
			n += x;
		}
		g.out[i] = n;
	}
}

__global__ void k_folds(Args g)
{
	unsigned sum = 0;
	int most = 0;
	CCC(for)
	GRID_STRIDE(i) {
		unsigned x = g.in[i];
		CCC(while)
		while (x & 7) {
			sum += x;
			most = max(most, (int)(x & 0xffff));
			x = mix(x);
		}
	}
	g.per_thread[thread_id()] = sum + most;
}

__global__ void k_rest_folds(Args g)
{
	unsigned sum = 0;
	CCC(for)
	GRID_STRIDE(i) {
		unsigned x = g.in[i], n = 0;
		CCC(while)
		while (x & 7) {
			x = mix(x);
			n++;
		}
		sum += n * n;
	}
	g.per_thread[thread_id()] = sum;
}

__global__ void k_wide_state(Args g)
{
	CCC(for threads(256))
	GRID_STRIDE(i) {
		double d = g.in_double[i];
		long long l = g.in64[i];
		unsigned short s = g.in[i];
		bool odd = false;
		CCC(while)
		while (s % 9) {
			d = d + (odd ? 3 : 1);
			l = l * 3 + s;
			s = s * 5 + 1;
			odd = !odd;
		}
		g.out[i] = (unsigned)l ^ (unsigned)(long long)d;
	}
}

__global__ void k_behind_if(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		unsigned x = g.in[i];
		if (wants(g, i)) {
			CCC(while)
			while (x % 6) {
				x = mix(x);
				atomicAdd(g.out + i, x);
			}
		}
	}
}

__global__ void k_in_path(Args g)
{
	CCC(for threads(256) independent)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i)) {
			unsigned x = mix(mix(i) + g.in[i]);
			g.out2[i] = x;
			CCC(while)
			while (x % 6) {
				x = mix(x);
				atomicAdd(g.out + i, x);
			}
		}
	}
}

__global__ void k_with_path(Args g)
{
	CCC(for threads(256) independent)
	GRID_STRIDE(i) {
		unsigned x = g.in[i];
		CCC(while)
		while (x % 6) {
			x = mix(x);
			atomicAdd(g.out + i, x);
		}
		CCC(if policy(queue))
		if (wants(g, i))
			g.out2[i] = mix(mix(mix(i)));
	}
}

__global__ void k_two(Args g)
{
	CCC(for threads(256) independent)
	GRID_STRIDE(i) {
		unsigned x = g.in[i];
		CCC(while)
		for (unsigned y = x; y % 5; y = mix(y))
			atomicAdd(g.count + (y & 7), y);
		CCC(while policy(queue))
		for (unsigned y = x; y % 4; y = mix(y + 1))
			atomicAdd(g.count + 8 + (y & 7), y);
	}
}

__global__ void k_inner_for(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		unsigned x = g.in[i];
		CCC(while)
		while (x % 7) {
			#pragma unroll 1
			for (unsigned k = 0; k < (x & 3); k++)
				x += mix(k + x) & 0xff;
			x = mix(x);
		}
		g.out[i] = x;
	}
}

// Iterations with a loop-carried value are not expanded.
__global__ void k_for_var(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		unsigned x = g.in[i], n = x & 31;
		CCC(for var policy(stack))
		for (unsigned k = 0; k < n; k++)
			x = mix(x + k);
		g.out[i] = x;
	}
}

__global__ void k_leaves_outer(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		if ((g.in[i] & 0x3ff) == 17)
			break;
		unsigned x = g.in[i] & 0x3f;
		CCC(while)
		for (int n = 0; x % 5; n++) {
			atomicAdd(g.out + i, x);
			x = mix(x + n) & 0x3ff;
			if (x < 30)
				break;
		}
	}
}
#endif
