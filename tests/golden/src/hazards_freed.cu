// Memory that the path uses, and that is freed before the path has run.
#define STRIDE(i) for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
#define WORK(x) for (int k = 0; k < 20; k++) x = x * 1664525u + 1013904223u

__global__ void behind(int n, const unsigned *in, unsigned *out)
{
	#pragma ccc for
	STRIDE(i) {
		unsigned *p = (unsigned *)malloc(32);
		p[0] = i;
		#pragma ccc if
		if (in[i] >> 31) {
			unsigned x = p[in[i] & 7];
			WORK(x);
			out[i] = x;
		}
		free(p);
	}
}

__global__ void in_the_next(int n, const unsigned *in, unsigned *out)
{
	unsigned *last = nullptr;
	#pragma ccc for
	STRIDE(i) {
		unsigned *p = (unsigned *)malloc(32);
		free(last);
		#pragma ccc if
		if (in[i] >> 31) {
			unsigned x = in[i];
			WORK(x);
			p[x & 7] = x;
			out[i] = p[in[i] & 7];
		}
		last = p;
	}
	free(last);
}

struct Item { unsigned value; };
__global__ void deleted(int n, const unsigned *in, Item *const *pool)
{
	#pragma ccc for
	STRIDE(i) {
		Item *p = pool[i];
		#pragma ccc if
		if (in[i] >> 31) {
			unsigned x = p->value;
			WORK(x);
			pool[i + n]->value = x;
		}
		delete p;
	}
}

__global__ void parameter(int n, const unsigned *in, unsigned *table, unsigned *out)
{
	#pragma ccc for
	STRIDE(i) {
		#pragma ccc if
		if (in[i] >> 31) {
			unsigned x = table[in[i] & 7];
			WORK(x);
			out[i] = x;
		}
		if (in[i] == 0)
			free(table);
	}
}

// No warnings for these: other memory is freed, or the memory is freed after the path has used it.
__global__ void others(int n, const unsigned *in, unsigned *const *pool, unsigned *out)
{
	#pragma ccc for
	STRIDE(i) {
		unsigned *p = (unsigned *)malloc(32), *q = (unsigned *)malloc(32);
		p[in[i] & 7] = i;
		q[in[i] & 7] = i;
		out[n + i] = q[in[i] & 3];
		#pragma ccc if
		if (in[i] >> 31) {
			unsigned x = p[in[i] & 3];
			WORK(x);
			out[i] = x;
			free(p);
		}
		free(q);
	}
}
__global__ void arrays(int n, const unsigned *in, unsigned *const *pool, unsigned *out)
{
	#pragma ccc for
	STRIDE(i) {
		#pragma ccc if
		if (in[i] >> 31) {
			unsigned x = in[i];
			WORK(x);
			out[i] = x;
		}
		free(pool[i]);
	}
}
__global__ void on_either_way(int n, const unsigned *in, unsigned *out)
{
	#pragma ccc for
	STRIDE(i) {
		unsigned *p = (unsigned *)malloc(32);
		p[in[i] & 7] = i;
		#pragma ccc if
		if (in[i] >> 31) {
			unsigned x = p[in[i] & 3];
			WORK(x);
			out[i] = x;
			free(p);
		} else {
			free(p);
		}
	}
}
__global__ void word_given(int n, const unsigned *in, Item *const *pool)
{
	#pragma ccc for independent
	STRIDE(i) {
		#pragma ccc if
		if (in[i] >> 31) {
			unsigned x = in[i];
			WORK(x);
			pool[2 * i]->value = x;
		}
		delete pool[2 * i + 1];
	}
}
// SPDX-License-Identifier: MIT
