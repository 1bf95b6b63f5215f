/* SPDX-License-Identifier: MIT */
/* CUDA graphs: work that is kept, to be done later, and again. Part of driver/rt/rt.h.
 *
 * What a program asks a stream for is a Work: done at once, or, while the stream is captured, made
 * a node of a graph. A graph that is launched does its nodes one after another, each behind those
 * that it depends on, among these in the order in which they were made: so runs are alike.
 *
 *	work.c      a piece of work, done or captured
 *	graph.c     graphs and nodes; exec.c: those that can be launched
 *	capture.c   streams that are captured
 */
#ifndef DRIVER_RT_GRAPH_H
#define DRIVER_RT_GRAPH_H

#include "driver/rt/rt.h"

#pragma GCC visibility push(default)

typedef struct CUgraph_st Graph;
typedef struct CUgraphNode_st Graph_node;
typedef struct CUgraphExec_st Graph_exec;

/* With the numbers of cudaGraphNodeType and CUgraphNodeType. */
typedef enum {
	WORK_KERNEL,
	WORK_COPY,
	WORK_SET,
	WORK_HOST,
	WORK_GRAPH,
	WORK_EMPTY,
	WORK_WAIT,
	WORK_RECORD,
	WORK_ALLOC = 10,        /* the memory is there all the time: nothing is left to do */
	WORK_FREE
} Work_kind;

typedef struct { Function *f; Config config; Arguments args; } Kernel_work;
typedef struct { Place to, from; Box box; enum cudaMemcpyKind kind; } Copy_work;
typedef struct { Place to; Box box; Fill item; } Set_work;
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

/* ---- work.c ---------------------------------------------------------------------------------- */

/* Does it now; the lock is open while a function of the host runs. */
cudaError_t work_run(Runtime *rt, const Work *w);
/* Does it, or, if the stream is captured, keeps it. */
cudaError_t work_on(Runtime *rt, cudaStream_t s, const Work *w);
/* The same for the most frequent kinds. */
cudaError_t work_copy(Runtime *rt, cudaStream_t s, Copy_work c);
cudaError_t work_set(Runtime *rt, cudaStream_t s, Set_work set);

/* ---- graph.c --------------------------------------------------------------------------------- */

typedef Last_nodes Node_list;

struct CUgraphNode_st {
	Work work;              /* its own: arguments and graph belong to the node */
	void **pointers;        /* of a kernel: to each argument, for who asks */
	Node_list before;       /* that it depends on */
	Graph *of;
	Graph_node *origin;     /* the node that it was cloned from */
	uint32_t mark;          /* for walks */
	bool off;               /* of an executable graph: it does nothing */
};
struct CUgraph_st { Node_list nodes; Graph *origin; };

Graph *rt_graph_new(void);
void rt_graph_free(Graph *g); /* g may be NULL */
/* The nodes of the clone are in the same order. */
Graph *rt_graph_clone(Graph *g);
/* A node with such work, of which a copy is made; *e says why there is none. */
Graph_node *rt_graph_add(Graph *g, const Work *w, cudaError_t *e);
/* Likewise, behind other nodes of the graph. */
typedef struct { Graph_node *const *before; size_t n; } Edge_list;
Graph_node *rt_graph_insert(Graph *g, const Work *w, Edge_list edges, cudaError_t *e);
/* Gives the node other work of the same kind. */
cudaError_t rt_graph_change(Graph_node *n, const Work *w);
void rt_graph_remove(Graph_node *n);
/* The second depends on the first, no longer; false: they are not of one graph. */
bool rt_graph_connect(Graph_node *from, Graph_node *to);
bool rt_graph_disconnect(Graph_node *from, Graph_node *to);
/* The clone of the node in a graph that was cloned from its own; NULL: there is none. */
Graph_node *rt_graph_twin(const Graph *clone, const Graph_node *n);
/* Lists, as CUDA's interface gives them: *n is the room, or, with `to` NULL, becomes how many there
 * are; what stays free is NULL. */
void rt_graph_nodes(const Graph *g, Graph_node **to, size_t *n);
void rt_graph_roots(const Graph *g, Graph_node **to, size_t *n);
/* Those that it depends on, or, behind: that depend on it. */
void rt_graph_neighbours(const Graph_node *n, bool behind, Graph_node **to, size_t *room);
/* Both ends of each edge. */
void rt_graph_edges(const Graph *g, Graph_node **from, Graph_node **to, size_t *n);

/* ---- exec.c ---------------------------------------------------------------------------------- */

struct CUgraphExec_st { Graph *graph; Node_list order; };

/* NULL: a node depends on itself. */
Graph_exec *exec_new(Graph *g);
void exec_free(Graph_exec *x);
/* The node of it that stands for one of the graph that it was made from. */
Graph_node *exec_node(const Graph_exec *x, const Graph_node *n);
cudaError_t exec_run(Runtime *rt, const Graph_exec *x);
/* In a stream, which may be captured: then the graph is a node of the other. */
cudaError_t exec_launch(Runtime *rt, const Graph_exec *x, cudaStream_t s);
/* Takes the work of another graph's nodes, if that has the same form. Else *result says how it
 * differs (cudaGraphExecUpdateResult), and at which node. */
typedef struct { int result; Graph_node *node, *from; } Update_result;
cudaError_t exec_update(Graph_exec *x, Graph *g, Update_result *result);

/* ---- capture.c ------------------------------------------------------------------------------- */

/* Of one graph, by one or more streams. Captures are never freed: events and streams may still
 * name one that has ended. */
typedef struct Capture Capture;

cudaError_t capture_begin(Runtime *rt, cudaStream_t s, int mode);
cudaError_t capture_end(Runtime *rt, cudaStream_t s, Graph **to);
/* The stream goes away. */
void capture_leave(cudaStream_t s);
/* Is the stream captured (cudaStreamCaptureStatus)? */
enum cudaStreamCaptureStatus capture_status(cudaStream_t s);
/* What is captured there, if anything: graph, number, and what comes next depends on. */
typedef struct { Graph *graph; unsigned long long id; const Node_list *last; } Capture_info;
Capture_info capture_info(cudaStream_t s);
/* What comes next depends on these nodes, with add: too. */
cudaError_t capture_depend(cudaStream_t s, Graph_node *const *nodes, size_t n, bool add);
/* Makes it a node; false: the stream is not captured, *e says whether that is right. */
bool capture_work(Runtime *rt, cudaStream_t s, const Work *w, cudaError_t *e);
/* A stream that is captured is asked for what cannot be kept (to wait, NULL: for all streams). */
cudaError_t capture_forbids(Runtime *rt, cudaStream_t s);
/* Records an event, and lets a stream wait for one, where streams are captured. external: as nodes;
 * else they are dependences. */
cudaError_t capture_record(Runtime *rt, cudaStream_t s, cudaEvent_t event, bool external);
cudaError_t capture_wait(Runtime *rt, cudaStream_t s, cudaEvent_t event, bool external);
cudaError_t capture_event(cudaEvent_t event); /* may the host ask it, or wait for it? */

#pragma GCC visibility pop
#endif
