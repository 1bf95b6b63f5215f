/* SPDX-License-Identifier: MIT */
/* Nodes of graphs: each kind can be added, queried and changed, in a graph or an executable
 * graph. */
#include "driver/libcuda/graph.h"

typedef struct { CUgraphNode *to; CUgraph g; Edge_list edges; } Added;
#define ADDED (Added){ to, g, { before, n } }

/* Ends a call; e: the result so far. */
static CUresult
add_node(Runtime *rt, Added a, const Work *w, cudaError_t e)
{
	if (!a.to || !a.g)
		e = cudaErrorInvalidValue;
	if (!e)
		*a.to = rt_graph_insert(a.g, w, a.edges, &e);
	return cu_leave(rt, e);
}

/* x: NULL to change the node itself, else its counterpart in x. */
static CUresult
change_node(Runtime *rt, CUgraphExec x, CUgraphNode node, const Work *w)
{
	Graph_node *is = x ? exec_node(x, node) : node;
	return cu_leave(rt, is ? rt_graph_change(is, w) : cudaErrorInvalidValue);
}

static cudaError_t
kernel_work(Runtime *rt, const CUDA_KERNEL_NODE_PARAMS *p, CUfunction f, Work *w)
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

/* The second version of the struct may have a CUkernel instead. */
static CUfunction
function_of(const CUDA_KERNEL_NODE_PARAMS *p)
{
	return p && !p->func ? p->kernel : p ? p->func : NULL;
}

CUresult
cuGraphAddKernelNode_v2(NEW, const CUDA_KERNEL_NODE_PARAMS *p)
{
	Runtime *rt = rt_enter();
	Work w;
	return add_node(rt, ADDED, &w, kernel_work(rt, p, function_of(p), &w));
}

CUresult
cuGraphAddKernelNode(NEW, const CUDA_KERNEL_NODE_PARAMS *p)
{
	Runtime *rt = rt_enter();
	Work w;
	return add_node(rt, ADDED, &w, kernel_work(rt, p, p ? p->func : NULL, &w));
}

CUresult
cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *p)
{
	Runtime *rt = rt_enter();
	if (!node || node->work.kind != WORK_KERNEL || !p)
		return cu_end(rt, false);
	const Kernel_work *k = &node->work.kernel;
	p->func = k->f;
	p->grid[0] = k->config.grid.x, p->grid[1] = k->config.grid.y;
	p->grid[2] = k->config.grid.z, p->block[0] = k->config.block.x;
	p->block[1] = k->config.block.y, p->block[2] = k->config.block.z;
	p->shared = (unsigned)k->config.shared;
	p->args = node->pointers;
	p->extra = NULL;
	return cu_end(rt, true);
}

CUresult
cuGraphKernelNodeGetParams_v2(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *p)
{
	CUresult e = cuGraphKernelNodeGetParams(node, p);
	if (!e) {
		p->kernel = NULL;
		p->context = NULL;
	}
	return e;
}

static CUresult
change_kernel(CUgraphExec x, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *p, CUfunction f)
{
	Runtime *rt = rt_enter();
	Work w;
	cudaError_t e = kernel_work(rt, p, f, &w);
	return e ? cu_leave(rt, e) : change_node(rt, x, node, &w);
}

CUresult
cuGraphExecKernelNodeSetParams_v2(
	CUgraphExec x, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *p)
{
	return change_kernel(x, node, p, function_of(p));
}

CUresult
cuGraphExecKernelNodeSetParams(CUgraphExec x, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *p)
{
	return change_kernel(x, node, p, p ? p->func : NULL);
}

CUresult
cuGraphKernelNodeSetParams_v2(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *p)
{
	return change_kernel(NULL, node, p, function_of(p));
}

CUresult
cuGraphKernelNodeSetParams(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *p)
{
	return change_kernel(NULL, node, p, p ? p->func : NULL);
}

CUresult
cuGraphAddMemcpyNode(NEW, const CUDA_MEMCPY3D *c, CUcontext context)
{
	Runtime *rt = rt_enter();
	Work w = { .kind = WORK_COPY };
	(void)context;
	return add_node(rt, ADDED, &w, cu_copy(c, &w.copy));
}

CUresult
cuGraphExecMemcpyNodeSetParams(
	CUgraphExec x, CUgraphNode node, const CUDA_MEMCPY3D *c, CUcontext context)
{
	Runtime *rt = rt_enter();
	Work w = { .kind = WORK_COPY };
	(void)context;
	cudaError_t e = cu_copy(c, &w.copy);
	return e ? cu_leave(rt, e) : change_node(rt, x, node, &w);
}

CUresult
cuGraphMemcpyNodeSetParams(CUgraphNode node, const CUDA_MEMCPY3D *c)
{
	return cuGraphExecMemcpyNodeSetParams(NULL, node, c, NULL);
}

static cudaError_t
set_work(const CUDA_MEMSET_NODE_PARAMS *p, Work *w)
{
	if (!p || (p->bytes != 1 && p->bytes != 2 && p->bytes != 4))
		return cudaErrorInvalidValue;
	*w = (Work){ .kind = WORK_SET, .set = { { cu_pointer(p->dst), p->pitch, 0 },
		{ p->width * p->bytes, p->height, 1 }, { p->value, p->bytes } } };
	return cudaSuccess;
}

CUresult
cuGraphAddMemsetNode(NEW, const CUDA_MEMSET_NODE_PARAMS *p, CUcontext context)
{
	Work w;
	(void)context;
	return add_node(rt_enter(), ADDED, &w, set_work(p, &w));
}

CUresult
cuGraphMemsetNodeGetParams(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS *p)
{
	Runtime *rt = rt_enter();
	if (!node || node->work.kind != WORK_SET || !p)
		return cu_end(rt, false);
	const Set_work *s = &node->work.set;
	*p = (CUDA_MEMSET_NODE_PARAMS){ cu_address(s->to.at), s->to.pitch, s->item.value,
		s->item.bytes, s->box.width / s->item.bytes, s->box.height };
	return cu_end(rt, true);
}

CUresult
cuGraphExecMemsetNodeSetParams(
	CUgraphExec x, CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *p, CUcontext context)
{
	Runtime *rt = rt_enter();
	Work w;
	(void)context;
	cudaError_t e = set_work(p, &w);
	return e ? cu_leave(rt, e) : change_node(rt, x, node, &w);
}

CUresult
cuGraphMemsetNodeSetParams(CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *p)
{
	return cuGraphExecMemsetNodeSetParams(NULL, node, p, NULL);
}

CUresult
cuGraphAddHostNode(NEW, const CUDA_HOST_NODE_PARAMS *p)
{
	bool good = p && p->f;
	const Work w = { .kind = WORK_HOST, .host = { good ? p->f : NULL, good ? p->user : NULL } };
	return add_node(rt_enter(), ADDED, &w, good ? cudaSuccess : cudaErrorInvalidValue);
}

CUresult
cuGraphHostNodeGetParams(CUgraphNode node, CUDA_HOST_NODE_PARAMS *p)
{
	Runtime *rt = rt_enter();
	bool good = node && node->work.kind == WORK_HOST && p;
	if (good)
		*p = (CUDA_HOST_NODE_PARAMS){ node->work.host.f, node->work.host.user };
	return cu_end(rt, good);
}

CUresult
cuGraphExecHostNodeSetParams(CUgraphExec x, CUgraphNode node, const CUDA_HOST_NODE_PARAMS *p)
{
	Runtime *rt = rt_enter();
	if (!p || !p->f)
		return cu_end(rt, false);
	return change_node(rt, x, node, &(Work){ .kind = WORK_HOST, .host = { p->f, p->user } });
}

CUresult
cuGraphHostNodeSetParams(CUgraphNode node, const CUDA_HOST_NODE_PARAMS *p)
{
	return cuGraphExecHostNodeSetParams(NULL, node, p);
}

CUresult
cuGraphAddEmptyNode(NEW)
{
	return add_node(rt_enter(), ADDED, &(Work){ .kind = WORK_EMPTY }, cudaSuccess);
}

CUresult
cuGraphAddEventRecordNode(NEW, CUevent event)
{
	const Work w = { .kind = WORK_RECORD, .event = event };
	return add_node(rt_enter(), ADDED, &w, event ? cudaSuccess : cudaErrorInvalidValue);
}

CUresult
cuGraphAddEventWaitNode(NEW, CUevent event)
{
	const Work w = { .kind = WORK_WAIT, .event = event };
	return add_node(rt_enter(), ADDED, &w, event ? cudaSuccess : cudaErrorInvalidValue);
}

CUresult
cuGraphAddChildGraphNode(NEW, CUgraph child)
{
	const Work w = { .kind = WORK_GRAPH, .graph = child };
	return add_node(rt_enter(), ADDED, &w, child ? cudaSuccess : cudaErrorInvalidValue);
}

CUresult
cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph *to)
{
	Runtime *rt = rt_enter();
	bool good = node && node->work.kind == WORK_GRAPH && to;
	if (good)
		*to = node->work.graph;
	return cu_end(rt, good);
}
