// Calls through function pointers: tables in global and constant memory, arguments of functions, virtual functions, lanes that
// call different functions at once, recursion through a pointer. Each kernel computes its results also without pointers and
// counts the differences in out[0], and the comparisons in out[1]. On a GPU: nvcc -arch=native pointers.cu && ./a.out
#include <cstdio>
typedef int (*Unary)(int);
struct Big { int v[5]; double d; };
struct Op { const char *name; Unary f; int bias; };

__device__ __noinline__ int twice(int x) { return 2 * x; }
__device__ __noinline__ int negate(int x) { return -x; }
__device__ __noinline__ int square(int x) { return x * x; }
__device__ __noinline__ int steps(int x) { int n = 0; while (x > 1) { x = x & 1 ? 3 * x + 1 : x / 2; n++; } return n; }
__device__ __noinline__ Big fill(int x) { Big b; for (int i = 0; i < 5; i++) b.v[i] = x + i; b.d = x / 2.0; return b; }
__device__ __noinline__ Big fill_back(int x) { Big b; for (int i = 0; i < 5; i++) b.v[i] = x - i; b.d = x * 4.0; return b; }
__device__ Unary table[4] = { twice, negate, square, steps };
__constant__ Op ops[3] = { { "square", square, 5 }, { "twice", twice, -1 }, { "none", nullptr, 7 } };
__device__ Unary (*whole_table)[4] = &table;

__device__ int direct(int k, int x) { return k == 0 ? 2 * x : k == 1 ? -x : k == 2 ? x * x : steps(x); }
__device__ void check(int *out, bool right) { atomicAdd(out, !right); atomicAdd(out + 1, 1); }

extern "C" __global__ void in_table(int *out)
{
	int t = threadIdx.x;
	check(out, table[t % 4](t + 1) == direct(t % 4, t + 1));
	check(out, (*whole_table)[(t >> 2) & 3](t) == direct((t >> 2) & 3, t));
	int k = t % 3, r = ops[k].f ? ops[k].f(t) + ops[k].bias : 99;
	check(out, r == (k == 0 ? t * t + 5 : k == 1 ? 2 * t - 1 : 99));
}
__device__ __noinline__ long long sum_over(Unary f, int n)
{
	long long s = 0;
	for (int i = 1; i <= n; i++)
		s += f(i);
	return s;
}
extern "C" __global__ void as_argument(int *out)    // lanes have different trip counts and call different functions
{
	int t = threadIdx.x, n = t % 7;
	long long want = 0;
	for (int i = 1; i <= n; i++)
		want += direct(t & 3, i);
	check(out, sum_over(table[t & 3], n) == want);
}
extern "C" __global__ void structs(int *out)    // arguments and results are larger than a register
{
	int t = threadIdx.x;
	Big (*f)(int) = t & 1 ? fill : fill_back, b = f(10 * t);
	int wrong = 0;
	for (int i = 0; i < 5; i++)
		wrong += b.v[i] != 10 * t + (t & 1 ? i : -i);
	check(out, !wrong && b.d == (t & 1 ? 5.0 * t : 40.0 * t));
}
struct Shape {
	int size;
	__device__ Shape(int s) : size(s) {}
	__device__ virtual int area(int scale) const = 0;
	__device__ virtual int sides() { return 0; }
	__device__ virtual ~Shape() {}
};
struct Square : Shape {
	__device__ Square(int s) : Shape(s) {}
	__device__ int area(int scale) const override { return size * size * scale; }
	__device__ int sides() override { return 4; }
};
struct Disc : Shape {
	__device__ Disc(int s) : Shape(s) {}
	__device__ int area(int scale) const override { return 3 * size * size * scale; }
};
struct Tower : Square {
	Shape *top;
	__device__ Tower(int s, Shape *t) : Square(s), top(t) {}
	__device__ int area(int scale) const override { return Square::area(scale) + (top ? top->area(scale + 1) : 0); }
};
__device__ __noinline__ int measure(Shape *s, int scale) { return s->area(scale) + 1000 * s->sides(); }
extern "C" __global__ void virtuals(int *out)    // virtual functions, one calling another
{
	int t = threadIdx.x, n = t & 15;
	Square q(n);
	Disc d(n + 1);
	Tower w(n + 2, t & 4 ? (Shape *)&q : (Shape *)&d);
	Shape *s = t % 3 == 0 ? (Shape *)&q : t % 3 == 1 ? (Shape *)&d : (Shape *)&w;
	int scale = 1 + (t & 1), tower = (n + 2) * (n + 2) * scale + (t & 4 ? n * n : 3 * (n + 1) * (n + 1)) * (scale + 1);
	int want = t % 3 == 0 ? n * n * scale + 4000 : t % 3 == 1 ? 3 * (n + 1) * (n + 1) * scale : tower + 4000;
	check(out, measure(s, scale) == want);
}
struct Node { int (*visit)(const Node *, int); int next, value; };
__device__ int visit_add(const Node *n, int depth);
__device__ int visit_stop(const Node *n, int depth);
__device__ Node nodes[4] = { { visit_add, 1, 3 }, { visit_add, 2, 10 }, { visit_add, 3, 200 }, { visit_stop, 0, 7 } };
__device__ __noinline__ int visit_stop(const Node *n, int depth) { return n->value * depth; }
__device__ __noinline__ int visit_add(const Node *n, int depth)
{
	const Node *to = &nodes[n->next];
	return n->value + to->visit(to, depth + 1);
}
extern "C" __global__ void recursion(int *out)
{
	int t = threadIdx.x, k = t & 3;
	const int sums[] = { 213, 210, 200, 0 };
	check(out, nodes[k].visit(&nodes[k], t) == sums[k] + 7 * (t + 3 - k));
}
int main()
{
	void (*kernels[])(int *) = { in_table, as_argument, structs, virtuals, recursion };
	static const int looks[] = { 3 * 96, 96, 96, 96, 96 };
	int bad = 0;
	for (int k = 0; k < 5; k++) {
		int *out, got[2] = {};
		cudaMalloc(&out, 8), cudaMemset(out, 0, 8);
		kernels[k]<<<1, 96>>>(out);
		cudaMemcpy(got, out, 8, cudaMemcpyDeviceToHost);
		printf("kernel %d: %d of %d wrong\n", k, got[0], got[1]);
		bad |= got[0] || got[1] != looks[k];
	}
	puts(bad ? "FAILED" : "all right");
	return bad;
}
// SPDX-License-Identifier: MIT
