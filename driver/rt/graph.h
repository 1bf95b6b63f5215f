/* SPDX-License-Identifier: MIT */
/* CUDA graphs: work that is recorded and executed later, any number of times. Part of
 * driver/rt/rt.h.
 *
 * Each request to a stream is a Work. It is executed at once or, while the stream is captured,
 * becomes a node of a graph. A launched graph executes its nodes one after another in
 * topological order; independent nodes keep the order of their creation, so that runs are
 * reproducible.
 *
 *	work.c      executes or captures a piece of work
 *	graph.c     graphs and nodes; exec.c: executable graphs
 *	capture.c   stream capture
 *	graph.def, node.def, edges.def    the calls, for both libraries (calls.h) */
#ifndef DRIVER_RT_GRAPH_H
#define DRIVER_RT_GRAPH_H

#include "driver/rt/rt.h"

#pragma GCC visibility push(default)

typedef struct CUgraph_st Graph;
typedef struct CUgraphNode_st Graph_node;
typedef struct CUgraphExec_st Graph_exec;

/* Values as in cudaGraphNodeType and CUgraphNodeType. */
typedef enum {
	WORK_KERNEL,
	WORK_COPY,
	WORK_SET,
	WORK_HOST,
	WORK_GRAPH,
	WORK_EMPTY,
	WORK_WAIT,
	WORK_RECORD,
	WORK_ALLOC = 10,        /* no-op: the memory is always allocated */
	WORK_FREE
} Work_kind;

typedef struct { Function *f; Config config; Arguments args; } Kernel_work;
typedef struct { Copy_place to, from; Copy_extent box; enum cudaMemcpyKind kind; } Copy_work;
typedef struct { Copy_place to; Copy_extent box; Fill item; } Set_work;
typedef struct { cudaHostFn_t f; void *user; } Host_work;

typedef struct {
	Work_kind kind;
	union {
		Kernel_work kernel;
		Copy_work copy;
		Set_work set;
		Host_work host;
		Graph *graph;
		cudaEvent_t event;
	};
} Work;

/* Parameters of calls, laid out as in the toolkit's driver_types.h and cuda.h. Also: Host_work,
 * Update_result. */
typedef struct {
	void *to;
	size_t pitch;
	unsigned value, bytes;
	size_t width, height;
} Set_params;
typedef struct {
	unsigned long long flags;
	cudaStream_t upload;
	Graph_node *wrong;
	int result;
} Instantiate_params;
typedef struct { unsigned char ports[2], type, reserved[5]; } Edge_data;

/* ---- work.c ---------------------------------------------------------------------------------- */

/* Executes w. The lock is released while a host function runs. */
cudaError_t work_run(Runtime *rt, const Work *w);
/* Executes w or, if the stream is captured, adds it to the graph. */
cudaError_t work_on(Runtime *rt, cudaStream_t s, const Work *w);
/* The same for copies and sets. */
cudaError_t work_copy(Runtime *rt, cudaStream_t s, Copy_work c);
cudaError_t work_set(Runtime *rt, cudaStream_t s, Set_work set);

/* ---- graph.c --------------------------------------------------------------------------------- */

typedef Last_nodes Node_list;

struct CUgraphNode_st {
	Work work;              /* owned: the node frees its arguments and graph */
	void **pointers;        /* of a kernel: pointers to the arguments, for queries */
	Node_list before;       /* nodes that it depends on */
	Graph *of;
	Graph_node *origin;     /* node that it was cloned from */
	uint32_t mark;          /* for graph walks */
	bool off;               /* disabled in an executable graph */
};
struct CUgraph_st { Node_list nodes; Graph *origin; };

Graph *rt_graph_new(void);
void rt_graph_free(Graph *g); /* g may be NULL */
/* The clone has its nodes in the same order. */
Graph *rt_graph_clone(Graph *g);
/* Adds a node with a copy of the work. Returns NULL on failure, with the reason in *e. */
Graph_node *rt_graph_add(Graph *g, const Work *w, cudaError_t *e);
/* The same with dependencies on other nodes of the graph. */
typedef struct { Graph_node *const *before; size_t n; } Edge_list;
Graph_node *rt_graph_insert(Graph *g, const Work *w, Edge_list edges, cudaError_t *e);
/* Replaces the node's work by other work of the same kind. */
cudaError_t rt_graph_change(Graph_node *n, const Work *w);
void rt_graph_remove(Graph_node *n);
/* Adds or removes the dependency of `to` on `from`. Returns false if the nodes belong to
 * different graphs. */
bool rt_graph_connect(Graph_node *from, Graph_node *to);
bool rt_graph_disconnect(Graph_node *from, Graph_node *to);
/* Returns the counterpart of node n in a clone of its graph; NULL if there is none. */
Graph_node *rt_graph_twin(const Graph *clone, const Graph_node *n);
/* Lists in the style of CUDA's interface: *n is the capacity of `to` and, if `to` is NULL,
 * receives the number of elements; unused elements are set to NULL. */
void rt_graph_nodes(const Graph *g, Graph_node **to, size_t *n);
void rt_graph_roots(const Graph *g, Graph_node **to, size_t *n);
/* Lists the dependencies of n or, with behind, the nodes that depend on it. */
void rt_graph_neighbours(const Graph_node *n, bool behind, Graph_node **to, size_t *room);
/* Lists both ends of each edge. */
void rt_graph_edges(const Graph *g, Graph_node **from, Graph_node **to, size_t *n);

/* ---- exec.c ---------------------------------------------------------------------------------- */

struct CUgraphExec_st { Graph *graph; Node_list order; };

/* Returns NULL if the dependencies form a cycle. */
Graph_exec *exec_new(Graph *g);
void exec_free(Graph_exec *x);
/* Returns the node of x that was cloned from n. */
Graph_node *exec_node(const Graph_exec *x, const Graph_node *n);
cudaError_t exec_run(Runtime *rt, const Graph_exec *x);
/* Launches into a stream; if that is captured, the graph becomes a child node. */
cudaError_t exec_launch(Runtime *rt, const Graph_exec *x, cudaStream_t s);
/* Takes over the work of another graph's nodes if both graphs have the same form. Otherwise
 * *result says how they differ (cudaGraphExecUpdateResult), and at which node. */
typedef struct { int result; Graph_node *node, *from; } Update_result;
cudaError_t exec_update(Graph_exec *x, Graph *g, Update_result *result);

/* ---- capture.c ------------------------------------------------------------------------------- */

/* The capture of one graph by one or more streams. Captures are never freed, because events and
 * streams may still refer to one that has ended. */
typedef struct Capture Capture;

cudaError_t capture_begin(Runtime *rt, cudaStream_t s, int mode);
cudaError_t capture_end(Runtime *rt, cudaStream_t s, Graph **to);
/* Called when the stream is destroyed. */
void capture_leave(cudaStream_t s);
/* Returns the capture status of the stream. */
enum cudaStreamCaptureStatus capture_status(cudaStream_t s);
/* Returns the stream's capture, if any: its graph, its id, and the nodes that the next one
 * depends on. */
typedef struct { Graph *graph; unsigned long long id; const Node_list *last; } Capture_info;
Capture_info capture_info(cudaStream_t s);
/* Makes the next node depend on these nodes; with add, in addition to its other dependencies. */
cudaError_t capture_depend(cudaStream_t s, Graph_node *const *nodes, size_t n, bool add);
/* Adds w as a node and returns true if the stream is captured. Otherwise returns false; *e is
 * cudaSuccess if the work may be executed at once, else the error. */
bool capture_work(Runtime *rt, cudaStream_t s, const Work *w, cudaError_t *e);
/* Returns an error if the stream (NULL: any stream) is captured, for operations that cannot be
 * captured, such as waiting. */
cudaError_t capture_forbids(Runtime *rt, cudaStream_t s);
/* Record an event, or make a stream wait for one, where streams are captured. external: adds an
 * event node instead of a dependency. */
cudaError_t capture_record(Runtime *rt, cudaStream_t s, cudaEvent_t event, bool external);
cudaError_t capture_wait(Runtime *rt, cudaStream_t s, cudaEvent_t event, bool external);
cudaError_t capture_event(cudaEvent_t event); /* whether the host may query it or wait for it */

#pragma GCC visibility pop
#endif
