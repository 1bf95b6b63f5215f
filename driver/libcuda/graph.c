/* SPDX-License-Identifier: MIT */
/* Graphs and their edges. */
#include "driver/libcuda/graph.h"

/* ---- graphs ---------------------------------------------------------------------------------- */

CUresult
cuGraphCreate(CUgraph *to, unsigned flags)
{
	Runtime *rt = cu_enter();
	if (!rt)
		return cu_outside();
	if (to && !flags)
		*to = rt_graph_new();
	return cu_end(rt, to && !flags);
}

CUresult
cuGraphDestroy(CUgraph g)
{
	Runtime *rt = rt_enter();
	rt_graph_free(g);
	return cu_end(rt, g);
}

CUresult
cuGraphClone(CUgraph *to, CUgraph g)
{
	Runtime *rt = rt_enter();
	if (to && g)
		*to = rt_graph_clone(g);
	return cu_end(rt, to && g);
}

CUresult
cuGraphNodeFindInClone(CUgraphNode *to, CUgraphNode node, CUgraph clone)
{
	Runtime *rt = rt_enter();
	Graph_node *twin = clone ? rt_graph_twin(clone, node) : NULL;
	if (to && twin)
		*to = twin;
	return cu_end(rt, to && twin);
}

CUresult
cuGraphDestroyNode(CUgraphNode node)
{
	Runtime *rt = rt_enter();
	if (node)
		rt_graph_remove(node);
	return cu_end(rt, node);
}

CUresult
cuGraphNodeGetType(CUgraphNode node, int *type)
{
	Runtime *rt = rt_enter();
	if (node && type)
		*type = (int)node->work.kind;
	return cu_end(rt, node && type);
}

CUresult
cuGraphGetNodes(CUgraph g, CUgraphNode *to, size_t *n)
{
	Runtime *rt = rt_enter();
	if (g && n)
		rt_graph_nodes(g, to, n);
	return cu_end(rt, g && n);
}

CUresult
cuGraphGetRootNodes(CUgraph g, CUgraphNode *to, size_t *n)
{
	Runtime *rt = rt_enter();
	if (g && n)
		rt_graph_roots(g, to, n);
	return cu_end(rt, g && n);
}

/* ---- edges: the later versions have what belongs to each, which is nothing here -------------- */

static void
clear_edge_data(CUgraphEdgeData *data, const size_t *n)
{
	for (size_t i = 0; data && n && i < *n; i++)
		data[i] = (CUgraphEdgeData){ 0 };
}

CUresult
cuGraphGetEdges_v2(CUgraph g, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *data, size_t *n)
{
	Runtime *rt = rt_enter();
	bool good = g && n && !from == !to;
	if (good)
		rt_graph_edges(g, from, to, n);
	clear_edge_data(from ? data : NULL, n);
	return cu_end(rt, good);
}

CUresult
cuGraphGetEdges(CUgraph g, CUgraphNode *from, CUgraphNode *to, size_t *n)
{
	return cuGraphGetEdges_v2(g, from, to, NULL, n);
}

static CUresult
list_neighbours(CUgraphNode node, bool behind, CUgraphNode *to, size_t *n)
{
	Runtime *rt = rt_enter();
	if (node && n)
		rt_graph_neighbours(node, behind, to, n);
	return cu_end(rt, node && n);
}

CUresult
cuGraphNodeGetDependencies_v2(CUgraphNode node, CUgraphNode *to, CUgraphEdgeData *data, size_t *n)
{
	CUresult e = list_neighbours(node, false, to, n);
	clear_edge_data(to ? data : NULL, n);
	return e;
}

CUresult
cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode *to, size_t *n)
{
	return list_neighbours(node, false, to, n);
}

CUresult
cuGraphNodeGetDependentNodes_v2(CUgraphNode node, CUgraphNode *to, CUgraphEdgeData *data, size_t *n)
{
	CUresult e = list_neighbours(node, true, to, n);
	clear_edge_data(to ? data : NULL, n);
	return e;
}

CUresult
cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode *to, size_t *n)
{
	return list_neighbours(node, true, to, n);
}

CUresult
cuGraphAddDependencies(CUgraph g, const CUgraphNode *from, const CUgraphNode *to, size_t n)
{
	Runtime *rt = rt_enter();
	bool good = g && (!n || (from && to));
	for (size_t i = 0; good && i < n; i++)
		good = rt_graph_connect(from[i], to[i]);
	return cu_end(rt, good);
}

CUresult
cuGraphAddDependencies_v2(CUgraph g, const CUgraphNode *from, const CUgraphNode *to,
	const CUgraphEdgeData *data, size_t n)
{
	(void)data;
	return cuGraphAddDependencies(g, from, to, n);
}

CUresult
cuGraphRemoveDependencies(CUgraph g, const CUgraphNode *from, const CUgraphNode *to, size_t n)
{
	Runtime *rt = rt_enter();
	bool good = g && (!n || (from && to));
	for (size_t i = 0; good && i < n; i++)
		good = rt_graph_disconnect(from[i], to[i]);
	return cu_end(rt, good);
}

CUresult
cuGraphRemoveDependencies_v2(CUgraph g, const CUgraphNode *from, const CUgraphNode *to,
	const CUgraphEdgeData *data, size_t n)
{
	(void)data;
	return cuGraphRemoveDependencies(g, from, to, n);
}
