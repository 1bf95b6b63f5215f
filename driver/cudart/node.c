/* SPDX-License-Identifier: MIT */
/* Nodes of graphs, as far as the runtime's calls differ from the driver's. */
#include "driver/cudart/graph.h"

typedef cudaKernelNodeParams Kernel_params;

static cudaError_t
kernel_work(Runtime *rt, const Kernel_params *p, Work *w)
{
	cudaError_t e = cudaErrorInvalidValue;
	Function *f = p ? module_function(rt, p->func, &e) : NULL;
	if (!f)
		return e;
	const Config c = { p->gridDim, p->blockDim, p->sharedMemBytes, NULL, false };
	*w = (Work){ .kind = WORK_KERNEL, .kernel = { f, c, { .args = p->kernelParams } } };
	return p->kernelParams || launch_extra(&w->kernel.args, p->extra) ? cudaSuccess :
									     cudaErrorInvalidValue;
}

#include "driver/rt/node.def"

/* ---- kernels --------------------------------------------------------------------------------- */

RUNTIME(cudaGraphKernelNodeGetParams, (node, p), cudaGraphNode_t node, cudaKernelNodeParams *p)
{
	if (!node_has_kind(node, WORK_KERNEL) || !p)
		return cudaErrorInvalidValue;
	const Kernel_work *k = &node->work.kernel;
	const void *func = k->f->host ? k->f->host : k->f;
	*p = (cudaKernelNodeParams){ (void *)(uintptr_t)func, k->config.grid, k->config.block,
		(unsigned)k->config.shared, node->pointers, NULL };
	return cudaSuccess;
}

/* Attributes affect performance, not results. */
RUNTIME(cudaGraphKernelNodeSetAttribute, (node, attribute, value), cudaGraphNode_t node,
	int attribute, const void *value)
{
	(void)attribute, (void)value;
	return node_has_kind(node, WORK_KERNEL) ? cudaSuccess : cudaErrorInvalidValue;
}

RUNTIME(cudaGraphKernelNodeCopyAttributes, (to, from), cudaGraphNode_t to, cudaGraphNode_t from)
{
	bool good = node_has_kind(to, WORK_KERNEL) && node_has_kind(from, WORK_KERNEL);
	return good ? cudaSuccess : cudaErrorInvalidValue;
}

/* ---- copies and sets ------------------------------------------------------------------------- */

static Work
copy_1d(void *to, const void *from, size_t n, enum cudaMemcpyKind kind)
{
	return (Work){ .kind = WORK_COPY, .copy = { { to, 0, 0 },
		{ (void *)(uintptr_t)from, 0, 0 }, { n, 1, 1 }, kind } };
}

static cudaError_t
copy_work(const cudaMemcpy3DParms *p, Work *w)
{
	cudaError_t e;
	*w = (Work){ .kind = WORK_COPY };
	(void)copy_3d(p, &w->copy, &e);
	return e;
}

RUNTIME(cudaGraphAddMemcpyNode, (to, g, before, n, p), NEW, const cudaMemcpy3DParms *p)
{
	Work w;
	return add_node(ADDED, &w, copy_work(p, &w));
}

RUNTIME(cudaGraphAddMemcpyNode1D, (to, g, before, n, dst, src, bytes, kind), NEW, void *dst,
	const void *src, size_t bytes, enum cudaMemcpyKind kind)
{
	const Work w = copy_1d(dst, src, bytes, kind);
	return add_node(ADDED, &w, cudaSuccess);
}

RUNTIME(cudaGraphAddMemcpyNodeToSymbol, (to, g, before, n, symbol, src, bytes, offset, kind), NEW,
	const void *symbol, const void *src, size_t bytes, size_t offset, enum cudaMemcpyKind kind)
{
	Work w = { .kind = WORK_COPY };
	const Symbol_copy c = { symbol, src, bytes, offset, kind, false };
	return add_node(ADDED, &w, copy_symbol(rt, c, &w.copy));
}

RUNTIME(cudaGraphAddMemcpyNodeFromSymbol, (to, g, before, n, dst, symbol, bytes, offset, kind), NEW,
	void *dst, const void *symbol, size_t bytes, size_t offset, enum cudaMemcpyKind kind)
{
	Work w = { .kind = WORK_COPY };
	const Symbol_copy c = { symbol, dst, bytes, offset, kind, true };
	return add_node(ADDED, &w, copy_symbol(rt, c, &w.copy));
}

static cudaPitchedPtr
pitched_pointer(Copy_place p, Copy_extent b)
{
	return (cudaPitchedPtr){ p.at, p.pitch, b.width, p.pitch ? p.slice / p.pitch : b.height };
}

RUNTIME(cudaGraphMemcpyNodeGetParams, (node, p), cudaGraphNode_t node, cudaMemcpy3DParms *p)
{
	if (!node_has_kind(node, WORK_COPY) || !p)
		return cudaErrorInvalidValue;
	const Copy_work *c = &node->work.copy;
	*p = (cudaMemcpy3DParms){ .srcPtr = pitched_pointer(c->from, c->box),
		.dstPtr = pitched_pointer(c->to, c->box),
		.extent = { c->box.width, c->box.height, c->box.depth }, .kind = c->kind };
	return cudaSuccess;
}

RUNTIME(cudaGraphExecMemcpyNodeSetParams, (x, node, p), cudaGraphExec_t x, cudaGraphNode_t node,
	const cudaMemcpy3DParms *p)
{
	Work w;
	return change_in(x, node, &w, copy_work(p, &w));
}

RUNTIME(cudaGraphMemcpyNodeSetParams, (node, p), cudaGraphNode_t node, const cudaMemcpy3DParms *p)
{
	Work w;
	return change_node(node, &w, copy_work(p, &w));
}

RUNTIME(cudaGraphExecMemcpyNodeSetParams1D, (x, node, dst, src, bytes, kind), cudaGraphExec_t x,
	cudaGraphNode_t node, void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind)
{
	const Work w = copy_1d(dst, src, bytes, kind);
	return change_in(x, node, &w, cudaSuccess);
}

RUNTIME(cudaGraphMemcpyNodeSetParams1D, (node, dst, src, bytes, kind), cudaGraphNode_t node,
	void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind)
{
	const Work w = copy_1d(dst, src, bytes, kind);
	return change_node(node, &w, cudaSuccess);
}

RUNTIME(cudaGraphAddMemsetNode, (to, g, before, n, p), NEW, const Set_params *p)
{
	Work w;
	return add_node(ADDED, &w, set_work(p, &w));
}

RUNTIME(cudaGraphExecMemsetNodeSetParams, (x, node, p), cudaGraphExec_t x, cudaGraphNode_t node,
	const Set_params *p)
{
	Work w;
	return change_in(x, node, &w, set_work(p, &w));
}

RUNTIME(cudaGraphExecChildGraphNodeSetParams, (x, node, child), cudaGraphExec_t x,
	cudaGraphNode_t node, cudaGraph_t child)
{
	const Work w = { .kind = WORK_GRAPH, .graph = child };
	return change_in(x, node, &w, x ? given(child) : cudaErrorInvalidValue);
}

/* ---- any kind -------------------------------------------------------------------------------- */

static cudaError_t
any_work(Runtime *rt, const cudaGraphNodeParams *p, Work *w)
{
	switch (p ? p->type : -1) {
	case WORK_KERNEL: return kernel_work(rt, &p->kernel, w);
	case WORK_SET: return set_work(&p->memset, w);
	case WORK_HOST: return host_work(&p->host, w);
	case WORK_COPY: return copy_work(&p->memcpy.copyParams, w);
	case WORK_GRAPH: *w = (Work){ .kind = WORK_GRAPH, .graph = p->graph }; break;
	case WORK_EMPTY: *w = (Work){ .kind = WORK_EMPTY }; break;
	case WORK_WAIT: *w = (Work){ .kind = WORK_WAIT, .event = p->event }; break;
	case WORK_RECORD: *w = (Work){ .kind = WORK_RECORD, .event = p->event }; break;
	default:
		if (p)
			rt_say("graph nodes of type %d are not supported by the emulator", p->type);
		return p ? cudaErrorNotSupported : cudaErrorInvalidValue;
	}
	return cudaSuccess;
}

cudaError_t
graph_add_node(Runtime *rt, NEW, const cudaGraphNodeParams *p)
{
	Work w;
	return add_node(ADDED, &w, any_work(rt, p, &w));
}

RUNTIME(cudaGraphExecNodeSetParams, (x, node, p), cudaGraphExec_t x, cudaGraphNode_t node,
	cudaGraphNodeParams *p)
{
	Work w;
	return change_in(x, node, &w, any_work(rt, p, &w));
}

RUNTIME(cudaGraphNodeSetParams, (node, p), cudaGraphNode_t node, cudaGraphNodeParams *p)
{
	Work w;
	return change_node(node, &w, any_work(rt, p, &w));
}
