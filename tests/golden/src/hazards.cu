// The path runs later than the rest of its iteration: warnings about memory that both use.
#define STRIDE(i) for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
#define WORK(x) for (int k = 0; k < 20; k++) x = x * 1664525u + 1013904223u

__global__ void read_then_cleared(int n, const unsigned *in, unsigned *row, unsigned *out)
{
	#pragma ccc for
	STRIDE(i) {
		#pragma ccc if
		if (in[i] >> 31) {
			unsigned x = row[i];
			WORK(x);
			out[i] = x;
		}
		row[i] = 0;
	}
}

__global__ void written_twice(int n, const unsigned *in, unsigned *out)
{
	#pragma ccc for
	STRIDE(i) {
		#pragma ccc if
		if (in[i] >> 31) {
			unsigned x = in[i];
			WORK(x);
			out[i] = x;
		}
		if (in[i] & 2)
			out[i] = 1;
	}
}

__global__ void __launch_bounds__(128) own_row(int n, const unsigned *in, unsigned *out)
{
	__shared__ unsigned row[128];
	#pragma ccc for
	STRIDE(i) {
		row[threadIdx.x] = in[i] * 3;
		#pragma ccc if
		if (in[i] >> 31) {
			unsigned x = ((volatile unsigned *)row)[threadIdx.x ^ (in[i] & 1)];
			WORK(x);
			out[i] = x;
		}
	}
}

__global__ void published(int n, const unsigned *in, unsigned *out, unsigned *flag)
{
	#pragma ccc for
	STRIDE(i) {
		#pragma ccc if
		if (in[i] >> 31) {
			unsigned x = in[i];
			WORK(x);
			out[i] = x;
		}
		__threadfence();
		flag[i] = 1;
	}
}

// No warnings for these: different arrays, atomic operations, the programmer's promise.
__global__ void fine(int n, const unsigned *in, unsigned *out, unsigned *seen, unsigned *sum)
{
	#pragma ccc for
	STRIDE(i) {
		#pragma ccc if
		if (in[i] >> 31) {
			unsigned x = in[i];
			WORK(x);
			out[i] = x;
			atomicAdd(sum, x);
		}
		seen[i] = 1;
		atomicAdd(sum, 1);
	}
}
__global__ void word_given(int n, const unsigned *in, unsigned *out)
{
	#pragma ccc for independent
	STRIDE(i) {
		#pragma ccc if
		if (in[i] >> 31) {
			unsigned x = in[i];
			WORK(x);
			out[i] = x;
		}
		out[n + i] = 1;
	}
}

// The result of an atomic operation, and accesses through a pointer that was loaded.
__global__ void finds(int n, const unsigned *in, unsigned *flags, unsigned *out)
{
	#pragma ccc for
	STRIDE(i) {
		#pragma ccc if
		if (in[i] >> 31) {
			unsigned x = in[i];
			WORK(x);
			atomicOr(&flags[i], x);
		}
		out[i] = atomicOr(&flags[i], 2);
	}
}
struct Item { Item *next; unsigned value; };
__global__ void linked(int n, const unsigned *in, Item *const *head, const unsigned *pool, unsigned *out)
{
	#pragma ccc for
	STRIDE(i) {
		#pragma ccc if
		if (in[i] >> 31)
			for (Item *p = head[i]; p; p = p->next) {
				unsigned x = p->value;
				WORK(x);
				p->value = x;
			}
		out[i] = pool[i];
	}
}
// SPDX-License-Identifier: MIT
