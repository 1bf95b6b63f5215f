// SPDX-License-Identifier: MIT
// Device code in several translation units (-rdc=true): compiled once with -DSECOND and once without, and linked. Tests the linker's
// work: functions, variables and constants of another unit; names that are local to both (a static kernel, function
// and variable, the text of printf); a template's function, which both define; a virtual function table that the other unit calls.
#include <cstdio>
#include <cuda_runtime.h>

struct Shape {
	int side;
	__device__ virtual int area() const = 0;
};
extern __device__ int total;
extern __constant__ int scale[4];
__device__ int twice(int x);
__device__ int area_of(const Shape *s);
template <class T> __device__ __noinline__ T square(T x) { return x * x; }
int second(int *results);

#ifdef SECOND
static __device__ int mine = 7;
__constant__ int scale[4] = { 1, 10, 100, 1000 };
__device__ int twice(int x) { return 2 * x; }
__device__ int area_of(const Shape *s) { return s->area(); }
static __device__ __noinline__ int helper(int x) { return x + mine; }
static __global__ void kernel(int *out)
{
	int t = threadIdx.x;
	out[t] = helper(square(t)) * scale[2];
	atomicAdd(&total, 100);
	if (t == 0)
		printf("the second says %d\n", out[0]);
}

int second(int *results)
{
	kernel<<<1, 32>>>(results);
	return cudaGetLastError();
}
#else
__device__ int total;
static __device__ int mine = 5;
struct Square : Shape {
	__device__ int area() const override { return square(side); }
};
static __device__ __noinline__ int helper(int x) { return x - mine; }
static __global__ void kernel(int *out)
{
	int t = threadIdx.x;
	Square s;
	s.side = t;
	out[t] = helper(twice(t)) + area_of(&s);
	atomicAdd(&total, 1);
	if (t == 0)
		printf("the first says %d\n", out[0]);
}

static int failed;
static void
check(const char *what, int got, int want)
{
	printf("%s %s: %d\n", got == want ? "ok" : "FAIL", what, got);
	failed |= got != want;
}

int
main()
{
	int *out, got[32], n = -1, m = 6;
	cudaMalloc(&out, sizeof got);
	kernel<<<1, 32>>>(out);
	cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
	check("first", got[31], 62 - 5 + 31 * 31);
	cudaMemcpyToSymbol(mine, &m, sizeof m);
	kernel<<<1, 32>>>(out);
	cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
	check("first's own variable", got[0], -6);
	check("second runs", second(out), 0);
	cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
	check("second", got[31], (31 * 31 + 7) * 100);
	cudaMemcpyFromSymbol(&n, total, sizeof n);
	check("a variable of both", n, 64 + 3200);
	cudaMemcpyFromSymbol(&n, scale, sizeof n, sizeof n);
	check("a constant of the other", n, 10);
	check("no error", cudaGetLastError(), 0);
	return failed;
}
#endif
