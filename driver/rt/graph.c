/* SPDX-License-Identifier: MIT */
/* Graphs, their nodes and edges (graph.h). */
#include <string.h>
#include "driver/rt/graph.h"

Graph *
rt_graph_new(void)
{
	Graph *g = xmalloc(sizeof *g);
	*g = (Graph){ 0 };
	return g;
}

/* ---- the work of a node ---------------------------------------------------------------------- */

/* Copies a kernel's packed arguments. */
static cudaError_t
keep_kernel(Graph_node *n)
{
	Kernel_work *k = &n->work.kernel;
	uint8_t *packed = launch_arguments(k->f->kernel, &k->args, &k->args.n);
	if (!packed)
		return cudaErrorInvalidValue;
	k->args = (Arguments){ .packed = packed, .n = k->args.n };
	uint32_t count = sim_nparams(k->f->kernel);
	n->pointers = xmalloc((count + 1) * sizeof *n->pointers);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t at, bytes;
		sim_param(k->f->kernel, i, &at, &bytes);
		n->pointers[i] = packed + at;
	}
	n->pointers[count] = NULL;
	return cudaSuccess;
}

static cudaError_t
copy_work(Graph_node *n, const Work *w)
{
	n->work = *w;
	if (w->kind == WORK_GRAPH)
		n->work.graph = rt_graph_clone(w->graph);
	return w->kind == WORK_KERNEL ? keep_kernel(n) : cudaSuccess;
}

static void
release_work(Graph_node *n)
{
	if (n->work.kind == WORK_KERNEL)
		xfree((void *)(uintptr_t)n->work.kernel.args.packed);
	if (n->work.kind == WORK_GRAPH)
		rt_graph_free(n->work.graph);
	xfree(n->pointers);
	n->pointers = NULL;
}

cudaError_t
rt_graph_change(Graph_node *n, const Work *w)
{
	Graph_node other = { 0 };
	if (w->kind != n->work.kind)
		return cudaErrorInvalidValue;
	cudaError_t e = copy_work(&other, w);
	if (e)
		return e;
	release_work(n);
	n->work = other.work;
	n->pointers = other.pointers;
	return cudaSuccess;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

Graph_node *
rt_graph_add(Graph *g, const Work *w, cudaError_t *e)
{
	Graph_node *n = xmalloc(sizeof *n);
	*n = (Graph_node){ .of = g };
	*e = copy_work(n, w);
	if (*e) {
		xfree(n);
		return NULL;
	}
	*vec_push(&g->nodes) = n;
	return n;
}

Graph_node *
rt_graph_insert(Graph *g, const Work *w, Edge_list edges, cudaError_t *e)
{
	*e = edges.n && !edges.before ? cudaErrorInvalidValue : cudaSuccess;
	for (size_t i = 0; !*e && i < edges.n; i++)
		if (!edges.before[i] || edges.before[i]->of != g)
			*e = cudaErrorInvalidValue;
	Graph_node *n = *e ? NULL : rt_graph_add(g, w, e);
	for (size_t i = 0; n && i < edges.n; i++)
		(void)rt_graph_connect(edges.before[i], n);
	return n;
}

static void
free_node(Graph_node *n)
{
	release_work(n);
	vec_free(&n->before);
	xfree(n);
}

/* Removes the node from the list, keeping the order. Returns whether it was in the list. */
static bool
remove_from_list(Node_list *l, const Graph_node *n)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (l->at[i] == n) {
			memmove(&l->at[i], &l->at[i + 1], (l->n - i - 1) * sizeof *l->at);
			l->n--;
			return true;
		}
	return false;
}

void
rt_graph_remove(Graph_node *n)
{
	Graph *g = n->of;
	for (uint32_t i = 0; i < g->nodes.n; i++)
		(void)remove_from_list(&g->nodes.at[i]->before, n);
	(void)remove_from_list(&g->nodes, n);
	free_node(n);
}

void
rt_graph_free(Graph *g)
{
	if (!g)
		return;
	for (uint32_t i = 0; i < g->nodes.n; i++)
		free_node(g->nodes.at[i]);
	vec_free(&g->nodes);
	xfree(g);
}

bool
rt_graph_connect(Graph_node *from, Graph_node *to)
{
	if (!from || !to || from->of != to->of)
		return false;
	for (uint32_t i = 0; i < to->before.n; i++)
		if (to->before.at[i] == from)
			return true;
	*vec_push(&to->before) = from;
	return true;
}

bool
rt_graph_disconnect(Graph_node *from, Graph_node *to)
{
	return from && to && remove_from_list(&to->before, from);
}

Graph *
rt_graph_clone(Graph *g)
{
	Graph *clone = rt_graph_new();
	clone->origin = g;
	for (uint32_t i = 0; i < g->nodes.n; i++) {
		cudaError_t e;
		Graph_node *n = g->nodes.at[i], *twin = rt_graph_add(clone, &n->work, &e);
		n->mark = i;
		twin->origin = n;
		twin->off = n->off;
	}
	for (uint32_t i = 0; i < g->nodes.n; i++) {
		const Node_list *before = &g->nodes.at[i]->before;
		for (uint32_t k = 0; k < before->n; k++)
			*vec_push(&clone->nodes.at[i]->before) =
				clone->nodes.at[before->at[k]->mark];
	}
	return clone;
}

Graph_node *
rt_graph_twin(const Graph *clone, const Graph_node *n)
{
	if (n && n->mark < clone->nodes.n && clone->nodes.at[n->mark]->origin == n)
		return clone->nodes.at[n->mark];
	for (uint32_t i = 0; n && i < clone->nodes.n; i++)
		if (clone->nodes.at[i]->origin == n)
			return clone->nodes.at[i];
	return NULL;
}

/* ---- questions ------------------------------------------------------------------------------- */

static void
copy_list(const Node_list *l, Graph_node **to, size_t *n)
{
	for (size_t i = 0; to && i < *n; i++)
		to[i] = i < l->n ? l->at[i] : NULL;
	if (!to || *n > l->n)
		*n = l->n;
}

void
rt_graph_nodes(const Graph *g, Graph_node **to, size_t *n)
{
	copy_list(&g->nodes, to, n);
}

void
rt_graph_roots(const Graph *g, Graph_node **to, size_t *n)
{
	Node_list roots = { 0 };
	for (uint32_t i = 0; i < g->nodes.n; i++)
		if (!g->nodes.at[i]->before.n)
			*vec_push(&roots) = g->nodes.at[i];
	copy_list(&roots, to, n);
	vec_free(&roots);
}

/* Lists the edges from a node (NULL: from all nodes) to the nodes that depend on it. */
static void
collect_edges(const Graph *g, const Graph_node *of, Node_list *from, Node_list *to)
{
	for (uint32_t i = 0; i < g->nodes.n; i++) {
		const Node_list *before = &g->nodes.at[i]->before;
		for (uint32_t k = 0; k < before->n; k++)
			if (!of || before->at[k] == of) {
				*vec_push(from) = before->at[k];
				*vec_push(to) = g->nodes.at[i];
			}
	}
}

void
rt_graph_edges(const Graph *g, Graph_node **from, Graph_node **to, size_t *n)
{
	Node_list a = { 0 }, b = { 0 };
	size_t room = *n;
	collect_edges(g, NULL, &a, &b);
	copy_list(&a, from, &room);
	copy_list(&b, to, n);
	vec_free(&a);
	vec_free(&b);
}

void
rt_graph_neighbours(const Graph_node *n, bool behind, Graph_node **to, size_t *room)
{
	Node_list a = { 0 }, b = { 0 };
	if (behind)
		collect_edges(n->of, n, &a, &b);
	copy_list(behind ? &b : &n->before, to, room);
	vec_free(&a);
	vec_free(&b);
}
