__device__ int f(int n, int *p) {
	#pragma ccc for
	for (;;) {
		#pragma ccc if
		if (p[n] & 1) return p[n] / 3;
		n++;
	}
}
__device__ int g(int n, int *p) {
	#pragma ccc if
	if (p[n] & 1) return p[n] / 3;
	else return 2;
}
__device__ constexpr int h(int n, const int *p) {
	#pragma ccc if
	if (p[n] & 1) return p[n] / 3;
	else return 2;
}
__global__ void k(int n, int *p) { *p = f(n, p) + g(n, p) + h(n, p); int x;
	#pragma ccc if else
	if (p[n]) x = p[n]; else x = 8;
	p[n + 1] = x;
}
// SPDX-License-Identifier: MIT
