/* SPDX-License-Identifier: MIT */
/* Executable graphs (graph.h): a clone with a topological order of its nodes. */
#include "driver/rt/graph.h"

/* Sorts the nodes topologically; nodes otherwise keep the order of their creation. This is
 * Kahn's algorithm with repeated passes over the nodes in the graph's order as the queue. Edges
 * to earlier nodes cost additional passes; captured graphs need one. Returns false if there is a
 * cycle. */
static bool
sort_nodes(const Graph *g, Node_list *order)
{
	enum { WAITS, DONE };
	for (uint32_t i = 0; i < g->nodes.n; i++)
		g->nodes.at[i]->mark = WAITS;
	for (uint32_t before = 1; order->n < g->nodes.n && before; ) {
		before = 0;
		for (uint32_t i = 0; i < g->nodes.n; i++) {
			Graph_node *n = g->nodes.at[i];
			bool ready = n->mark == WAITS;
			for (uint32_t k = 0; ready && k < n->before.n; k++)
				ready = n->before.at[k]->mark == DONE;
			if (!ready)
				continue;
			n->mark = DONE;
			*vec_push(order) = n;
			before++;
		}
	}
	return order->n == g->nodes.n;
}

Graph_exec *
exec_new(Graph *g)
{
	Graph_exec *x = xmalloc(sizeof *x);
	*x = (Graph_exec){ .graph = rt_graph_clone(g) };
	if (sort_nodes(x->graph, &x->order))
		return x;
	exec_free(x);
	return NULL;
}

void
exec_free(Graph_exec *x)
{
	if (!x)
		return;
	rt_graph_free(x->graph);
	vec_free(&x->order);
	xfree(x);
}

Graph_node *
exec_node(const Graph_exec *x, const Graph_node *n)
{
	return rt_graph_twin(x->graph, n);
}

cudaError_t
exec_run(Runtime *rt, const Graph_exec *x)
{
	cudaError_t e = cudaSuccess;
	for (uint32_t i = 0; !e && i < x->order.n; i++)
		if (!x->order.at[i]->off)
			e = work_run(rt, &x->order.at[i]->work);
	return e;
}

cudaError_t
exec_launch(Runtime *rt, const Graph_exec *x, cudaStream_t s)
{
	cudaError_t e = cudaSuccess;
	const Work w = { .kind = WORK_GRAPH, .graph = x->graph };
	if (capture_work(rt, s, &w, &e) || e)
		return e;
	return exec_run(rt, x);
}

/* ---- another graph's work -------------------------------------------------------------------- */

enum { SAME, ERROR, TOPOLOGY_CHANGED, TYPE_CHANGED };

/* Matches nodes by the order of their creation. */
static bool
same_form(const Graph *a, Graph *b, Update_result *r)
{
	r->result = TOPOLOGY_CHANGED;
	for (uint32_t i = 0; i < a->nodes.n; i++)
		a->nodes.at[i]->mark = i;
	for (uint32_t i = 0; i < b->nodes.n; i++)
		b->nodes.at[i]->mark = i;
	if (a->nodes.n != b->nodes.n)
		return false;
	for (uint32_t i = 0; i < a->nodes.n; i++) {
		const Graph_node *x = a->nodes.at[i];
		Graph_node *y = b->nodes.at[i];
		r->node = y;
		bool same = x->before.n == y->before.n;
		for (uint32_t k = 0; same && k < x->before.n; k++)
			same = x->before.at[k]->mark == y->before.at[k]->mark;
		if (!same)
			return false;
		if (x->work.kind != y->work.kind) {
			r->result = TYPE_CHANGED;
			return false;
		}
	}
	*r = (Update_result){ .result = SAME };
	return true;
}

cudaError_t
exec_update(Graph_exec *x, Graph *g, Update_result *result)
{
	if (!same_form(x->graph, g, result))
		return cudaErrorGraphExecUpdateFailure;
	for (uint32_t i = 0; i < g->nodes.n; i++) {
		cudaError_t e = rt_graph_change(x->graph->nodes.at[i], &g->nodes.at[i]->work);
		if (e) {
			*result = (Update_result){ ERROR, g->nodes.at[i], NULL };
			return e;
		}
	}
	return cudaSuccess;
}
