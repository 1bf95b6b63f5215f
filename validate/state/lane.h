/* SPDX-License-Identifier: MIT */
/* The abstract state of a lane between two statements of the output. Internal to validate/.
 *
 * States are compared byte by byte (explore/visited_states.c): unused entries of arrays are zero.
 */
#ifndef VALIDATE_STATE_LANE_H
#define VALIDATE_STATE_LANE_H

#include "validate/state/lookahead.h"
#include "validate/state/rounds.h"

enum {
	MAX_REGIONS = 30,
	MAX_ASSUMED = 6,
	MAX_SLICED = 32
};

/* Where the lane is in both texts. */
typedef struct {
	uint32_t output;        /* next statement of the output */
	uint32_t input;         /* next statement of the input, in its own iteration */
	uint32_t task, task_input; /* 1 + the path that it runs, and the input's statement there */
	uint32_t ended;         /* the input's statement that ended the thread; 0 if none */
	/* if it executes an iteration that it has drawn: `input` and `ended` in its own loop; else
	 * 0 */
	uint32_t home, home_ended;
} Lane_position;

/* Its own tasks. */
typedef struct {
	uint64_t pending;       /* bit set, see task_number() */
	uint32_t fresh;         /* bit set of the paths passed since its last common code */
	uint32_t batch_index;   /* common-code iterations begun since the last vote, minus one */
	uint8_t order[MAX_REGIONS + 2]; /* order in which it passed the fresh paths, from 1 */
} Lane_tasks;

/* What it did since the last synchronization point (Sync_segment). */
typedef struct {
	uint32_t from, branch_hash;
	uint32_t agreed, agreed_taken;
	uint64_t effects;
	uint32_t wanting_vote;
	bool wanting_none_in_loop;
	bool none_in_loop;      /* when the segment began */
	bool ran;
	bool diverged;          /* lanes of the group may be elsewhere */
} Lane_segment;

/* What it knows of its group. */
typedef struct {
	bool full;              /* it is the whole warp */
	bool majority;          /* it is more than half of the warp */
	bool limited;           /* the text has tested the block's size */
	bool none_in_loop;      /* a vote has found that no lane is in the loop */
} Group_facts;

/* Reductions, by number: slot initialized, result of a run folded, slot read, value given to the
 * live-out register, value forwarded past a path. */
typedef struct { uint32_t set, folded, read, given, forwarded; } Lane_reductions;

/* Bit sets of machine registers. */
typedef struct {
	uint64_t varies[2];
	uint64_t written_by_all[2];     /* since the segment began */
	uint64_t written_by_some[2];    /* since the last vote or barrier, by some lanes only */
	uint64_t defined[2];            /* known value: Lane_state.env is not 0 */
} Lane_registers;

/* Predicates of the input whose values are known. */
typedef struct { uint32_t sym; bool value; } Assumed_value;
typedef struct { uint8_t n; Assumed_value at[MAX_ASSUMED]; } Assumed_values;

/* Definitions of paths that the owner has executed itself; and for each, where that path is nested
 * (Input_path.enclosing). */
typedef struct {
	uint8_t n;
	uint32_t defs[MAX_SLICED];
	uint8_t around[MAX_SLICED];
} Owner_slice;

typedef struct Lane_state {
	Lane_position at;
	/* 1 + its last state, if it has made no progress since: executed no statement of the input,
	 * and reached no vote that counts as progress (must_step() in collectives.c) */
	uint32_t idle;
	Lane_tasks tasks;
	Lane_segment segment;
	uint32_t branches;      /* since the last vote or barrier; not part of the state */
	Lane_reductions reductions;
	uint64_t invariants_stored; /* lane invariants, by number */
	Lane_registers regs;
	Lane_round round;
	Group_facts group;
	Lane_facts facts;
	Assumed_values assumed;
	Owner_slice slice;
	Lookahead_state lookahead;
	/* Values of registers; env_index_level() and the functions after it describe the rest. */
	Term_id env[];
} Lane_state;

#endif
