/* SPDX-License-Identifier: MIT */
/* Launches. Arguments are given as pointers to each or, in `extra`, as one packed buffer. */
#include "driver/libcuda/cu.h"

typedef struct {
	int id;
	union { char pad[64]; int cooperative; uint3 cluster; long long align; } value;
} CUlaunchAttribute;
typedef struct {
	unsigned grid[3], block[3], shared;
	CUstream stream;
	CUlaunchAttribute *attrs;
	unsigned nattrs;
} CUlaunchConfig;
enum { COOPERATIVE = 2, CLUSTER = 4 };


static cudaError_t
launch_kernel(Runtime *rt, CUfunction f, const Config *c, void **args, void **extra)
{
	Arguments a = { .args = args };
	if (!module_is_function(rt, f))
		return cudaErrorInvalidResourceHandle;
	if ((args && extra) || !launch_extra(&a, extra))
		return cudaErrorInvalidValue;
	cudaError_t e = rt->sticky ? rt->sticky : module_decode(rt, f);
	const Work w = { .kind = WORK_KERNEL, .kernel = { f, *c, a } };
	return e ? e : work_on(rt, c->stream, &w);
}

DRIVER(cuLaunchKernel, (f, gx, gy, gz, bx, by, bz, shared, stream, args, extra), CUfunction f,
	unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
	unsigned shared, CUstream stream, void **args, void **extra)
{
	const Config c = { { gx, gy, gz }, { bx, by, bz }, shared, stream, false };
	return launch_kernel(rt, f, &c, args, extra);
}
ALSO(cuLaunchKernel, cuLaunchKernel_ptsz)

DRIVER(cuLaunchCooperativeKernel, (f, gx, gy, gz, bx, by, bz, shared, stream, args), CUfunction f,
	unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
	unsigned shared, CUstream stream, void **args)
{
	const Config c = { { gx, gy, gz }, { bx, by, bz }, shared, stream, true };
	return launch_kernel(rt, f, &c, args, NULL);
}
ALSO(cuLaunchCooperativeKernel, cuLaunchCooperativeKernel_ptsz)

DRIVER(cuLaunchKernelEx, (l, f, args, extra), const CUlaunchConfig *l, CUfunction f, void **args,
	void **extra)
{
	if (!l)
		return cudaErrorInvalidValue;
	Config c = { { l->grid[0], l->grid[1], l->grid[2] },
		{ l->block[0], l->block[1], l->block[2] }, l->shared, l->stream, false };
	for (unsigned k = 0; k < l->nattrs; k++) {
		const CUlaunchAttribute *a = &l->attrs[k];
		if (a->id == COOPERATIVE)
			c.cooperative = a->value.cooperative;
		if (a->id == CLUSTER &&
			a->value.cluster.x * a->value.cluster.y * a->value.cluster.z > 1) {
			rt_say("a launch of clusters is not supported by the emulator");
			return cudaErrorNotSupported;
		}
	}
	return launch_kernel(rt, f, &c, args, extra);
}
ALSO(cuLaunchKernelEx, cuLaunchKernelEx_ptsz)
