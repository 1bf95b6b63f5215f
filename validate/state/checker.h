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
#include "validate/state/lookahead.h"
#include "validate/state/registers.h"
#include "validate/state/rounds.h"
#include "validate/state/statements.h"
#include "validate/state/terms.h"

enum {
	MAX_ASSUMED = 6,
	MOST_SINGLE_DEFS = 32,
	MAX_SLICED = 32,
	MAX_REGIONS = 30,
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

typedef struct { uint32_t sym; bool value; } Assumed_value;

/* The abstract state of a lane between two statements of the output. */
typedef struct Lane_state {
	uint32_t output_at;     /* next statement of the output */
	uint32_t input_at;      /* next statement of the input, in its own iteration */
	uint32_t task, task_at; /* 1 + the path that it runs, and the input's statement there */
	uint32_t ended;         /* the input's statement that ended the thread */
	uint64_t tasks;         /* bit set of its pending tasks, see task_number() */
	uint32_t fresh_paths;   /* paths passed since its last statement of common code */
	uint32_t batch_index;   /* common-code iterations begun since the last vote, minus one */
	uint32_t sync, branch_hash; /* see Sync_segment */
	uint32_t wanting_vote;  /* see Sync_segment */
	uint32_t branches;      /* since the last vote or barrier; not part of the state */
	/* 1 + its last state, if it has made no progress since: executed no statement of the input,
	 * and reached no vote that counts as progress (must_step() in collectives.c) */
	uint32_t idle;
	uint32_t agreed, agreed_taken;  /* see Sync_segment */
	uint64_t effects;       /* see Sync_segment */
	/* reductions, by number: slot initialized, result of a run folded, slot read, value given
	 * to the live-out register, value forwarded past a path */
	uint32_t reductions_set, reductions_folded, reductions_read, reductions_given,
		reductions_forwarded;
	uint64_t invariants_stored; /* stored lane invariants, by number */
	/* machine registers: varying, and written by all lanes since `sync` */
	uint64_t varies[2], made[2];
	uint64_t wrote[2];      /* written by some lanes only since the last vote or barrier */
	uint64_t defined[2];    /* machine registers with a known value (env is not 0) */
	uint32_t ballot;        /* the vote or pop label that began the round; 0 if none */
	Term_id votes;          /* 0 after a pop label */
	uint32_t vote_subject;  /* 1 + the register voted on, in vote_subjects; 0 if none */
	uint32_t base;          /* see Counter_change.slot_base */
	uint64_t rows_pushed;   /* rows pushed in the round, by number */
	uint8_t nfacts, nassumed, nsliced;
	bool some_wanted, none_wanted, parted, ran_since, full, most, small;
	bool ballot_over;       /* `over` at the round's vote */
	bool some_over;         /* see Sync_segment */
	/* a vote has found that no lane is in the loop: so far, and when the segment began */
	bool over, since_over;
	uint8_t ran, slot;
	uint32_t ran_path;
	/* Unused entries of what follows are zero. */
	uint32_t facts[MAX_FACTS];      /* terms that hold */
	Assumed_value assumed[MAX_ASSUMED];
	/* Definitions of paths that the owner has executed itself; and for each, where that path is
	 * nested (Input_path.enclosing). */
	uint32_t sliced[MAX_SLICED];
	uint8_t sliced_around[MAX_SLICED];
	uint8_t order[MAX_REGIONS + 2]; /* order in which it passed the paths in `fresh`, from 1 */
	Lookahead_state lookahead;
	/* Values of registers; env_index_level() and the functions after it describe the rest. */
	Term_id env[];
} Lane_state;

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
