/* SPDX-License-Identifier: MIT */
/* Nodes of graphs, as far as the driver's calls differ from the runtime's. Types are laid out as
 * in the toolkit's cuda.h. */
#include "driver/libcuda/cu.h"

typedef struct {
	CUfunction func;
	unsigned grid[3], block[3], shared;
	void **args, **extra;
	/* the first version ends here */
	CUkernel kernel;
	CUcontext context;
} Kernel_params;

static cudaError_t
work_of_kernel(Runtime *rt, const Kernel_params *p, CUfunction f, Work *w)
{
	if (!p || !module_is_function(rt, f))
		return p ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue;
	const Config c = { { p->grid[0], p->grid[1], p->grid[2] },
		{ p->block[0], p->block[1], p->block[2] }, p->shared, NULL, false };
	*w = (Work){ .kind = WORK_KERNEL, .kernel = { f, c, { .args = p->args } } };
	if (!p->args && !launch_extra(&w->kernel.args, p->extra))
		return cudaErrorInvalidValue;
	return module_decode(rt, f);
}

static cudaError_t
kernel_work(Runtime *rt, const Kernel_params *p, Work *w)
{
	return work_of_kernel(rt, p, p ? p->func : NULL, w);
}

/* The second version of the struct may have a CUkernel instead. */
static cudaError_t
kernel_work_v2(Runtime *rt, const Kernel_params *p, Work *w)
{
	return work_of_kernel(rt, p, p && !p->func ? p->kernel : p ? p->func : NULL, w);
}

#include "driver/rt/node.def"

/* ---- kernels --------------------------------------------------------------------------------- */

DRIVER_ANYWHERE(cuGraphAddKernelNode_v2, (to, g, before, n, p), NEW, const Kernel_params *p)
{
	Work w;
	return add_node(ADDED, &w, kernel_work_v2(rt, p, &w));
}

DRIVER_ANYWHERE(cuGraphKernelNodeGetParams, (node, p), Graph_node *node, Kernel_params *p)
{
	if (!node_has_kind(node, WORK_KERNEL) || !p)
		return cudaErrorInvalidValue;
	const Kernel_work *k = &node->work.kernel;
	p->func = k->f;
	p->grid[0] = k->config.grid.x, p->grid[1] = k->config.grid.y;
	p->grid[2] = k->config.grid.z, p->block[0] = k->config.block.x;
	p->block[1] = k->config.block.y, p->block[2] = k->config.block.z;
	p->shared = (unsigned)k->config.shared;
	p->args = node->pointers;
	p->extra = NULL;
	return cudaSuccess;
}

DRIVER_ANYWHERE(cuGraphKernelNodeGetParams_v2, (node, p), Graph_node *node, Kernel_params *p)
{
	cudaError_t e = do_cuGraphKernelNodeGetParams(rt, node, p);
	if (!e) {
		p->kernel = NULL;
		p->context = NULL;
	}
	return e;
}

DRIVER_ANYWHERE(cuGraphExecKernelNodeSetParams_v2, (x, node, p), Graph_exec *x, Graph_node *node,
	const Kernel_params *p)
{
	Work w;
	return change_in(x, node, &w, kernel_work_v2(rt, p, &w));
}

DRIVER_ANYWHERE(cuGraphKernelNodeSetParams_v2, (node, p), Graph_node *node, const Kernel_params *p)
{
	Work w;
	return change_node(node, &w, kernel_work_v2(rt, p, &w));
}

/* ---- copies and sets ------------------------------------------------------------------------- */

static cudaError_t
copy_work(const CUDA_MEMCPY3D *c, Work *w)
{
	*w = (Work){ .kind = WORK_COPY };
	return cu_copy(c, &w->copy);
}

DRIVER_ANYWHERE(cuGraphAddMemcpyNode, (to, g, before, n, c, context), NEW, const CUDA_MEMCPY3D *c,
	CUcontext context)
{
	Work w;
	(void)context;
	return add_node(ADDED, &w, copy_work(c, &w));
}

DRIVER_ANYWHERE(cuGraphExecMemcpyNodeSetParams, (x, node, c, context), Graph_exec *x,
	Graph_node *node, const CUDA_MEMCPY3D *c, CUcontext context)
{
	Work w;
	(void)context;
	return change_in(x, node, &w, copy_work(c, &w));
}

DRIVER_ANYWHERE(cuGraphMemcpyNodeSetParams, (node, c), Graph_node *node, const CUDA_MEMCPY3D *c)
{
	Work w;
	return change_node(node, &w, copy_work(c, &w));
}

DRIVER_ANYWHERE(cuGraphAddMemsetNode, (to, g, before, n, p, context), NEW, const Set_params *p,
	CUcontext context)
{
	Work w;
	(void)context;
	return add_node(ADDED, &w, set_work(p, &w));
}

DRIVER_ANYWHERE(cuGraphExecMemsetNodeSetParams, (x, node, p, context), Graph_exec *x,
	Graph_node *node, const Set_params *p, CUcontext context)
{
	Work w;
	(void)context;
	return change_in(x, node, &w, set_work(p, &w));
}
