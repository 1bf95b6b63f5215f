#include "kernels.h"
#define CCC_FOR _Pragma("ccc for")
#define CCC_IF _Pragma("ccc if")
#define LOOP(i, n) CCC_FOR for (int i = threadIdx.x; i < n; i += blockDim.x)
__global__ void k_macro(int n, int *p) { LOOP(i, n) { CCC_IF if (p[i] > 3) { p[i] = p[p[i]] / 7; } } }
__global__ void k_header(int n, int *p) { in_header(n, p); }
template <class T, class F> __global__ void k_template(int n, T *p, F f) {
	#pragma ccc for
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		#pragma ccc if
		if (p[i] > T(3)) f(p + i);
}
struct Op { template <class T> __device__ void operator()(T *x) const { *x = *x / T(7); } };
template __global__ void k_template<int, Op>(int, int *, Op);
template __global__ void k_template<float, Op>(int, float *, Op);
__global__ void k_lambda(int n, int *p) {
	auto f = [=](int i) {
		#pragma ccc for
		for (; i < n; i += 32) {
			#pragma ccc if
			if (p[i] & 1) { p[i] /= 3; }
		}
	};
	f(threadIdx.x);
}
__host__ __device__ constexpr int ce(int n, const int *p) {
	int s = 0;
	#pragma ccc for
	for (int i = 0; i < n; i++) {
		#pragma ccc if
		if (p[i] > 4) { if (p[i] == 99) return -1; if (p[i] == 98) continue; s += p[i] / 3; }
		else if (p[i] == 2) break;
	}
	return s;
}
constexpr int table[] = { 1, 9, 5 };
static_assert(ce(3, table) == 4, "");
__global__ void k_constexpr(int n, int *p) { *p = ce(n, p); }
__global__ void k_else(int n, int *p) {
	#pragma ccc for
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		#pragma ccc if else
		if (p[i] & 1 && p[i+1] & 1) p[i] /= 3; else if (p[i] & 2) p[i] /= 5;
}
__global__ void k_path(int n, int *p) {
	#pragma ccc for
	for (int i = threadIdx.x; i < n; i += blockDim.x) {
		if (p[i] & 1) p[i] /= 3;
		else
			#pragma ccc path
			p[i] /= 5;
		if (p[i] == 18) continue;
		if (p[i] == 19)
		#pragma ccc path
		{ p[i] /= 5; break; }
		if (p[i] == 20) return;
	}
}
__global__ void k_unroll(int n, int *p) {
	#pragma unroll 2
	#pragma ccc for
	for (int i = threadIdx.x; i < n; i += blockDim.x) p[i] /= 3;
	#pragma ccc for
	#pragma unroll 2
	for (int i = threadIdx.x; i < n; i += blockDim.x) p[i] /= 5;
	#pragma ccc while
	#pragma unroll 1
	while (n--) p[n] /= 5;
	#pragma ccc for var
	do p[n] /= 6; while (n++ < 100);
}
__global__ void k_switch(int n, int *p) {
	#pragma ccc for
	for (int i = threadIdx.x; i < n; i += blockDim.x)
	#pragma ccc switch paths(2)
	switch (p[i]) { case 1: p[i] = 77 % p[i+1]; break; case 2: p[i] = p[i+1] / p[i]; break; case 3: p[i+1] = 5 / p[i]; break; default: p[i] = p[i + 2] / 5; }
}
void on_host(int n, int *p) {
	#pragma ccc for
	for (int i = 0; i < n; i++) p[i] = 1;
}
const char *s = R"(
#pragma ccc nonsense
)";
int main() {}
template <class T> struct Vec { T v[2]; __device__ Vec(T x) : v{x, x} {} };
__global__ void k_declares(int n, int *p) {
	int x = p[n];
	{
		#pragma ccc path
		Vec<int> x = p[n + 1] / n;
		static_assert(sizeof x == 8, "the inner one");
		p[n + 2] = x.v[1];
	}
	p[n + 3] = x;
}
struct Init { int a = 7; };
__host__ __device__ constexpr int ce_if(int n, int *p, Init a = {}) {
	#pragma ccc path
	if (n > 3) p[1] = p[2] / n;
	#pragma unroll 4
	for (int i = 0; i < n; i++) p[i] = p[i] / 3;
	#pragma ccc path
	if (n > 5) p[2] = p[3] / n;
	#pragma ccc for
	for (int i = 0; i < n; i++) p[i] = p[i] / n;
	return a.a;
}
__global__ void k_constexpr_if(int n, int *p) { p[0] = ce_if(n, p); }
__global__ void k_attribute(int n, int *p) {
	#pragma unroll 2
	#pragma nv_diag_suppress 177
	#pragma ccc for
	for (int i = 0; i < n; i++) p[i] = p[i] / n;
	#pragma ccc for
	[[likely]] for (int i = 0; i < n; i++)
		#pragma ccc if
		if (p[i] > 3) p[i] = p[i] / n;
}
// SPDX-License-Identifier: MIT
