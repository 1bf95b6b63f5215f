/* SPDX-License-Identifier: MIT */
/* What lanes did between votes and barriers. Recorded while they are followed, and checked for all
 * lanes together afterwards (warp/). Internal to validate/.
 */
#ifndef VALIDATE_STATE_ROUNDS_H
#define VALIDATE_STATE_ROUNDS_H

#include <stdbool.h>
#include "base/vec.h"
#include "validate/state/terms.h"

enum {
	MAX_FACTS = 8,
	CHAINS = 256,
	SEGMENT_CHAINS = 64,
	NO_LEVEL = 255
};

/* What a group executes between two synchronization points (votes, barriers, or labels that all
 * lanes reach together), identified by the start and the uniform branches taken since. */
typedef struct {
	/* the start (0: the entry), and a hash of the branches taken */
	uint32_t from, branch_hash;
	/* a uniform branch after a divergent one, and its direction; 0 if none */
	uint32_t agreed;
	bool agreed_taken;
	/* whether a vote has found that no lane is in the loop, at the start and at the end */
	bool none_in_loop, to_none_in_loop;
	uint32_t to;            /* the next synchronization point, or LEAVES */
	uint64_t effects;       /* DID_ bits by path */
	bool ran;
	/* the vote that showed that some lane wants the path; 0 if none is needed */
	uint32_t wanting_vote;
	bool wanting_none_in_loop;
	uint32_t next;          /* 1 + the next in its hash chain; 0 if none */
} Sync_segment;
#define LEAVES_LOOP UINT32_MAX
/* In place of a region number: copies of uniform registers are recomputed. */
#define AT_ENTRY UINT32_MAX
#define DID_POP(path) (UINT64_C(1) << (path))
#define DID_PUSH(path) (UINT64_C(1) << (32 + (path)))
/* Stand for a path in DID_ bits. DID_REDUCTION: reduction slots are set or read (push), and folded
 * into (pop). DID_INVARIANT: lane invariants are stored (push), and loaded (pop). */
#define DID_REDUCTION 31
#define DID_INVARIANT 30

typedef enum { SOURCE_NONE, SOURCE_OWN, SOURCE_POPPED, SOURCE_EITHER } Task_source;
/* SLOT_LEAST: the last slots, but not below slot 0. */
typedef enum {
	SLOT_NONE,
	SLOT_ON_TOP,
	SLOT_BELOW_TOP,
	SLOT_LAST,
	SLOT_LEAST,
	SLOT_FIRST
} Slot_form;

/* What a lane did in a round. */
typedef struct {
	uint32_t ballot;        /* the vote or pop label that began the round; 0 if none */
	Term_id votes;          /* 0 after a pop label */
	uint32_t vote_subject;  /* 1 + the register voted on, in vote_subjects; 0 if none */
	uint32_t slot_base; /* 1 + the counter from which slots were computed; 0 if none was used */
	uint64_t rows_pushed;   /* by number */
	uint32_t path;          /* 1 + the path that was run */
	uint8_t task_source;    /* Task_source */
	uint8_t slot;           /* Slot_form of the popped task */
	bool some_wanted, none_wanted;
	bool none_in_loop;      /* a vote had found that no lane is in the loop, before `ballot` */
} Lane_round;

/* Terms that hold for a lane. */
typedef struct { uint8_t n; Term_id at[MAX_FACTS]; } Lane_facts;

/* How a round changed a task counter, as one lane saw it. */
typedef struct {
	Lane_round round;
	Lane_facts facts;
	bool full;              /* the group is the whole warp */
	uint32_t counter;
	Term_id now; /* its value now; TERM_BEFORE of the counter is the value at the start */
	/* Its value at the start was below this multiple of the group size; NO_LEVEL if unknown. */
	uint8_t level;
	uint32_t stmt;          /* where the round ended */
	uint32_t next;          /* 1 + the next in its hash chain; 0 if none */
} Counter_change;

/* A completed round: what a lane did, the value of each counter, then the counters' levels. */
typedef struct {
	Counter_change did;     /* its counter and `now` are unused */
	Term_id *counter_values;
	uint32_t next;          /* 1 + the next in its hash chain; 0 if none */
} Vote_round;

/* What lanes were seen to do. Their segments, rounds and changes of counters are found by hash; a
 * chain is 1 + the index of its first element, or 0. */
typedef struct {
	VEC(Sync_segment) segments;
	uint32_t segment_chains[SEGMENT_CHAINS];
	VEC(Counter_change) changes;
	uint32_t *change_chains;
	VEC(Vote_round) rounds;
	uint32_t *round_chains;
	/* votes (from, none_in_loop) in which a lane may want the path */
	VEC(Sync_segment) wanted;
	/* By machine register, then by pop label: bit set of the tasks that a vote on it may be
	 * for. */
	uint64_t *vote_subjects;
	uint64_t left[2];       /* machine registers that were not 0 when a lane left */
	Bits reached;           /* statements of the output */
} Observed_actions;

#endif
