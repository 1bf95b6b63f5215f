// Trial of `grid`: task loops in launches of three dimensions, with few blocks in the task loop. STRICT: no, some are refused.
// OPTIONS: --sms=1 --grid-blocks=3
// GRID: 5,3,2
#ifndef KERNELS
#define KERNELS "../trial/grid.cu"
#include "../gpu/gpu_test.cuh"
static void launches(const char *name, Kernel k, Kernel p)
{
	for (const dim3 &grid : {dim3(1), dim3(3, 2, 2), dim3(1, 9), dim3(1, 1, 7), dim3(70, 3, 2)})
		for (const dim3 &block : {dim3(1), dim3(33), dim3(5, 7), dim3(4, 4, 4)}) {
			Args g = buffers().g;
			g.n = 1000, g.k = 3;
			if (!same(name, k, p, g, grid, block, 0)) {
				all_right = false;
				return;
			}
		}
	printf("%s: ok\n", name);
}
#define LAUNCHES(kernel) launches(#kernel, annotated::kernel, plain::kernel)
int main()
{
	LAUNCHES(g_three);
	LAUNCHES(g_param_written);
	LAUNCHES(g_param_array);
	LAUNCHES(g_returns);
	LAUNCHES(g_called);
	LAUNCHES(g_recurses);
	LAUNCHES(g_loop);
	LAUNCHES(g_small);
	LAUNCHES(g_dynamic);
	LAUNCHES(g_array);
	LAUNCHES(g_device_variable);
	LAUNCHES(g_for_inside);
	LAUNCHES(g_nothing);
	LAUNCHES(g_remap);
	return finish();
}
#else
static __device__ __noinline__ unsigned walk(unsigned s, unsigned until)
{
	while (s % until)
		s = mix(s);
	return s;
}

// ---- task loops
__device__ __forceinline__ unsigned place()
{
	return mix(blockIdx.x * 3 + blockIdx.y * 1000 + blockIdx.z * 100000 + (gridDim.x << 20) + gridDim.y * 77 + gridDim.z * 5 + block_rank());
}
CCC(grid)
__global__ void g_three(Args g)
{
	const unsigned v = place();
	CCC(if policy(stack))
	if (v & 4)
		atomicAdd(g.count + (v & 63), walk(v, 5) + gridDim.z + blockIdx.z);
	atomicAdd(g.count + blockIdx.y % 64, threadIdx.y + 1);
}

CCC(grid)
__global__ void g_param_written(Args g)
{
	const unsigned v = place();
	g.n += v & 7;
	g.k -= 1;
	if (g.k < 2)
		g.count++;
	CCC(if policy(stack))
	if (v & 4)
		atomicAdd(g.count + (v & 31), walk(v + g.n, 5));
	g.n++;
	atomicAdd(g.count + 32 + (g.n & 15), g.k);
}

struct Table { unsigned a[8]; };
CCC(grid)
__global__ void g_param_array(Args g)
{
	const unsigned v = place();
	Table t = {{1, 2, 3, 4, 5, 6, 7, 8}};
	t.a[v & 7] += v;
	CCC(if policy(stack))
	if (v & 8)
		atomicAdd(g.count + (v & 31), walk(v, 5));
	atomicAdd(g.count + 32 + (v & 15), t.a[v >> 3 & 7]);
}

CCC(grid)
__global__ void g_returns(Args g)
{
	const unsigned v = place();
	if (v % 5 == 0)
		return;
	if (blockIdx.z == 1 && v % 3 == 0)
		return;
	CCC(if policy(queue))
	if (v & 4) {
		const unsigned x = walk(v, 5);
		atomicAdd(g.count + (v & 63), x);
	}
	if (v % 7 == 0)
		return;
	atomicAdd(g.count, 1);
}

__device__ __noinline__ unsigned leaf(unsigned x) { return mix(x + blockIdx.x * 3 + blockIdx.y * 5 + blockIdx.z); }
__device__ __noinline__ unsigned middle(unsigned x) { return x & 1 ? leaf(x) : leaf(x + gridDim.y) + leaf(x + 2); }
CCC(grid)
__global__ void g_called(Args g)
{
	const unsigned v = middle(place());
	CCC(if policy(stack))
	if (v & 4)
		atomicAdd(g.count + (v & 63), middle(walk(v, 5)));
}

__device__ __noinline__ unsigned again(unsigned x, int n) { return n <= 0 ? x + blockIdx.x : again(mix(x), n - 1) + again(x + 1, n - 3); }
CCC(grid)
__global__ void g_recurses(Args g)
{
	const unsigned v = place();
	CCC(if policy(stack))
	if (v & 4)
		atomicAdd(g.count + (v & 63), walk(v, 5));
	if (v & 8)
		atomicAdd(g.count + (v & 63), again(v, v & 3));
}

CCC(grid)
__global__ void g_loop(Args g)
{
	unsigned v = place();
	for (int k = 0; k < (int)(v & 3); k++) {
		CCC(if policy(stack))
		if (v & 4)
			v = walk(v, 5) + blockIdx.x;
		v = mix(v);
	}
	atomicAdd(g.count + (v & 63), 1);
}

CCC(grid)
__global__ void __launch_bounds__(64) g_small(Args g)
{
	const unsigned v = place();
	CCC(if policy(stack))
	if (v & 4)
		atomicAdd(g.count + (v & 63), walk(v, 5));
}

CCC(grid(dynamic))
__global__ void g_dynamic(Args g)
{
	const unsigned v = place();
	unsigned r = v;
	CCC(if)
	if (v & 4)
		r = walk(v, 5);
	atomicAdd(g.count + (v & 63), r + blockIdx.z * gridDim.x);
}

CCC(grid)
__global__ void g_array(Args g)
{
	const unsigned v = place();
	unsigned a[8];
	for (int k = 0; k < 8; k++)
		a[k] = mix(v + k);
	CCC(if)
	if (a[v & 7] & 4)
		atomicAdd(g.count + (v & 63), walk(v, 5));
	atomicAdd(g.count + (v & 63), a[v >> 3 & 7]);
}

__device__ unsigned counted;
CCC(grid)
__global__ void g_device_variable(Args g)
{
	const unsigned v = place();
	CCC(if)
	if (v & 4)
		atomicAdd(&counted, walk(v, 5));
}

CCC(grid)
__global__ void g_for_inside(Args g)
{
	const unsigned v = place();
	CCC(for)
	for (int i = v & 7; i < 40; i += 1 + (v & 3)) {
		CCC(if)
		if (mix(v + i) & 4)
			atomicAdd(g.count + (i & 63), walk(v + i, 5));
	}
	CCC(if)
	if (v & 8)
		atomicAdd(g.count + 5, walk(v, 7));
}

CCC(grid)
__global__ void g_nothing(Args g)
{
	if (blockIdx.x + blockIdx.y + blockIdx.z == 0 && block_rank() == 0)
		g.count[0] = gridDim.x * gridDim.y * gridDim.z;
}

CCC(grid)
__global__ void g_remap(Args g)
{
	const unsigned v = place();
	unsigned r;
	CCC(remap)
	if (v & 4)
		r = walk(v, 5) + blockIdx.x;
	else
		r = walk(v, 7) + blockIdx.y;
	atomicAdd(g.count + (v & 63), r);
}
#endif
// SPDX-License-Identifier: MIT
