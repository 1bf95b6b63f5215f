// SPDX-License-Identifier: MIT
// Task loops in launches of 1 to 3 dimensions, up to 2^31 blocks, of whole and partial warps. The kernels resemble those of
// tasks.cu, but depend only on each thread's place in the launch.
#ifndef KERNELS
#define KERNELS "grids.cu"
#include "gpu_test.cuh"
static void launches(const char *name, Kernel k, Kernel p)
{
	static const dim3 few[] = {{1}, {3, 5, 7}, {1, 1000}, {1, 1, 333}, {40, 30, 2}};
	static const dim3 all[] = {{1}, {132 * 32 + 1}, {3, 5, 7}, {1, 65535}, {1, 1, 65535}, {70001, 300, 2}, {2, 65535, 33}, {2147483647},
		{32769, 65535}, {2048, 1024, 1024}};
	const bool small = small_launches();
	int done = 0;

	for (const dim3 &grid : small ? std::vector<dim3>(few, few + 5) : std::vector<dim3>(all, all + 10))
		for (const dim3 &block : {dim3(32), dim3(33), dim3(5, 7)}) {
			const unsigned long long blocks = 1ull * grid.x * grid.y * grid.z;
			if (blocks > 1u << 30 && block.x != 32)
				continue;
			Args g = buffers().g;
			g.k = blocks > 1u << 20 ? 4095 : 3;
			if (!same(name, k, p, g, grid, block, 0)) {
				all_right = false;
				return;
			}
			++done;
		}
	printf("%s: ok, %d launches\n", name, done);
}
#define LAUNCHES(kernel) launches(#kernel, annotated::kernel, plain::kernel)
int main()
{
	LAUNCHES(k_stack);
	LAUNCHES(k_dynamic);
	LAUNCHES(k_called);
	LAUNCHES(k_expand);
	return finish();
}
#else
// A hash of the thread's place in the launch.
__device__ __forceinline__ unsigned number()
{
	const unsigned long long block = blockIdx.x + (unsigned long long)gridDim.x * (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);
	return mix(mix((unsigned)block) + (unsigned)(block >> 32) * 77 + block_rank());
}
__device__ __noinline__ unsigned place_of(unsigned v) { return mix(v + blockIdx.x + 3 * blockIdx.y + 7 * blockIdx.z + gridDim.x) % 64; }

#define TASKS(name, place, ...) \
	CCC(grid __VA_ARGS__) \
	__global__ void name(Args g) \
	{ \
		const unsigned v = number(); \
		CCC(if policy(stack)) \
		if ((v & g.k) == 0) \
			atomicAdd(g.count + place, mix(mix(v) + blockIdx.y) + blockIdx.z); \
	}
TASKS(k_stack, v / 4096 % 64)
TASKS(k_dynamic, v / 4096 % 64, dynamic)
TASKS(k_called, place_of(v), dynamic)

CCC(grid(dynamic))
__global__ void k_expand(Args g)
{
	const unsigned v = number();
	const int end = (v & g.k) == 0 ? v / 4096 & 63 : 0;
	CCC(for var)
	for (int j = 0; j < end; ++j)
		atomicAdd(g.count + j, mix(v + j));
}
#endif
