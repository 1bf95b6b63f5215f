/* SPDX-License-Identifier: MIT */
/* What is decided about a remapping between the threads of a block (remap.h). */
#ifndef TRANSFORM_PLAN_REMAP_TYPES_H
#define TRANSFORM_PLAN_REMAP_TYPES_H

#include "analysis/region/region.h"
#include "base/bits.h"

/* How the threads of a block reach the branch at which they are remapped. */
typedef enum {
	/* all threads, equally often: only values uniform in the block decide */
	ARRIVE_TOGETHER,
	/* threads that bypass the branch are held until the others arrive */
	ARRIVE_ONCE,
	/* in a loop with varying trip counts: threads that have left it take part until all have
	 * left */
	ARRIVE_REPEATEDLY
} Arrival;

/* A control-flow edge that bypasses or leaves the remapping. */
typedef struct {
	uint32_t from, to;
	uint32_t stmt;          /* where `to` is 0: statement that ends the thread */
} Remap_edge;
typedef struct { Remap_edge *at; uint32_t n; } Remap_edges;

/* A value returned from the thread that ran the path to its owner. */
typedef struct { uint32_t sym, row; } Remap_result;

/* A path: a statement of the branch, or a leaf of the branches nested in one. */
typedef struct {
	uint32_t entry;         /* where threads have selected it */
	uint32_t begin;         /* where its task begins: there, or before the nested branches */
	const Region *statement; /* the annotated statement at the entry; NULL: none */
} Remap_path;

/* Branches nested in the statements. */
typedef struct {
	bool try;               /* their leaves may be paths */
	bool found;             /* some are */
	uint32_t *merged, nmerged;      /* begin markers of their annotations, as module indexes */
	Bits again;             /* conditions that tasks execute again; before it only these: */
	Bits early;             /* statements, as numbers of the function, and branches */
} Remap_nest;

/* What orders the threads if an expression does, instead of the path. */
typedef struct {
	uint32_t sym;           /* the register that has its value before the paths */
	/* how many of its values are told apart; others are hashed to them; 0: there is no key */
	uint32_t buckets;
	/* functions that a call through a pointer may reach in a path; empty: not known */
	Bits callees;
} Remap_key;

struct Plan;

/* What a remapping needs. The plan's single task region contains all paths. */
typedef struct {
	const Region **arms; uint32_t narms;    /* its statements, in the order of their markers */
	/* the same, with leaves in place of those that are nested branches */
	Remap_path *paths; uint32_t npaths;
	Remap_nest nest;
	Remap_key key;
	uint32_t head;          /* block of the first branch */
	uint32_t join;          /* block at which all threads continue */
	/* blocks in between: the conditions of `else if`, and nested branches with the code before
	 * them */
	Bits decides;
	Arrival arrival;
	Remap_edges bypass;     /* edges to the join that bypass all paths */
	Remap_edges enter;      /* edges to paths that do not begin with an arm's marker */
	/* exits of threads that must still take part; the same edges as the plan's exit edges */
	Remap_edges held;
	Remap_result *results; uint32_t nresults;
	/* offset of the row with the owner of the task in each slot; for dgi: the path that each
	 * thread selected */
	uint32_t pool;
	uint32_t id_bytes;      /* size of a task's path and owner; for dgi: of the path */
	uint32_t neighbourhood; /* dgi: threads of a neighbourhood */
	uint32_t groups;        /* number of neighbourhoods, a multiple of 4 */
	/* no policy is named: take the one with the largest expected gain, or none */
	bool selects_policy;
	bool waits_for_helpers; /* the results of helpers are waited for */
	/* whether all threads have the same value of a register, given these n reaching
	 * definitions */
	bool (*is_common)(const struct Plan *x, const uint32_t *defs, uint32_t n);
	/* whether an earlier remapping or melding wrote the text at a position */
	bool (*is_emitted)(const void *texts, uint32_t pos);
	const void *texts;
} Remap;

#endif
