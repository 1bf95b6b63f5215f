/* corpus: recursion, function pointers, virtual calls, printf, assert, malloc, static data, managed and constant memory */
#include <assert.h>
#include <stdio.h>

struct Shape {
	__device__ virtual ~Shape() {}
	__device__ virtual float area() const = 0;
};

struct Square : Shape {
	float a;
	__device__ explicit Square(float x) : a(x) {}
	__device__ float area() const override { return a * a; }
};

struct Circle : Shape {
	float r;
	__device__ explicit Circle(float x) : r(x) {}
	__device__ float area() const override { return 3.14159f * r * r; }
};

struct Big { int a[20]; };

__managed__ int shared_by_all = 5;
__constant__ double table[4] = { 1.5, -2.0, 0.1, 1e300 };
__device__ const char *names[] = { "one", "two \"quoted\" // no comment", "three\n" };
__device__ int word;
__device__ int *address = &word;

__device__ __noinline__ int
fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

__device__ __noinline__ Big
make(int k)
{
	Big b;
	for (int i = 0; i < 20; i++)
		b.a[i] = i * k;
	return b;
}

__device__ int twice(int x) { return 2 * x; }
__device__ int thrice(int x) { return 3 * x; }
typedef int (*Op)(int);
__device__ Op ops[] = { twice, thrice, fib };

__global__ void
calls(int *out, int n)
{
	Big b = make(n);
	Shape *s = n & 1 ? (Shape *)new Square(2.0f) : (Shape *)new Circle(1.0f);
	out[0] = ops[n % 3](n) + b.a[n % 20] + (int)(s->area() + table[n & 3]);
	delete s;
	assert(n > 0);
	printf("%s %d %f\n", names[n % 3], shared_by_all, table[0]);
	switch (n) {
	case 0: out[1] = fib(7); break;
	case 1: out[2] = twice(n) + (int)address[0]; break;
	case 2: out[3] = __popc(n); break;
	case 3: out[4] = 8; break;
	case 4: out[5] = b.a[3]; break;
	case 5: __trap();
	default: out[6] = n;
	}
}
// SPDX-License-Identifier: MIT
