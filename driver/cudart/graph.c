/* SPDX-License-Identifier: MIT */
/* Graphs, executable graphs, and stream capture. */
#include "driver/cudart/graph.h"

/* ---- graphs ---------------------------------------------------------------------------------- */

cudaError_t
cudaGraphCreate(cudaGraph_t *to, unsigned flags)
{
	Runtime *rt = rt_enter();
	if (!to || flags)
		return rt_leave(rt, cudaErrorInvalidValue);
	*to = rt_graph_new();
	return rt_leave(rt, cudaSuccess);
}

cudaError_t
cudaGraphDestroy(cudaGraph_t g)
{
	Runtime *rt = rt_enter();
	rt_graph_free(g);
	return rt_leave(rt, g ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t
cudaGraphClone(cudaGraph_t *to, cudaGraph_t g)
{
	Runtime *rt = rt_enter();
	if (!to || !g)
		return rt_leave(rt, cudaErrorInvalidValue);
	*to = rt_graph_clone(g);
	return rt_leave(rt, cudaSuccess);
}

cudaError_t
cudaGraphNodeFindInClone(cudaGraphNode_t *to, cudaGraphNode_t node, cudaGraph_t clone)
{
	Runtime *rt = rt_enter();
	Graph_node *twin = clone ? rt_graph_twin(clone, node) : NULL;
	if (!to || !twin)
		return rt_leave(rt, cudaErrorInvalidValue);
	*to = twin;
	return rt_leave(rt, cudaSuccess);
}

cudaError_t
cudaGraphDestroyNode(cudaGraphNode_t node)
{
	Runtime *rt = rt_enter();
	if (node)
		rt_graph_remove(node);
	return rt_leave(rt, node ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t
cudaGraphNodeGetType(cudaGraphNode_t node, int *type)
{
	Runtime *rt = rt_enter();
	if (!node || !type)
		return rt_leave(rt, cudaErrorInvalidValue);
	*type = (int)node->work.kind;
	return rt_leave(rt, cudaSuccess);
}

/* ---- lists ----------------------------------------------------------------------------------- */

cudaError_t
cudaGraphGetNodes(cudaGraph_t g, cudaGraphNode_t *to, size_t *n)
{
	Runtime *rt = rt_enter();
	if (g && n)
		rt_graph_nodes(g, to, n);
	return rt_leave(rt, g && n ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t
cudaGraphGetRootNodes(cudaGraph_t g, cudaGraphNode_t *to, size_t *n)
{
	Runtime *rt = rt_enter();
	if (g && n)
		rt_graph_roots(g, to, n);
	return rt_leave(rt, g && n ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t
graph_get_neighbours(cudaGraphNode_t node, bool behind, cudaGraphNode_t *to, size_t *n)
{
	Runtime *rt = rt_enter();
	if (node && n)
		rt_graph_neighbours(node, behind, to, n);
	return rt_leave(rt, node && n ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t
graph_get_edges(cudaGraph_t g, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *n)
{
	Runtime *rt = rt_enter();
	if (!g || !n || !from != !to)
		return rt_leave(rt, cudaErrorInvalidValue);
	rt_graph_edges(g, from, to, n);
	return rt_leave(rt, cudaSuccess);
}

cudaError_t
graph_change_edges(cudaGraph_t g, Edge_change c)
{
	Runtime *rt = rt_enter();
	bool good = g && (!c.n || (c.from && c.to));
	for (size_t i = 0; good && i < c.n; i++)
		good = c.on ? rt_graph_connect(c.from[i], c.to[i]) :
			      rt_graph_disconnect(c.from[i], c.to[i]);
	return rt_leave(rt, good ? cudaSuccess : cudaErrorInvalidValue);
}

/* ---- graphs that can be launched ------------------------------------------------------------- */

cudaError_t
cudaGraphInstantiate(cudaGraphExec_t *to, cudaGraph_t g, unsigned long long flags)
{
	Runtime *rt = rt_enter();
	(void)flags;
	if (!to || !g)
		return rt_leave(rt, cudaErrorInvalidValue);
	*to = exec_new(g);
	return rt_leave(rt, *to ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t
cudaGraphInstantiateWithFlags(cudaGraphExec_t *to, cudaGraph_t g, unsigned long long flags)
{
	return cudaGraphInstantiate(to, g, flags);
}

cudaError_t
cudaGraphInstantiateWithParams(
	cudaGraphExec_t *to, cudaGraph_t g, cudaGraphInstantiateParams *p)
{
	enum { GOOD, BAD_STRUCTURE = 2 };
	cudaError_t e = cudaGraphInstantiate(to, g, p ? p->flags : 0);
	if (p) {
		p->result_out = e ? BAD_STRUCTURE : GOOD;
		p->errNode_out = NULL;
	}
	return e;
}
ALSO(cudaGraphInstantiateWithParams, cudaGraphInstantiateWithParams_ptsz)

cudaError_t
cudaGraphExecGetFlags(cudaGraphExec_t x, unsigned long long *flags)
{
	if (x && flags)
		*flags = 0;
	return rt_leave(rt_enter(), x && flags ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t
cudaGraphExecDestroy(cudaGraphExec_t x)
{
	Runtime *rt = rt_enter();
	exec_free(x);
	return rt_leave(rt, x ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t
cudaGraphExecUpdate(cudaGraphExec_t x, cudaGraph_t g, cudaGraphExecUpdateResultInfo *result)
{
	Runtime *rt = rt_enter();
	Update_result r = { 0 };
	if (!x || !g)
		return rt_leave(rt, cudaErrorInvalidValue);
	cudaError_t e = exec_update(x, g, &r);
	if (result)
		*result = (cudaGraphExecUpdateResultInfo){ r.result, r.node, r.from };
	return rt_leave(rt, e);
}

cudaError_t
cudaGraphLaunch(cudaGraphExec_t x, cudaStream_t stream)
{
	Runtime *rt = rt_enter();
	if (!x)
		return rt_leave(rt, cudaErrorInvalidValue);
	return rt_leave(rt, exec_launch(rt, x, stream));
}
ALSO(cudaGraphLaunch, cudaGraphLaunch_ptsz)

cudaError_t
cudaGraphUpload(cudaGraphExec_t x, cudaStream_t stream)
{
	(void)stream;
	return rt_leave(rt_enter(), x ? cudaSuccess : cudaErrorInvalidValue);
}
ALSO(cudaGraphUpload, cudaGraphUpload_ptsz)

cudaError_t
cudaGraphNodeSetEnabled(cudaGraphExec_t x, cudaGraphNode_t node, unsigned on)
{
	Runtime *rt = rt_enter();
	Graph_node *is = x ? exec_node(x, node) : NULL;
	if (is)
		is->off = !on;
	return rt_leave(rt, is ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t
cudaGraphNodeGetEnabled(cudaGraphExec_t x, cudaGraphNode_t node, unsigned *on)
{
	Runtime *rt = rt_enter();
	const Graph_node *is = x ? exec_node(x, node) : NULL;
	if (is && on)
		*on = !is->off;
	return rt_leave(rt, is && on ? cudaSuccess : cudaErrorInvalidValue);
}

/* ---- streams that are captured --------------------------------------------------------------- */

cudaError_t
cudaStreamBeginCapture(cudaStream_t stream, int mode)
{
	Runtime *rt = rt_enter();
	return rt_leave(rt, capture_begin(rt, stream, mode));
}
ALSO(cudaStreamBeginCapture, cudaStreamBeginCapture_ptsz)

cudaError_t
cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *to)
{
	Runtime *rt = rt_enter();
	return rt_leave(rt, to ? capture_end(rt, stream, to) : cudaErrorInvalidValue);
}
ALSO(cudaStreamEndCapture, cudaStreamEndCapture_ptsz)

/* Unsafe calls are allowed during a capture in any mode; the mode is only stored. */
cudaError_t
cudaThreadExchangeStreamCaptureMode(int *mode)
{
	static _Thread_local int current;
	Runtime *rt = rt_enter();
	if (!mode)
		return rt_leave(rt, cudaErrorInvalidValue);
	int was = current;
	current = *mode;
	*mode = was;
	return rt_leave(rt, cudaSuccess);
}

cudaError_t
graph_capture_info(cudaStream_t stream, Capture_answer to)
{
	Runtime *rt = rt_enter();
	Capture_info i = capture_info(stream);
	if (!to.status)
		return rt_leave(rt, cudaErrorInvalidValue);
	*to.status = capture_status(stream);
	if (to.id)
		*to.id = i.id;
	if (to.graph)
		*to.graph = i.graph;
	if (to.last)
		*to.last = i.last ? i.last->at : NULL;
	if (to.n)
		*to.n = i.last ? i.last->n : 0;
	return rt_leave(rt, cudaSuccess);
}

cudaError_t
graph_capture_depend(cudaStream_t stream, const cudaGraphNode_t *nodes, size_t n, unsigned flags)
{
	Runtime *rt = rt_enter();
	if ((n && !nodes) || flags > 1)
		return rt_leave(rt, cudaErrorInvalidValue);
	return rt_leave(rt, capture_depend(stream, nodes, n, !flags));
}
