/* SPDX-License-Identifier: MIT */
/* Nodes of graphs: each kind can be added, queried and changed, in a graph or an executable
 * graph. */
#include <string.h>
#include "driver/cudart/graph.h"

/* The first parameters of the calls that add a node. */
#define NEW cudaGraphNode_t *to, cudaGraph_t g, const cudaGraphNode_t *before, size_t n
#define ADDED (Added_node){ to, g, before, n }

/* Ends a call that began with rt_enter; e: the result so far. */
static cudaError_t
add_node(Runtime *rt, Added_node a, const Work *w, cudaError_t e)
{
	if (!a.to || !a.g)
		e = cudaErrorInvalidValue;
	if (!e)
		*a.to = rt_graph_insert(a.g, w, (Edge_list){ a.before, a.n }, &e);
	return rt_leave(rt, e);
}

/* x: NULL to change the node itself, else its counterpart in x. */
static cudaError_t
change_node(Runtime *rt, cudaGraphExec_t x, cudaGraphNode_t node, const Work *w)
{
	Graph_node *is = x ? exec_node(x, node) : node;
	return rt_leave(rt, is ? rt_graph_change(is, w) : cudaErrorInvalidValue);
}

static bool
node_has_kind(cudaGraphNode_t node, Work_kind kind)
{
	return node && node->work.kind == kind;
}

/* ---- kernels --------------------------------------------------------------------------------- */

static cudaError_t
kernel_work(Runtime *rt, const cudaKernelNodeParams *p, Work *w)
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

cudaError_t
cudaGraphAddKernelNode(NEW, const cudaKernelNodeParams *p)
{
	Runtime *rt = rt_enter();
	Work w;
	return add_node(rt, ADDED, &w, kernel_work(rt, p, &w));
}

cudaError_t
cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams *p)
{
	Runtime *rt = rt_enter();
	if (!node_has_kind(node, WORK_KERNEL) || !p)
		return rt_leave(rt, cudaErrorInvalidValue);
	const Kernel_work *k = &node->work.kernel;
	const void *func = k->f->host ? k->f->host : k->f;
	*p = (cudaKernelNodeParams){ (void *)(uintptr_t)func, k->config.grid, k->config.block,
		(unsigned)k->config.shared, node->pointers, NULL };
	return rt_leave(rt, cudaSuccess);
}

cudaError_t
cudaGraphExecKernelNodeSetParams(
	cudaGraphExec_t x, cudaGraphNode_t node, const cudaKernelNodeParams *p)
{
	Runtime *rt = rt_enter();
	Work w;
	cudaError_t e = kernel_work(rt, p, &w);
	return e ? rt_leave(rt, e) : change_node(rt, x, node, &w);
}

cudaError_t
cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams *p)
{
	return cudaGraphExecKernelNodeSetParams(NULL, node, p);
}

/* Attributes affect performance, not results. */
cudaError_t
cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, int attribute, const void *value)
{
	(void)attribute, (void)value;
	return rt_leave(rt_enter(),
		node_has_kind(node, WORK_KERNEL) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t
cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to, cudaGraphNode_t from)
{
	bool good = node_has_kind(to, WORK_KERNEL) && node_has_kind(from, WORK_KERNEL);
	return rt_leave(rt_enter(), good ? cudaSuccess : cudaErrorInvalidValue);
}

/* ---- copies ---------------------------------------------------------------------------------- */

static Work
copy_1d(void *to, const void *from, size_t n, enum cudaMemcpyKind kind)
{
	return (Work){ .kind = WORK_COPY, .copy = { { to, 0, 0 },
		{ (void *)(uintptr_t)from, 0, 0 }, { n, 1, 1 }, kind } };
}

cudaError_t
cudaGraphAddMemcpyNode(NEW, const cudaMemcpy3DParms *p)
{
	Runtime *rt = rt_enter();
	Work w = { .kind = WORK_COPY };
	cudaError_t e;
	(void)copy_3d(p, &w.copy, &e);
	return add_node(rt, ADDED, &w, e);
}

cudaError_t
cudaGraphAddMemcpyNode1D(
	NEW, void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind)
{
	const Work w = copy_1d(dst, src, bytes, kind);
	return add_node(rt_enter(), ADDED, &w, cudaSuccess);
}

cudaError_t
cudaGraphAddMemcpyNodeToSymbol(NEW, const void *symbol, const void *src, size_t bytes,
	size_t offset, enum cudaMemcpyKind kind)
{
	Runtime *rt = rt_enter();
	Work w = { .kind = WORK_COPY };
	const Symbol_copy c = { symbol, src, bytes, offset, kind, false };
	return add_node(rt, ADDED, &w, copy_symbol(rt, c, &w.copy));
}

cudaError_t
cudaGraphAddMemcpyNodeFromSymbol(NEW, void *dst, const void *symbol, size_t bytes, size_t offset,
	enum cudaMemcpyKind kind)
{
	Runtime *rt = rt_enter();
	Work w = { .kind = WORK_COPY };
	const Symbol_copy c = { symbol, dst, bytes, offset, kind, true };
	return add_node(rt, ADDED, &w, copy_symbol(rt, c, &w.copy));
}

static cudaPitchedPtr
pitched_pointer(Copy_place p, Copy_extent b)
{
	return (cudaPitchedPtr){ p.at, p.pitch, b.width, p.pitch ? p.slice / p.pitch : b.height };
}

cudaError_t
cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms *p)
{
	Runtime *rt = rt_enter();
	if (!node_has_kind(node, WORK_COPY) || !p)
		return rt_leave(rt, cudaErrorInvalidValue);
	const Copy_work *c = &node->work.copy;
	*p = (cudaMemcpy3DParms){ .srcPtr = pitched_pointer(c->from, c->box),
		.dstPtr = pitched_pointer(c->to, c->box),
		.extent = { c->box.width, c->box.height, c->box.depth }, .kind = c->kind };
	return rt_leave(rt, cudaSuccess);
}

cudaError_t
cudaGraphExecMemcpyNodeSetParams(
	cudaGraphExec_t x, cudaGraphNode_t node, const cudaMemcpy3DParms *p)
{
	Runtime *rt = rt_enter();
	Work w = { .kind = WORK_COPY };
	cudaError_t e;
	return copy_3d(p, &w.copy, &e) ? change_node(rt, x, node, &w) : rt_leave(rt, e);
}

cudaError_t
cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const cudaMemcpy3DParms *p)
{
	return cudaGraphExecMemcpyNodeSetParams(NULL, node, p);
}

cudaError_t
cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t x, cudaGraphNode_t node, void *dst,
	const void *src, size_t bytes, enum cudaMemcpyKind kind)
{
	const Work w = copy_1d(dst, src, bytes, kind);
	return change_node(rt_enter(), x, node, &w);
}

cudaError_t
cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *dst, const void *src, size_t bytes,
	enum cudaMemcpyKind kind)
{
	return cudaGraphExecMemcpyNodeSetParams1D(NULL, node, dst, src, bytes, kind);
}

/* ---- sets ------------------------------------------------------------------------------------ */

static cudaError_t
set_work(const cudaMemsetParams *p, Work *w)
{
	if (!p || (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4))
		return cudaErrorInvalidValue;
	*w = (Work){ .kind = WORK_SET, .set = { { p->dst, p->pitch, 0 },
		{ p->width * p->elementSize, p->height, 1 }, { p->value, p->elementSize } } };
	return cudaSuccess;
}

cudaError_t
cudaGraphAddMemsetNode(NEW, const cudaMemsetParams *p)
{
	Work w;
	return add_node(rt_enter(), ADDED, &w, set_work(p, &w));
}

cudaError_t
cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, cudaMemsetParams *p)
{
	Runtime *rt = rt_enter();
	if (!node_has_kind(node, WORK_SET) || !p)
		return rt_leave(rt, cudaErrorInvalidValue);
	const Set_work *s = &node->work.set;
	*p = (cudaMemsetParams){ s->to.at, s->to.pitch, s->item.value, s->item.bytes,
		s->box.width / s->item.bytes, s->box.height };
	return rt_leave(rt, cudaSuccess);
}

cudaError_t
cudaGraphExecMemsetNodeSetParams(
	cudaGraphExec_t x, cudaGraphNode_t node, const cudaMemsetParams *p)
{
	Runtime *rt = rt_enter();
	Work w;
	cudaError_t e = set_work(p, &w);
	return e ? rt_leave(rt, e) : change_node(rt, x, node, &w);
}

cudaError_t
cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams *p)
{
	return cudaGraphExecMemsetNodeSetParams(NULL, node, p);
}

/* ---- functions of the host ------------------------------------------------------------------- */

static cudaError_t
host_work(const cudaHostNodeParams *p, Work *w)
{
	*w = (Work){ .kind = WORK_HOST };
	if (!p || !p->fn)
		return cudaErrorInvalidValue;
	w->host = (Host_work){ p->fn, p->userData };
	return cudaSuccess;
}

cudaError_t
cudaGraphAddHostNode(NEW, const cudaHostNodeParams *p)
{
	Work w;
	return add_node(rt_enter(), ADDED, &w, host_work(p, &w));
}

cudaError_t
cudaGraphHostNodeGetParams(cudaGraphNode_t node, cudaHostNodeParams *p)
{
	Runtime *rt = rt_enter();
	if (!node_has_kind(node, WORK_HOST) || !p)
		return rt_leave(rt, cudaErrorInvalidValue);
	*p = (cudaHostNodeParams){ node->work.host.f, node->work.host.user };
	return rt_leave(rt, cudaSuccess);
}

cudaError_t
cudaGraphExecHostNodeSetParams(
	cudaGraphExec_t x, cudaGraphNode_t node, const cudaHostNodeParams *p)
{
	Runtime *rt = rt_enter();
	Work w;
	cudaError_t e = host_work(p, &w);
	return e ? rt_leave(rt, e) : change_node(rt, x, node, &w);
}

cudaError_t
cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams *p)
{
	return cudaGraphExecHostNodeSetParams(NULL, node, p);
}

/* ---- events, graphs, nothing ----------------------------------------------------------------- */

cudaError_t
cudaGraphAddEmptyNode(NEW)
{
	const Work w = { .kind = WORK_EMPTY };
	return add_node(rt_enter(), ADDED, &w, cudaSuccess);
}

cudaError_t
cudaGraphAddEventRecordNode(NEW, cudaEvent_t event)
{
	const Work w = { .kind = WORK_RECORD, .event = event };
	return add_node(rt_enter(), ADDED, &w, event ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t
cudaGraphAddEventWaitNode(NEW, cudaEvent_t event)
{
	const Work w = { .kind = WORK_WAIT, .event = event };
	return add_node(rt_enter(), ADDED, &w, event ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t
cudaGraphAddChildGraphNode(NEW, cudaGraph_t child)
{
	const Work w = { .kind = WORK_GRAPH, .graph = child };
	return add_node(rt_enter(), ADDED, &w, child ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t
cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *to)
{
	Runtime *rt = rt_enter();
	if (!node_has_kind(node, WORK_GRAPH) || !to)
		return rt_leave(rt, cudaErrorInvalidValue);
	*to = node->work.graph;
	return rt_leave(rt, cudaSuccess);
}

cudaError_t
cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t x, cudaGraphNode_t node, cudaGraph_t child)
{
	const Work w = { .kind = WORK_GRAPH, .graph = child };
	if (!x || !child)
		return rt_leave(rt_enter(), cudaErrorInvalidValue);
	return change_node(rt_enter(), x, node, &w);
}

/* ---- any kind -------------------------------------------------------------------------------- */

static cudaError_t
any_work(Runtime *rt, const cudaGraphNodeParams *p, Work *w)
{
	cudaError_t e = cudaSuccess;
	switch (p ? p->type : -1) {
	case WORK_KERNEL: return kernel_work(rt, &p->kernel, w);
	case WORK_SET: return set_work(&p->memset, w);
	case WORK_HOST: return host_work(&p->host, w);
	case WORK_COPY:
		*w = (Work){ .kind = WORK_COPY };
		(void)copy_3d(&p->memcpy.copyParams, &w->copy, &e);
		return e;
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
graph_add_node(Added_node a, const cudaGraphNodeParams *p)
{
	Runtime *rt = rt_enter();
	Work w;
	return add_node(rt, a, &w, any_work(rt, p, &w));
}

cudaError_t
cudaGraphExecNodeSetParams(
	cudaGraphExec_t x, cudaGraphNode_t node, cudaGraphNodeParams *p)
{
	Runtime *rt = rt_enter();
	Work w;
	cudaError_t e = any_work(rt, p, &w);
	return e ? rt_leave(rt, e) : change_node(rt, x, node, &w);
}

cudaError_t
cudaGraphNodeSetParams(cudaGraphNode_t node, cudaGraphNodeParams *p)
{
	return cudaGraphExecNodeSetParams(NULL, node, p);
}
