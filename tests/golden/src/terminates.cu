// SPDX-License-Identifier: MIT
// Kernels whose threads do not wait, although they read memory that other threads may write. a and b are 0, and c[k] is k.
#define TID (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z))
#define NT (blockDim.x * blockDim.y * blockDim.z)
#define FOR _Pragma("ccc for proven policy(wait(16))") for (int i = TID; i < n; i += NT)
typedef unsigned u;
#define K extern "C" __global__ void

K cas_max(u *a, u *b, u *c, int n)
{
	FOR {
		float x = (i * 37 % 101) * 0.5f;
		_Pragma("ccc if") if ((i & 3) == 0) {
			u old = *a, seen;
			do {
				seen = old;
				if (__uint_as_float(seen) >= x) break;
				old = atomicCAS(a, seen, __float_as_uint(x));
			} while (old != seen);
		}
	}
}
K cas_mul(u *a, u *b, u *c, int n)
{
	FOR {
		_Pragma("ccc if") if ((i & 3) == 0) {
			u old = a[5], seen;
			do { seen = old; old = atomicCAS(a + 5, seen, seen * 3 + 1); } while (old != seen);
		}
	}
}
K cas_load(u *a, u *b, u *c, int n)           // the expected value is loaded each time
{
	FOR {
		_Pragma("ccc if") if ((i & 3) == 0) {
			u seen;
			do seen = *(volatile u *)a; while (atomicCAS(a, seen, seen * 5 + 3) != seen);
		}
	}
}
K cas_double(u *a, u *b, u *c, int n)
{
	FOR {
		_Pragma("ccc if") if ((i & 3) == 0) {
			unsigned long long *p = (unsigned long long *)a, old = *p, seen;
			do { seen = old; old = atomicCAS(p, seen, seen + 3); } while (old != seen);
		}
	}
}
K push(u *a, u *b, u *c, int n)               // a stack of list elements: head a[0], links b
{
	FOR {
		_Pragma("ccc if") if ((i & 3) == 0) {
			u old = *(volatile u *)a, seen;
			do { seen = old; b[i] = seen; __threadfence(); old = atomicCAS(a, seen, (u)i); } while (old != seen);
			b[i] = 1;
		}
	}
	__syncthreads();
	a[0] = 0;
}
K pop(u *a, u *b, u *c, int n)                // the same stack: head a[0], links c
{
	if (TID == 0) a[0] = n;
	__syncthreads();
	FOR {
		_Pragma("ccc if") if ((i & 3) == 0) {
			u old;
			do {
				old = *(volatile u *)a;
				if (!old) break;
			} while (atomicCAS(a, old, c[old] - 1) != old);
			atomicAdd(b, old);
		}
	}
}
K probe_to_end(u *a, u *b, u *c, int n)       // open addressing in a table that does not wrap
{
	FOR {
		_Pragma("ccc if") if ((i & 3) == 0) {
			u slot = i * 7 % 64;
			while (atomicCAS(a + slot, 0u, (u)i + 1) != 0) slot++;
			atomicAdd(b, 1u);
		}
	}
	__syncthreads();
	for (int k = TID; k < 1024; k += NT) a[k] = 0;
}
K row(u *a, u *b, u *c, int n)                // the bound is loaded again in each iteration
{
	FOR {
		u s = 0;
		for (u e = c[i]; e < c[i + 1]; e++) { s += a[e]; b[n + e] = e; }
		_Pragma("ccc if") if (((i * 5) & 3) == 0) b[i] = s;
	}
}
K relax(u *a, u *b, u *c, int n)              // shortest paths
{
	FOR {
		u d = *(volatile u *)(a + i);
		for (u e = c[i]; e < c[i + 1]; e++) {
			u to = c[e + 64] & 63;
			if (atomicMin(a + to, d) > d) b[n + to] = 0;
		}
		_Pragma("ccc if") if (((i * 5) & 3) == 0) b[i] = 1;
	}
}
K search_up(u *a, u *b, u *c, int n)          // the first word that is large enough
{
	FOR {
		u k = 0;
		while (c[k] < (u)i) { k++; }
		_Pragma("ccc if") if (((i * 5) & 3) == 0) b[i] = k;
	}
}
K search_shared(u *a, u *b, u *c, int n)
{
	__shared__ u t[256];
	for (int k = TID; k < 256; k += NT) t[k] = k * 3;
	__syncthreads();
	FOR {
		u k = 0;
		#pragma unroll 1
		while (t[k] < (u)i) { k++; }
		_Pragma("ccc if") if (((i * 5) & 3) == 0) b[i] = k;
	}
}
K draw(u *a, u *b, u *c, int n)               // draws work from a counter
{
	_Pragma("ccc for proven policy(wait(16))") for (int i; (i = atomicAdd(a, 1u)) < n;) {
		_Pragma("ccc if") if (((i * 5) & 3) == 0) b[i] = i;
	}
	__syncthreads();
	*a = 0;
}
K newton(u *a, u *b, u *c, int n)
{
	FOR {
		float x = i + 1.0f, y = x;
		_Pragma("ccc if") if (((i * 5) & 3) == 0) {
			while (fabsf(y * y - x) > 1e-3f * x) y = 0.5f * (y + x / y);
			b[i] = __float_as_uint(y);
		}
	}
}
K reject(u *a, u *b, u *c, int n)             // rejection sampling
{
	FOR {
		u s = i * 2654435761u + 1;
		_Pragma("ccc if") if (((i * 5) & 3) == 0) {
			do s = s * 1664525u + 1013904223u; while ((s >> 24) > 40);
			b[i] = s;
		}
	}
}
K list_const(u *a, u *b, const u *__restrict__ c, int n)   // a list that is never written
{
	FOR {
		u at = i, s = 0;
		while (at) { s += at; at = c[at] & (at - 1); }
		_Pragma("ccc if") if (((i * 5) & 3) == 0) b[i] = s;
	}
}
K bisect_const(u *a, u *b, const u *__restrict__ c, int n)
{
	FOR {
		u lo = 0, hi = 128;
		while (lo < hi) { u mid = (lo + hi) / 2; if (c[mid] < (u)i) lo = mid + 1; else hi = mid; }
		_Pragma("ccc if") if (((i * 5) & 3) == 0) b[i] = lo;
	}
}
K slots(u *a, u *b, u *c, int n)              // the result of an atomic operation, which no loop condition uses
{
	FOR {
		_Pragma("ccc if") if (((i * 5) & 3) == 0) {
			u old = atomicMin(a + (i & 7), (u)i);
			if (old > (u)i) atomicAdd(b, 0u);
		}
	}
	__syncthreads();
	if (TID < 8) a[TID] = 0;
}
__device__ __noinline__ u steps(u x) { u k = 0; while (x != 1) { x = x & 1 ? 3 * x + 1 : x / 2; k++; } return k; }
K collatz(u *a, u *b, u *c, int n)            // a function that contains a loop
{
	FOR {
		_Pragma("ccc if") if (((i * 5) & 3) == 0) b[i] = steps(i + 1);
	}
}
K bisect(u *a, u *b, u *c, int n)
{
	FOR {
		u lo = 0, hi = 128;
		while (lo < hi) { u mid = (lo + hi) / 2; b[n + i] = mid; if (c[mid] < (u)i) lo = mid + 1; else hi = mid; }
		_Pragma("ccc if") if (((i * 5) & 3) == 0) b[i] = lo;
	}
}
K bisect_found(u *a, u *b, u *c, int n)
{
	FOR {
		int lo = 0, hi = 128, found = 0;
		while (lo < hi) {
			int mid = (lo + hi) >> 1, x = c[mid];
			b[n + i] = mid;
			if (x == i * 3) { found = 1; break; }
			if (x > i * 3) hi = mid; else lo = mid + 1;
		}
		_Pragma("ccc if") if (((i * 5) & 3) == 0) b[i] = found;
	}
}
K list(u *a, u *b, u *c, int n)               // weak loads do not wait
{
	FOR {
		u at = i, s = 0;
		while (at) { s += at; b[n + i] = s; at = c[at] & (at - 1); }
		_Pragma("ccc if") if (((i * 5) & 3) == 0) b[i] = s;
	}
}
K probe_weakly(u *a, u *b, u *c, int n)      // a hash table that other threads may write
{
	FOR {
		u slot = i * 7 & 255;
		while (c[slot] & 3) { b[n + i] += slot; slot = (slot + 1) & 255; }
		_Pragma("ccc if") if (((i * 5) & 3) == 0) b[i] = slot;
	}
}
// Refused although it terminates: it cannot be proven.
K lost_probe(u *a, u *b, u *c, int n)
{
	FOR {
		_Pragma("ccc if") if ((i & 3) == 0) {
			u slot = i * 7 & 255;
			while (atomicCAS(a + slot, 0u, (u)i + 1) != 0) slot = (slot + 1) & 255;
			atomicAdd(b, 1u);
		}
	}
	__syncthreads();
	for (int k = TID; k < 1024; k += NT) a[k] = 0;
}
