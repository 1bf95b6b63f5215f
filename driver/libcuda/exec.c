/* SPDX-License-Identifier: MIT */
/* Executable graphs, and stream capture. */
#include "driver/libcuda/graph.h"

/* ---- graphs that can be launched ------------------------------------------------------------- */

CUresult
cuGraphInstantiateWithFlags(CUgraphExec *to, CUgraph g, unsigned long long flags)
{
	Runtime *rt = rt_enter();
	(void)flags;
	if (!to || !g)
		return cu_end(rt, false);
	*to = exec_new(g);
	return cu_end(rt, *to);
}

CUresult
cuGraphInstantiateWithParams(CUgraphExec *to, CUgraph g, CUDA_GRAPH_INSTANTIATE_PARAMS *p)
{
	enum { GOOD, BAD_STRUCTURE = 2 };
	CUresult e = cuGraphInstantiateWithFlags(to, g, p ? p->flags : 0);
	if (p) {
		p->result = e ? BAD_STRUCTURE : GOOD;
		p->wrong = NULL;
	}
	return e;
}
ALSO(cuGraphInstantiateWithParams, cuGraphInstantiateWithParams_ptsz)

CUresult
cuGraphInstantiate_v2(CUgraphExec *to, CUgraph g, CUgraphNode *wrong, char *log, size_t n)
{
	if (wrong)
		*wrong = NULL;
	if (log && n)
		*log = 0;
	return cuGraphInstantiateWithFlags(to, g, 0);
}
ALSO(cuGraphInstantiate_v2, cuGraphInstantiate)

CUresult
cuGraphExecDestroy(CUgraphExec x)
{
	Runtime *rt = rt_enter();
	exec_free(x);
	return cu_end(rt, x);
}

CUresult
cuGraphExecUpdate_v2(CUgraphExec x, CUgraph g, CUgraphExecUpdateResultInfo *result)
{
	Runtime *rt = rt_enter();
	Update_result r = { 0 };
	if (!x || !g)
		return cu_end(rt, false);
	cudaError_t e = exec_update(x, g, &r);
	if (result)
		*result = (CUgraphExecUpdateResultInfo){ r.result, r.node, r.from };
	return cu_leave(rt, e);
}

CUresult
cuGraphExecUpdate(CUgraphExec x, CUgraph g, CUgraphNode *wrong, int *result)
{
	CUgraphExecUpdateResultInfo r = { 0 };
	CUresult e = cuGraphExecUpdate_v2(x, g, &r);
	if (wrong)
		*wrong = r.node;
	if (result)
		*result = r.result;
	return e;
}

CUresult
cuGraphLaunch(CUgraphExec x, CUstream s)
{
	Runtime *rt = cu_enter();
	if (!rt)
		return cu_outside();
	return cu_leave(rt, x ? exec_launch(rt, x, s) : cudaErrorInvalidValue);
}
ALSO(cuGraphLaunch, cuGraphLaunch_ptsz)

CUresult
cuGraphUpload(CUgraphExec x, CUstream s)
{
	(void)s;
	return cu_end(rt_enter(), x);
}
ALSO(cuGraphUpload, cuGraphUpload_ptsz)

CUresult
cuGraphNodeSetEnabled(CUgraphExec x, CUgraphNode node, unsigned on)
{
	Runtime *rt = rt_enter();
	Graph_node *is = x ? exec_node(x, node) : NULL;
	if (is)
		is->off = !on;
	return cu_end(rt, is);
}

CUresult
cuGraphNodeGetEnabled(CUgraphExec x, CUgraphNode node, unsigned *on)
{
	Runtime *rt = rt_enter();
	const Graph_node *is = x ? exec_node(x, node) : NULL;
	if (is && on)
		*on = !is->off;
	return cu_end(rt, is && on);
}

/* ---- streams that are captured --------------------------------------------------------------- */

CUresult
cuStreamBeginCapture_v2(CUstream s, int mode)
{
	Runtime *rt = cu_enter();
	return rt ? cu_leave(rt, capture_begin(rt, s, mode)) : cu_outside();
}
ALSO(cuStreamBeginCapture_v2, cuStreamBeginCapture_v2_ptsz)

CUresult cuStreamBeginCapture(CUstream s) { return cuStreamBeginCapture_v2(s, 0); }
ALSO(cuStreamBeginCapture, cuStreamBeginCapture_ptsz)

CUresult
cuStreamEndCapture(CUstream s, CUgraph *to)
{
	Runtime *rt = cu_enter();
	if (!rt)
		return cu_outside();
	return cu_leave(rt, to ? capture_end(rt, s, to) : cudaErrorInvalidValue);
}
ALSO(cuStreamEndCapture, cuStreamEndCapture_ptsz)

CUresult
cuStreamGetCaptureInfo_v2(CUstream s, int *status, unsigned long long *id, CUgraph *g,
	const CUgraphNode **last, size_t *n)
{
	Runtime *rt = rt_enter();
	Capture_info i = capture_info(s);
	if (status)
		*status = (int)capture_status(s);
	if (id)
		*id = i.id;
	if (g)
		*g = i.graph;
	if (last)
		*last = i.last ? i.last->at : NULL;
	if (n)
		*n = i.last ? i.last->n : 0;
	return cu_end(rt, status);
}
ALSO(cuStreamGetCaptureInfo_v2, cuStreamGetCaptureInfo_v2_ptsz)

CUresult
cuStreamGetCaptureInfo_v3(CUstream s, int *status, unsigned long long *id, CUgraph *g,
	const CUgraphNode **last, const CUgraphEdgeData **data, size_t *n)
{
	if (data)
		*data = NULL;
	return cuStreamGetCaptureInfo_v2(s, status, id, g, last, n);
}
ALSO(cuStreamGetCaptureInfo_v3, cuStreamGetCaptureInfo_v3_ptsz)

CUresult
cuStreamGetCaptureInfo(CUstream s, int *status, unsigned long long *id)
{
	return cuStreamGetCaptureInfo_v2(s, status, id, NULL, NULL, NULL);
}
ALSO(cuStreamGetCaptureInfo, cuStreamGetCaptureInfo_ptsz)

CUresult
cuStreamUpdateCaptureDependencies(CUstream s, CUgraphNode *nodes, size_t n, unsigned flags)
{
	Runtime *rt = rt_enter();
	if ((n && !nodes) || flags > 1)
		return cu_end(rt, false);
	return cu_leave(rt, capture_depend(s, nodes, n, !flags));
}
ALSO(cuStreamUpdateCaptureDependencies, cuStreamUpdateCaptureDependencies_ptsz)

CUresult
cuStreamUpdateCaptureDependencies_v2(CUstream s, CUgraphNode *nodes, const CUgraphEdgeData *data,
	size_t n, unsigned flags)
{
	(void)data;
	return cuStreamUpdateCaptureDependencies(s, nodes, n, flags);
}
ALSO(cuStreamUpdateCaptureDependencies_v2, cuStreamUpdateCaptureDependencies_v2_ptsz)
