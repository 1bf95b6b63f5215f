// SPDX-License-Identifier: MIT
// Kernels whose threads wait for other threads. Each ends under every schedule that lets all threads run, if the lanes of a warp do not
// wait for each other in addition. a, b and c are 0.
#define TID (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z))
#define NT (blockDim.x * blockDim.y * blockDim.z)
#define EACH for (int i = TID; i < n; i += NT)
#define FOR _Pragma("ccc for proven policy(wait(16))") EACH
typedef unsigned u;
#define K extern "C" __global__ void

K tas_cas(u *a, u *b, u *c, int n)            // test-and-set lock
{
	FOR {
		_Pragma("ccc if") if ((i * 7 + n) % 3 == 0) {
			while (atomicCAS(a, 0u, 1u) != 0) ;
			b[0] += i; __threadfence();
			atomicExch(a, 0u);
		}
	}
}
K tas_exch(u *a, u *b, u *c, int n)
{
	FOR {
		_Pragma("ccc if") if ((i * 7 + n) % 3 == 0) {
			while (atomicExch(a, 1u)) ;
			b[0] += i; __threadfence();
			atomicExch(a, 0u);
		}
	}
}
K lock_add(u *a, u *b, u *c, int n)           // the first to add finds zero
{
	FOR {
		_Pragma("ccc if") if ((i * 7 + n) % 3 == 0) {
			while (atomicAdd(a, 1u) != 0) ;
			b[0] += i; __threadfence();
			atomicExch(a, 0u);
		}
	}
}
K lock_inc(u *a, u *b, u *c, int n)
{
	FOR {
		_Pragma("ccc if") if ((i * 7 + n) % 3 == 0) {
			while (atomicInc(a, 0xffffffffu) != 0) ;
			b[0] += i; __threadfence();
			atomicExch(a, 0u);
		}
	}
}
K lock_inc_keep(u *a, u *b, u *c, int n)      // in the path, only the next iteration releases the lock
{
	FOR {
		bool have = false;
		_Pragma("ccc if") if ((i * 7 + n) % 3 == 0) {
			while (!have)
				have = atomicInc(a, 0xffffffffu) == 0;
			b[0] += i; __threadfence();
		}
		if (have) atomicExch(a, 0u);
	}
}
K ticket_ldcv(u *a, u *b, u *c, int n)
{
	FOR {
		_Pragma("ccc if") if ((i * 7 + n) % 3 == 0) {
			u t = atomicAdd(a, 1u);
			while (__ldcv(a + 1) != t) ;
			b[0] += i; __threadfence();
			atomicAdd(a + 1, 1u);
		}
	}
}
K ticket_ldcg(u *a, u *b, u *c, int n)
{
	FOR {
		_Pragma("ccc if") if ((i * 7 + n) % 3 == 0) {
			u t = atomicAdd(a, 1u);
			while (__ldcg(a + 1) != t) ;
			b[0] += i; __threadfence();
			atomicAdd(a + 1, 1u);
		}
	}
}
K ticket_behind(u *a, u *b, u *c, int n)      // released after the path
{
	FOR {
		bool have = false;
		_Pragma("ccc if") if ((i * 7 + n) % 3 == 0) {
			u t = atomicAdd(a, 1u);
			while (__ldcg(a + 1) != t) ;
			have = true;
		}
		if (have) { b[0] += i; __threadfence(); atomicAdd(a + 1, 1u); }
	}
}
K ticket_volatile(u *a, u *b, u *c, int n)
{
	FOR {
		u t = atomicAdd(a, 1u);
		while (*(volatile u *)(a + 1) != t) ;
		_Pragma("ccc if") if (((i * 7 + n) & 1) == 0) { b[0] += i; }
		__threadfence();
		atomicAdd(a + 1, 1u);
	}
}
K asm_global(u *a, u *b, u *c, int n)
{
	FOR {
		u t = atomicAdd(a, 1u), v;
		do asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(a + 1) : "memory"); while (v != t);
		_Pragma("ccc if") if (((i * 7 + n) & 1) == 0) { b[0] += i; }
		__threadfence();
		atomicAdd(a + 1, 1u);
	}
}
K asm_relaxed(u *a, u *b, u *c, int n)
{
	FOR {
		u t = atomicAdd(a, 1u), v;
		do asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(a + 1) : "memory"); while (v != t);
		_Pragma("ccc if") if (((i * 7 + n) & 1) == 0) { b[0] += i; }
		__threadfence();
		atomicAdd(a + 1, 1u);
	}
}
K asm_acquire(u *a, u *b, u *c, int n)
{
	FOR {
		u t = atomicAdd(a, 1u), v;
		do asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(a + 1) : "memory"); while (v != t);
		_Pragma("ccc if") if (((i * 7 + n) & 1) == 0) { b[0] += i; }
		__threadfence();
		atomicAdd(a + 1, 1u);
	}
}
K plain_fence(u *a, u *b, u *c, int n)
{
	FOR {
		u t = atomicAdd(a, 1u);
		while (a[1] != t) __threadfence();
		_Pragma("ccc if") if (((i * 7 + n) & 1) == 0) { b[0] += i; }
		__threadfence();
		atomicAdd(a + 1, 1u);
	}
}
K sleeps(u *a, u *b, u *c, int n)
{
	FOR {
		u t = atomicAdd(a, 1u);
		while (__ldcg(a + 1) != t) __nanosleep(20);
		_Pragma("ccc if") if (((i * 7 + n) & 1) == 0) { b[0] += i; }
		__threadfence();
		atomicAdd(a + 1, 1u);
	}
}
K control(u *a, u *b, u *c, int n)            // a control dependence on the flag
{
	FOR {
		u t = atomicAdd(a, 1u);
		for (bool go = true; go;) {
			if (*(volatile u *)(a + 1) == t)
				go = false;
			else
				asm volatile("");
		}
		_Pragma("ccc if") if (((i * 7 + n) & 1) == 0) { b[0] += i; }
		__threadfence();
		atomicAdd(a + 1, 1u);
	}
}
K through_local(u *a, u *b, u *c, int n)      // the flag passes through a thread-local array
{
	u mine[8];
	for (int k = 0; k < 8; k++) mine[k] = n;
	FOR {
		u t = atomicAdd(a, 1u), k = 0;
		do { mine[(k + n) & 7] = __ldcg(a + 1); mine[(k + i) & 7] += 0; k++; } while (mine[(k - 1 + n) & 7] != t);
		_Pragma("ccc if") if (((i * 7 + n) & 1) == 0) { b[0] += i; }
		__threadfence();
		atomicAdd(a + 1, 1u);
	}
}
__device__ __noinline__ void await(u *p, u t) { while (__ldcg(p) != t) ; }
K callee(u *a, u *b, u *c, int n)
{
	FOR {
		u t = atomicAdd(a, 1u);
		await(a + 1, t);
		_Pragma("ccc if") if (((i * 7 + n) & 1) == 0) { b[0] += i; }
		__threadfence();
		atomicAdd(a + 1, 1u);
	}
}
__device__ __noinline__ bool is(u *p, u t) { return __ldcg(p) == t; }
K callee_asks(u *a, u *b, u *c, int n)
{
	FOR {
		u t = atomicAdd(a, 1u);
		while (!is(a + 1, t)) ;
		_Pragma("ccc if") if (((i * 7 + n) & 1) == 0) { b[0] += i; }
		__threadfence();
		atomicAdd(a + 1, 1u);
	}
}
K producer(u *a, u *b, u *c, int n)           // the next lane waits for a store of this lane's path
{
	FOR {
		if (i)
			while (__ldcv(a + (i - 1)) == 0) ;
		_Pragma("ccc if") if ((i & 3) != 3) { b[i] = i * 3; __threadfence(); }
		atomicExch(a + i, 1u);
	}
}
K ring(u *a, u *b, u *c, int n)               // the address of the flag is loop-carried
{
	FOR {
		u t = atomicAdd(a + 8, 1u);
		for (u k = 0; __ldcg(a + (k & 3)) != t; k++) ;
		_Pragma("ccc if") if (((i * 7 + n) & 1) == 0) { b[0] += i; }
		__threadfence();
		for (int k = 0; k < 4; k++) atomicMax(a + k, t + 1);
	}
}
K shared_flag(u *a, u *b, u *c, int n)        // warps of a block
{
	__shared__ volatile u flag;
	if (TID == 0) flag = 0;
	__syncthreads();
	FOR {
		while (flag != i) ;
		_Pragma("ccc if") if (((i * 7 + n) & 1) == 0) { b[0] += i; }
		flag = i + 1;
	}
}
K grid_barrier(u *a, u *b, u *c, int n)
{
	_Pragma("ccc for proven policy(wait(16))") for (int i = 0; i < n / 16; i++) {
		_Pragma("ccc if") if (((TID * 7 + i) & 1) == 0) atomicAdd(b, i);
		atomicAdd(a, 1u);
		while (atomicAdd(a, 0u) < NT * (i + 1)) ;
	}
}
K left_by_flag(u *a, u *b, u *c, int n)       // the annotated loop itself waits
{
	if (TID & 1)
		b[TID] = 1;
	_Pragma("ccc for proven policy(wait(16))") for (int i = 0; __ldcg(a) == 0; i++) {
		_Pragma("ccc if") if (i % 3 == TID % 3) {
			atomicAdd(b + TID, 0u);
			if (TID == 5) { atomicExch(a, 1u); }
		}
	}
}
K left_after(u *a, u *b, u *c, int n)         // for a lane that has left the loop
{
	_Pragma("ccc for proven policy(wait(16))") for (int i = 0; TID ? __ldcg(a) == 0 : i < 9; i++) {
		_Pragma("ccc if") if (i % 3 == TID % 3) atomicAdd(b + TID, 0u);
	}
	if (TID == 0) atomicExch(a, 1u);
}
K look_back(u *a, u *b, u *c, int n)          // decoupled look-back: state in a, sums in b
{
	FOR {
		u x = i * 5 + 1, before = 0;
		b[i] = x; __threadfence(); atomicExch(a + i, 1u);
		for (int k = i - 1; k >= 0;) {
			u s = __ldcg(a + k);
			if (s == 2) { before += __ldcg(c + k); break; }
			if (s == 1) { before += __ldcg(b + k); k--; }
		}
		_Pragma("ccc if") if (((i * 7 + n) & 1) == 0) { c[i] = before + x; __threadfence(); atomicExch(a + i, 2u); }
	}
}
K bit_lock(u *a, u *b, u *c, int n)           // a lock that looks like a retry
{
	FOR {
		_Pragma("ccc if") if ((i * 7 + n) % 3 == 0) {
			u old = *(volatile u *)a, seen;
			do { seen = old & ~1u; old = atomicCAS(a, seen, seen | 1u); } while (old != seen);
			b[0] += i; __threadfence();
			atomicAdd(a, 1u);
		}
	}
}
K full_empty(u *a, u *b, u *c, int n)         // a retry that also waits for a value
{
	FOR {
		_Pragma("ccc if") if ((i * 7 + n) % 3 == 0) {
			u old = *(volatile u *)a, seen;
			do { seen = old; old = atomicCAS(a, seen, 1u); } while (old != seen || seen == 1u);
			b[0] += i; __threadfence();
			atomicExch(a, 0u);
		}
	}
}
K semaphore(u *a, u *b, u *c, int n)          // admits two at a time
{
	FOR {
		_Pragma("ccc if") if ((i * 7 + n) % 3 == 0) {
			while (atomicAdd(a, 1u) >= 2u) atomicSub(a, 1u);
			atomicAdd(b, (u)i);
			atomicSub(a, 1u);
		}
	}
}
K bisect_stuck(u *a, u *b, u *c, int n)       // an interval that does not always shrink: one of a single element acts as a flag
{
	FOR {
		u t = atomicAdd(a, 1u), lo = 0, hi = n;
		while (lo < hi) { u mid = (lo + hi) >> 1; b[8] = 0; if (((volatile u *)a)[1 + mid] != t) hi = mid + 1; else lo = mid + 1; }
		_Pragma("ccc if") if (((i * 7 + n) & 1) == 0) { b[0] += i; }
		__threadfence();
		for (int k = 0; k < n; k++) atomicAdd(a + 1 + k, 1u);
	}
}
K weak_fence(u *a, u *b, u *c, int n)         // a weak load that a fence orders after other threads' writes
{
	FOR {
		u t = atomicAdd(a, 1u), k = 0;
		while (a[1 + (k & 1)] != t) { k++; b[8] = 0; __threadfence(); }
		_Pragma("ccc if") if (((i * 7 + n) & 1) == 0) { b[0] += i; }
		__threadfence();
		atomicAdd(a + 1, 1u);
	}
}
K weak_atomic(u *a, u *b, u *c, int n)        // the strong access of the loop may see the same write
{
	FOR {
		u t = atomicAdd(a, 1u), k = 0;
		while (a[1 + (k & 1)] != t) { k++; atomicMax(c, 0u); }
		_Pragma("ccc if") if (((i * 7 + n) & 1) == 0) { b[0] += i; }
		__threadfence();
		atomicAdd(a + 1, 1u);
	}
}
K mbarrier(u *a, u *b, u *c, int n)
{
	__shared__ unsigned long long bar;
	u at = (u)__cvta_generic_to_shared(&bar);
	if (TID == 0) asm volatile("mbarrier.init.shared.b64 [%0], %1;" :: "r"(at), "r"(NT) : "memory");
	__syncthreads();
	_Pragma("ccc for proven policy(wait(16))") for (int i = 0; i < n / 16; i++) {
		unsigned long long t;
		u done = 0;
		_Pragma("ccc if") if (((TID * 7 + i) & 1) == 0) atomicAdd(b, i);
		asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(t) : "r"(at) : "memory");
		while (!done)
			asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
				: "=r"(done) : "r"(at), "l"(t) : "memory");
	}
}
K chase(u *a, u *b, u *c, int n)              // a list whose end points to itself until another thread extends it
{
	FOR {
		u at = 0;
		while (at != (u)i) at = __ldcg(a + at);
		_Pragma("ccc if") if (((i * 7 + n) & 1) == 0) { b[0] += i; }
		__threadfence();
		if (i + 1 < n) atomicExch(a + at, i + 1u);
	}
}

// The other policies.
#define TICKETS(name, loop, part, inner) K name(u *a, u *b, u *c, int n) \
{ \
	loop EACH { \
		u t = atomicAdd(a, 1u); \
		inner while (__ldcv(a + 1) != t) ; \
		part if (((i * 7 + n) & 1) == 0) { b[0] += i; } else { b[1] += i; } \
		__threadfence(); \
		atomicAdd(a + 1, 1u); \
	} \
}
#define IF _Pragma("ccc if")
TICKETS(by_wait, _Pragma("ccc for proven policy(wait)"), IF,)
TICKETS(by_majority, _Pragma("ccc for proven policy(majority)"), IF,)
TICKETS(by_converge, _Pragma("ccc for proven policy(converge)"), IF,)
TICKETS(by_live, _Pragma("ccc for proven"), _Pragma("ccc delay policy(live)"),)
TICKETS(by_cycle, _Pragma("ccc for proven"), _Pragma("ccc delay policy(cycle(2, 2))"),)
TICKETS(by_flatten, _Pragma("ccc for proven policy(flatten)"), , _Pragma("ccc while"))
__device__ u flag, sums[1024];
K by_ahead(u *a, u *b, u *c, int n)           // looks ahead at a flag
{
	_Pragma("ccc for proven policy(ahead)") for (int i = 0; TID ? __ldcv(&flag) == 0 : i < 9; i++) {
		_Pragma("ccc if") if (i % 3 == TID % 3) atomicAdd(sums + TID, 0u);
	}
	if (TID == 0) atomicExch(&flag, 1u);
}
K by_grid(u *a, u *b, u *c, int n)            // its iterations are distributed to threads
{
	u t = atomicAdd(a, 1u);
	while (__ldcg(a + 1) != t) ;
	_Pragma("ccc if proven") if (t & 1) b[t] = sqrtf(t * 3.0f);
	__threadfence();
	atomicAdd(a + 1, 1u);
}
