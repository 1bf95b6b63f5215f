// Calls to the device's runtime system: printf, malloc, free, alloca. The kernels for memory compare their
// results with the expected ones: wrong results in out[0], comparisons in out[1]. Those for printf are compared with system.txt,
// which main() writes with the host's printf. On a GPU: nvcc -arch=native system.cu && ./a.out | cmp - system.txt
#include <cstdio>
#include <cstdlib>
#include <cstdint>
#define NUMBERS(P) \
	P("%d|%i|%5d|%-5d|%05d|%+d|% d|%.3d|%8.3d|%*d|%-*d|\n", 42, -42, 42, 42, 42, 42, 42, 7, 7, 6, 42, 6, 42); \
	P("%u %o %#o %x %X %#x %#010x\n", 4000000000u, 64, 64, 0xbeefu, 0xbeefu, 0xbeefu, 0xbeefu); \
	P("%lld %llu %llx %ld %lu\n", -1ll << 40, ~0ull, 0x123456789abcull, -5l, 5ul); \
	P("%f %.2f %10.3f %-10.1f| %e %.0e %E %g %g %G %a\n", 1.5, 3.14159, -2.5, 0.05, 12345.678, 5.0, 1e-10, 1e-5, 123456789.0, 1e20, 1.0); \
	P("%f %F %5.1f %+g %g\n", 1.0 / zero, -1.0 / zero, 99.95, 0.1f, 100000.0); \
	P("%c%c%3c|%-3c|%s|%10s|%-10s|%.3s|%*s|%s\n", 'a', 66, 'c', 'd', "text", "right", "left", "cut off", 8, "both", ""); \
	P("100%% %5s%d%s\n", "", 1, "%d"); \
	P("%p %s\n", (void *)0x1234, "end"); \
	P("no conversions\n")
extern "C" __global__ void numbers(double zero)
{
	NUMBERS(printf);
}
extern "C" __global__ void as_it_stands()    // formats that the device's printf does not support
{
	printf("%.*d|%zu|%d\n", 7);
	printf("%hhd %hd %hhu %hu\n", 300, 70000, 300, 70000); // a GPU may print something else
}
extern "C" __global__ void counts(int *out)    // the result of printf: the number of arguments
{
	int a = printf("%d %s %*d\n", (int)threadIdx.x, "x", 3, 1), b = printf("none\n");
	atomicAdd(out, (a != 4) + (b != 0));
	atomicAdd(out + 1, 2);
}
extern "C" __global__ void by_lane()    // divergent lanes, and a string that is not constant
{
	char name[] = "lane ?";
	name[5] = (char)('a' + threadIdx.x);
	if (threadIdx.x & 1)
		printf("%s: odd\n", name);
	if (threadIdx.x % 3 == 0)
		printf("%s: third of %u\n", name, blockDim.x);
}
__device__ void check(int *out, bool right) { atomicAdd(out, !right); atomicAdd(out + 1, 1); }
struct List { List *next; int value; };
extern "C" __global__ void heap(int *out)    // lists of different lengths; malloc in one basic block, free in another
{
	int t = threadIdx.x, n = t % 9, sum = 0;
	List *head = nullptr;
	for (int i = 0; i < n; i++) {
		List *x = (List *)malloc(sizeof *x);
		x->next = head, x->value = i * t, head = x;
	}
	for (List *x = head, *next; x; x = next)
		sum += x->value, next = x->next, free(x);
	check(out, sum == t * n * (n - 1) / 2);
	short *a = new short[t + 1];
	a[t] = (short)t;
	check(out, a[t] == t && ((uintptr_t)a & 15) == 0);
	delete[] a;
	check(out, malloc((size_t)1 << 40) == nullptr);
	free(nullptr);
}
__device__ __noinline__ int on_stack(int n, int depth)    // allocates memory, calls itself, and checks that the memory is unchanged
{
	int *a = (int *)alloca(4 * n), s = 0;
	for (int i = 0; i < n; i++)
		a[i] = i * depth;
	if (depth > 1)
		s = on_stack(n / 2 + 1, depth - 1);
	for (int i = 0; i < n; i++)
		s += a[i];
	return s;
}
extern "C" __global__ void stack(int *out)
{
	int t = threadIdx.x, want = 0;
	for (int k = 0; k < 3; k++) {
		int n = t % 11 + 1;
		want = 0;
		for (int d = 4; d; d--, n = n / 2 + 1)
			want += d * n * (n - 1) / 2;
		check(out, on_stack(t % 11 + 1, 4) == want);
	}
}
int main()
{
	double zero = 0;
	int *out, bad = 0;
	if (getenv("HOST")) {
		NUMBERS(printf);
		return 0;
	}
	numbers<<<1, 1>>>(zero);
	cudaDeviceSynchronize();
	cudaMalloc(&out, 8);
	void (*kernels[])(int *) = { heap, stack };
	for (int k = 0; k < 2; k++) {
		int got[2];
		cudaMemset(out, 0, 8);
		kernels[k]<<<1, 96>>>(out);
		cudaMemcpy(got, out, 8, cudaMemcpyDeviceToHost);
		bad |= got[0] || got[1] != 3 * 96;
	}
	fputs(bad ? "FAILED\n" : "", stdout);
	return bad;
}
// SPDX-License-Identifier: MIT
