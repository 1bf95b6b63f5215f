/* SPDX-License-Identifier: MIT */
/* The check of one transformed loop: its texts, what is known of them, the states of lanes, and the
 * work list. Internal to validate/.
 *
 * A lane is followed through the output and, in parallel, through its iteration in the input. What
 * its registers hold is known as terms (terms.h). Votes and barriers divide the execution of a
 * group into segments; votes on paths divide it into rounds. The group is the set of lanes that
 * enter the transformed loop together; M is its mask. It is full if it is the whole warp.
 */
#ifndef VALIDATE_STATE_CHECKER_H
#define VALIDATE_STATE_CHECKER_H

#include "analysis/region/region.h"
#include "base/buf.h"
#include "validate/state/buffer.h"
#include "validate/state/lane.h"
#include "validate/state/lookahead.h"
#include "validate/state/registers.h"
#include "validate/state/rounds.h"
#include "validate/state/statements.h"
#include "validate/state/terms.h"

enum {
	MOST_SINGLE_DEFS = 32,
	/* steps of all lanes together: the maximum over all known loops, rounded up */
	MAX_LANE_STEPS = 400000,
	MAX_EXPLORATIONS = 16,
	MAX_BRANCHES = 40       /* uniform branches between two votes */
};

/* A path of the input that the inserted text collects. */
typedef struct {
	const Region *region;
	/* blocks of the task: the path and, with tail capture, the code after it (extent.c) */
	Bits blocks;
	bool has_tail;          /* the task includes captured code */
	Bits dead;              /* statements of the task that its copy may omit */
	uint32_t entry;         /* first statement */
	uint32_t next;          /* statement at which the owner continues */
	Bits defined;           /* registers that it defines, by local symbol */
	/* live-in symbols, and special registers with their components */
	uint32_t *inputs; uint32_t ninputs;
	uint8_t *sels;
	uint32_t *copies;                       /* their copies in the output; 0 if none */
	uint32_t *live_outs, nlive_outs;        /* live-out registers */
	uint8_t *decides;       /* by definition, see owner_slice.c: 0 not known yet, 1 no, 2 yes */
	uint32_t enclosing;     /* 1 + the enclosing collected path; 0 if none */
	uint32_t nested;        /* bit set of the collected paths nested in it */
	/* First statement with an effect; 0 if that is a nested path, or there is none. `starts`
	 * lists it and the statements after it up to the first that its copy must have: the copy
	 * begins with one of these. */
	uint32_t first, *starts, nstarts;
	bool all_dead;          /* a task may execute no statement at all */
} Input_path;

/* The paths that the inserted text collects, in the order of their votes. The tasks of path p are
 * region p + 1 of the output; region 0 is common code. */
typedef struct {
	Input_path *at; uint32_t n;     /* none: every lane executes its own iterations */
	Bits common;            /* blocks of the common code */
	uint32_t *of_block;     /* by block: 1 + the path that begins there */
	Bits first_ops;         /* opcodes with which a copy of a path may begin */
	VEC(Task_label) labels;
	bool ambiguous; /* several paths have the same source line, see scheme_recognition.c */
	bool backward;          /* of these paths, the last is tried first */
} Collected_paths;

/* Statements of paths that output statements may copy for the owner, see owner_slice.c. */
typedef struct {
	VEC(Owner_copy) copies;
	uint32_t *by_op;        /* 1 + the first of paths only, by Op; NULL until built */
} Owner_copies;

/* Cached: sequences of copies that a lane passes in one step. */
typedef struct { VEC(Straight_run) runs; VEC(Straight_end) ends; } Straight_runs;
typedef struct { VEC(Copy_series) at; VEC(Series_slot) slots; } Copy_sequences;

/* Cached: whether a register still holds at the entry of a block what a statement read from it. */
typedef struct { uint32_t stmt, sym, block; bool yes; } Reaching_value;

/* Cached: the only definition that reaches a block; 0 if there is none. */
typedef struct { uint32_t sym, block, def; } Single_def;

typedef struct {
	VEC(Reaching_value) reaching;
	Single_def only[MOST_SINGLE_DEFS];      /* by register and block */
} Def_cache;

/* The branch that selects between two equivalent copies of the loop, and the mapping between them
 * (copy_equivalence.c); 0 and NULL if there are none. */
typedef struct { uint32_t branch, *counterpart; } Equivalent_copies;

/* The set of lanes that enter the loop together. */
typedef struct {
	uint32_t activemask;    /* the statement that computes its mask */
	/* the numbers of its lanes and of the threads of its block; 0 until made */
	Term_id size, block_threads;
} Lane_group;

/* A state in which some lane reached a label. */
typedef struct { Lane_state *lane; uint32_t hash, number; bool full; } Visited_state;

/* A lane gets from one state to another, at statement `o`, without progress (Lane_state.idle). */
typedef struct { uint32_t from, to, o; } Compute_edge;

/* Lanes that are still to be followed, in order, so that faults are found early. */
typedef struct {
	VEC(Lane_state *) queue; uint32_t next;
	VEC(Lane_state *) full_groups; uint32_t next_full;      /* explored last */
} Work_list;

/* Hash table of the states that lanes were in at labels. */
typedef struct {
	Visited_state *table; uint32_t n, cap;
	VEC(Compute_edge) idle_edges;
} Visited_states;

/* The first error or unknown form that the proof met. */
typedef struct {
	const char *why;        /* NULL if it has not */
	uint32_t stmt;          /* statement of the output */
	bool unknown;           /* the reason is an unknown form, not an error */
} Proof_fault;

typedef struct Loop_check {
	Arena *arena;
	Terms terms;

	/* what is read */
	Input_text in;
	Output_text out;
	Collected_paths paths;
	Lookahead *lookahead;   /* set if lanes look ahead, else NULL */

	/* what is found in the texts */
	Emitted_regs emitted;
	Input_copies copies;
	Iteration_batch batch;
	Lane_layout layout;
	Reductions reductions;
	Equivalent_copies twins;
	Owner_copies owner;
	Straight_runs straight;
	Copy_sequences series;
	Def_cache defs;

	/* what is found by following lanes */
	Divergence divergence;
	Lane_group group;
	Task_buffer buffer;
	Lane_invariants invariants;
	Observed_actions observed;

	/* what is to do, and what is done */
	Work_list work;
	Visited_states visited;
	uint32_t steps;         /* statements that lanes have executed */

	Proof_fault fault;
} Loop_check;

#endif
