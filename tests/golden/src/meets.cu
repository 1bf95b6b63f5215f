// SPDX-License-Identifier: MIT
// Loops that may poll memory and in which lanes reconverge in each iteration, and near misses. Nothing is promised. a and b are 0, c is
// random.
#define TID (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z))
#define NT (blockDim.x * blockDim.y * blockDim.z)
#define EACH for (int i = TID; i < n; i += NT)
#define FOR(policy) _Pragma(policy) EACH
#define FLATTEN FOR("ccc for proven policy(flatten)")
#define WHILE _Pragma("ccc while")
typedef unsigned u;
#define K extern "C" __global__ void

K chain(u *a, u *b, u *c, int n)              // the lists of a hash table, in memory that may overlap b
{
	FLATTEN {
		u s = 0;
		WHILE for (u at = c[i] & 1023; at; at = c[at] & (at - 1)) s += at ^ i;
		b[i] = s;
	}
}
K ticket(u *a, u *b, u *c, int n)
{
	FLATTEN {
		u t = atomicAdd(a, 1u);
		WHILE while (__ldcv(a + 1) != t) ;
		b[0] += i; __threadfence();
		atomicAdd(a + 1, 1u);
	}
}
K ticket_4(u *a, u *b, u *c, int n)           // a vote in every 4th iteration
{
	FOR("ccc for proven policy(flatten(4))") {
		u t = atomicAdd(a, 1u);
		WHILE while (__ldcv(a + 1) != t) ;
		b[0] += i; __threadfence();
		atomicAdd(a + 1, 1u);
	}
}
K lock(u *a, u *b, u *c, int n)
{
	FLATTEN {
		WHILE while (atomicCAS(a, 0u, 1u) != 0) ;
		*(volatile u *)b += i; __threadfence();
		atomicExch(a, 0u);
	}
}
K lock_inside(u *a, u *b, u *c, int n)        // the critical section belongs to the inner loop
{
	FLATTEN {
		bool go = true;
		WHILE while (go)
			if (atomicExch(a, 1u) == 0) {
				*(volatile u *)b += i; __threadfence();
				atomicExch(a, 0u);
				go = false;
			}
	}
}
K in_turn(u *a, u *b, u *c, int n)            // each element waits for the previous one, which belongs to another lane, and sometimes another warp
{
	FLATTEN {
		WHILE while (*(volatile u *)a != i) ;
		b[i] = i * 3; __threadfence();
		atomicExch(a, i + 1u);
	}
}
K table(u *a, u *b, u *c, int n)              // a block barrier before the loop
{
	__shared__ u head[64];
	for (int k = TID; k < 64; k += NT) head[k] = c[k] & 1023;
	__syncthreads();
	FLATTEN {
		u s = 0;
		WHILE for (u at = head[i & 63]; at; at = c[at] & (at - 1)) s += at;
		b[i] = s;
	}
}
K by_converge(u *a, u *b, u *c, int n)        // the annotated loop polls
{
	u mine = TID;
	_Pragma("ccc for proven policy(converge)") for (u now; (now = *(volatile u *)a) <= mine;) {
		_Pragma("ccc if") if (now == mine) { b[mine] = mine * 3; __threadfence(); atomicAdd(a, 1u); }
	}
}
// Left unchanged. Most of them would not end: a lane waits at a vote, and others wait for it.
K by_wait(u *a, u *b, u *c, int n)            // enough lanes poll, and the one that they wait for waits
{
	FOR("ccc for proven policy(wait)") {
		WHILE while (*(volatile u *)a != i) ;
		b[i] = i * 3; __threadfence();
		atomicExch(a, i + 1u);
	}
}
__device__ int limit[64];
__device__ u sums[1024];
K by_ahead(u *a, u *b, u *c, int n)           // a lane reads its exit condition twice
{
	_Pragma("ccc for proven policy(ahead(4))") for (int i = 0; i <= limit[i & 63] + n; i++) {
		_Pragma("ccc if") if ((i * 7 + TID) % 3 == 0) sums[TID] += i;
	}
}
K nested(u *a, u *b, u *c, int n)             // lanes do not reconverge in the loop that polls, which contains another one
{
	FLATTEN {
		u t = atomicAdd(a, 1u);
		WHILE for (u at = c[i] & 3; at; at--) {
			b[n + i] += at;
			while (__ldcv(a + 1) > t) ;
		}
		while (__ldcv(a + 1) != t) ;
		b[0] += i; __threadfence();
		atomicAdd(a + 1, 1u);
	}
}
K nested_inside(u *a, u *b, u *c, int n)
{
	FLATTEN {
		WHILE for (u at = c[i] & 3; at; at--) {
			while (atomicCAS(a, 0u, 1u) != 0) ;
			*(volatile u *)b += at; __threadfence();
			atomicExch(a, 0u);
		}
	}
}
K not_each(u *a, u *b, u *c, int n)           // iterations of the annotated loop that do not reach the inner one
{
	_Pragma("ccc for proven policy(flatten)") for (u k = 0, now; (now = *(volatile u *)a) <= TID;) {
		if (now == TID) {
			WHILE for (u at = c[TID] & 1023; at; at = c[at] & (at - 1)) k += at;
			b[TID] = k; __threadfence();
			atomicAdd(a, 1u);
		}
	}
}
K left_after(u *a, u *b, u *c, int n)         // a lane that leaves the loop lets the next one do so
{
	u s = 0;
	_Pragma("ccc for proven policy(flatten)") for (int k = 0; k < 2; k++) {
		WHILE while (*(volatile u *)a != TID) ;
		s += k;
	}
	b[TID] = s; __threadfence();
	atomicExch(a, TID + 1u);
}
__device__ __noinline__ void wait_twice(volatile u *a)
{
	_Pragma("ccc for proven policy(flatten)") for (int k = 0; k < 2; k++) {
		WHILE while (*a != TID) ;
		asm volatile("");
	}
}
K left_function(u *a, u *b, u *c, int n)      // the same, in a function
{
	wait_twice(a);
	b[TID] = TID; __threadfence();
	atomicExch(a, TID + 1u);
}
K left_loop(u *a, u *b, u *c, int n)          // the same, when it reaches the loop again
{
	for (int r = 0; r < n >> 4; r++) {
		_Pragma("ccc for proven policy(flatten)") for (int k = 0; k < 2; k++) {
			if (r && !k)
				atomicMax(a, (r - 1) * NT + TID + 1);
			WHILE while (r + 1 < n >> 4 && *(volatile u *)a < r * NT + TID) ;
		}
	}
}
K warp_sync(u *a, u *b, u *c, int n)          // lanes wait at a warp barrier until others exit
{
	if (TID & 1) { // lane 0 and odd lanes
		__syncwarp(0xaaaaaaab);
		atomicExch(a, 1u);
		return;
	}
	FLATTEN {
		WHILE while (TID && *(volatile u *)a == 0) ;
		b[i] = i;
	}
}

// With a promise both are transformed, and -Wccc-spin warns of the second one, whose lanes write memory after the loop.
K promised(u *a, u *b, u *c, int n)
{
	FOR("ccc for policy(flatten)") {
		u t = atomicAdd(a, 1u);
		WHILE while (__ldcv(a + 1) != t) ;
		b[0] += i; __threadfence();
		atomicAdd(a + 1, 1u);
	}
}
K promised_after(u *a, u *b, u *c, int n)
{
	u s = 0;
	FOR("ccc for policy(flatten)") {
		WHILE while (__ldcv(a + 1) < i) atomicMax(a + 1, (u)i);
		s += i;
	}
	b[TID] = s;
}
