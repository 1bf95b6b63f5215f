/* SPDX-License-Identifier: MIT */
/* The state of the proof for one transformed loop: paths, rows of the buffer, lanes, segments and
 * rounds. Internal to validate/.
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
#include "validate/state/lookahead.h"
#include "validate/state/statements.h"
#include "validate/state/terms.h"

enum {
	MAX_EMITTED_REGISTERS = 128, /* machine registers: those that only the inserted text has */
	MAX_SAVED = 400,        /* task registers that are set outside of paths */
	SAVED_LATER = 16,       /* initial room for task registers other than live-ins */
	MAX_FACTS = 8,
	MAX_ASSUMED = 6,
	MAX_SLICED = 32,
	MAX_REGIONS = 30,
	MAX_PLACED = 8,
	/* steps of all lanes together: the maximum over all known loops, rounded up */
	MAX_LANE_STEPS = 400000,
	MAX_REDUCTIONS = 16,
	MAX_INVARIANTS = 64,    /* lane invariants */
	MAX_TASKS = 64,         /* pending tasks of a lane */
	MAX_BATCHED = 6,        /* common-code iterations in a batch; each doubles the states */
	CHAINS = 256,
	SEGMENT_CHAINS = 64,
	MAX_POP_LABELS = 8,
	MAX_EXPLORATIONS = 16,
	NO_LEVEL = 255,
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

/* A row of the buffer, or one bit of a row. */
typedef struct {
	uint32_t at, size, path, sym;
	uint8_t sel;
	uint8_t bit;            /* 1 + the bit; 0 if the whole row */
	bool lanes;             /* one slot per lane: a reduction or a lane invariant */
	bool pushed, popped;
} Buffer_row;
/* Stands for a symbol: the number of the owner's lane. */
#define OWNER UINT32_MAX

/* An associative and commutative operation. held: the operand of the input's statement that holds
 * the accumulated value. */
typedef struct { uint16_t op; uint8_t type, variable_operand; } Fold_operation;

/* A reduction of a path (reductions.c). */
typedef struct {
	uint32_t path, row;     /* the row of its slots */
	uint32_t in, out;       /* registers of the input: live-in and live-out of the path */
	Fold_operation fold;
	Bits web;               /* registers that hold it, by local symbol */
} Slot_reduction;

/* A row, or one bit of a row, for a lane invariant (lane_invariants.c). */
typedef struct {
	uint32_t row, sym;
	uint8_t size, bit;      /* 1 + the bit; 0 if the whole row */
} Lane_invariant;

/* What a group executes between two synchronization points (votes, barriers, or labels that all
 * lanes reach together), identified by the start and the uniform branches taken since. */
typedef struct {
	/* the start (0: the entry), and a hash of the branches taken */
	uint32_t from, branch_hash;
	/* a uniform branch after a divergent one, and its direction; 0 if none */
	uint32_t agreed;
	bool agreed_taken;
	/* whether a vote has found that no lane is in the loop, at the start and at the end */
	bool size_vote_failed, to_size_vote_failed;
	uint32_t to;            /* the next synchronization point, or LEAVES */
	uint64_t effects;       /* DID_ bits by path */
	bool ran;
	/* the vote that showed that some lane wants the path; 0 if none is needed */
	uint32_t wanting_vote;
	bool wanting_size_vote_failed;
	uint32_t next;          /* 1 + the next in its chain of Site.begins; 0 if none */
} Sync_segment;
#define LEAVES_LOOP UINT32_MAX
/* Stands for a part: copies of uniform registers are recomputed. */
#define AT_ENTRY UINT32_MAX
#define DID_POP(path) (UINT64_C(1) << (path))
#define DID_PUSH(path) (UINT64_C(1) << (32 + (path)))
/* Stand for a path in DID_ bits. DID_REDUCTION: reduction slots are set or read (push), and folded
 * into (pop). DID_INVARIANT: lane invariants are stored (push), and loaded (pop). */
#define DID_REDUCTION 31
#define DID_INVARIANT 30

/* How a round changed a task counter, as one lane saw it. */
typedef struct {
	uint32_t ballot, counter;
	Term_id now; /* its value now; TERM_BEFORE of the counter is the value at the start */
	Term_id votes;
	uint32_t vote_subject;  /* see Lane */
	uint32_t slot_base; /* 1 + the counter from which slots were computed; 0 if none was used */
	uint32_t facts[MAX_FACTS]; uint8_t nfacts;
	bool some_wanted, none_wanted, full;
	/* Its value at the start was below this multiple of the group size; NO_LEVEL if unknown. */
	uint8_t level;
	uint64_t pushed;        /* rows, by number */
	uint8_t task_source;    /* Ran */
	uint8_t slot;           /* Slot_form of the popped task */
	uint32_t path;          /* 1 + the path that was run */
	uint32_t stmt;          /* where the round ended */
	uint32_t next;          /* 1 + the next in its chain of Site.chains; 0 if none */
} Counter_change;

/* A completed round: what a lane did, the value of each counter, then the counters' levels. */
typedef struct {
	Counter_change did;     /* its counter and `now` are unused */
	Term_id *counter_values;
	uint32_t next;          /* 1 + the next in its chain of Site.ends; 0 if none */
} Vote_round;

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

typedef struct { uint32_t sym; bool value; } Assumed_value;

/* Cached: whether a register still holds at the entry of a block what a statement read from it. */
typedef struct { uint32_t stmt, sym, block; bool yes; } Reaching_value;

/* Cached: the only definition that reaches a block; 0 if there is none. */
typedef struct { uint32_t sym, block, def; } Single_def;

/* The abstract state of a lane between two statements of the output. */
typedef struct Lane_state {
	uint32_t output_at;     /* next statement of the output */
	uint32_t input_at;      /* next statement of the input, in its own iteration */
	uint32_t task, task_at; /* 1 + the path that it runs, and the input's statement there */
	uint32_t ended;         /* the input's statement that ended the thread */
	uint64_t tasks;         /* bit set of its pending tasks, see task_number() */
	uint32_t fresh_paths;   /* paths passed since its last statement of common code */
	uint32_t batch_index;   /* common-code iterations begun since the last vote, minus one */
	uint32_t sync, branch_hash; /* see Segment.from, way */
	uint32_t wanting_vote;  /* see Segment */
	uint32_t branches;      /* since the last vote or barrier; not part of the state */
	/* 1 + its last state, if it has made no progress since: executed no statement of the input,
	 * and reached no vote that counts as progress (must_step() in collectives.c) */
	uint32_t idle;
	uint32_t agreed, agreed_taken;  /* see Segment */
	uint64_t effects;       /* see Segment */
	/* reductions, by number: slot initialized, result of a run folded, slot read, value given
	 * to the live-out register, value forwarded past a path */
	uint32_t reductions_set, reductions_folded, reductions_read, reductions_given,
		reductions_forwarded;
	uint64_t invariants_stored; /* stored lane invariants, by number in Site.lasting */
	/* machine registers: varying, and written by all lanes since `sync` */
	uint64_t varies[2], made[2];
	uint64_t wrote[2];      /* written by some lanes only since the last vote or barrier */
	uint64_t defined[2];    /* machine registers with a known value (env is not 0) */
	uint32_t ballot;        /* the vote or pop label that began the round; 0 if none */
	Term_id votes;          /* 0 after a pop label */
	uint32_t vote_subject;  /* 1 + the register voted on, in Site.wants; 0 if none */
	uint32_t base;          /* see Change */
	uint64_t rows_pushed;   /* rows pushed in the round, by number */
	uint8_t nfacts, nassumed, nsliced;
	bool some_wanted, none_wanted, parted, ran_since, full, most, small;
	bool ballot_over;       /* `over` at the round's vote */
	bool some_over;         /* see Segment */
	/* a vote has found that no lane is in the loop: so far, and when the segment began */
	bool over, since_over;
	uint8_t ran, slot;
	uint32_t ran_path;
	/* Unused entries of what follows are zero. */
	uint32_t facts[MAX_FACTS];      /* terms that hold */
	Assumed_value assumed[MAX_ASSUMED];
	/* Definitions of paths that the owner has executed itself; and for each, where that path is
	 * nested (Path.around). */
	uint32_t sliced[MAX_SLICED];
	uint8_t sliced_around[MAX_SLICED];
	uint8_t order[MAX_REGIONS + 2]; /* order in which it passed the paths in `fresh`, from 1 */
	Lookahead_state lookahead;
	/* Values of registers; env_index_level() and the functions after it describe the rest. */
	Term_id env[];
} Lane_state;

/* A state in which some lane reached a label. */
typedef struct { Lane_state *lane; uint32_t hash, number; bool full; } Visited_state;

/* A lane gets from one state to another, at statement `o`, without progress (Lane.idle). */
typedef struct { uint32_t from, to, o; } Compute_edge;

typedef struct Loop_check {
	const Fn *fn;           /* the input */
	const Input_stmt *input; /* by local statement of the input */
	const Module *in, *out;
	const Func *f;          /* the output */
	Arena *arena;
	const Region *region;
	Bits common;            /* blocks of the common code */
	Input_path *paths; uint32_t npaths;
	uint32_t *path_at;      /* by block: 1 + the path that begins there */
	Bits starts;            /* opcodes with which a copy of a path may begin */
	uint32_t *path_of_region; /* by part, from 1: 1 + path */
	uint32_t nregions;

	uint32_t begin, end;    /* inserted statements of the output, [begin, end) */
	uint32_t input_end;     /* end of the input's function */
	/* by local statement of the output: the input's statement; 0 if inserted */
	const uint32_t *origin;
	const uint32_t *label;  /* by local symbol of the output: the label's statement */
	Output_reg *regs;       /* by local symbol of the output */
	Output_reg *none;       /* for symbols that are no registers of the function */
	Output_stmt *steps;     /* by inserted statement */
	VEC(Stmt_ref) stmt_refs;
	VEC(Task_label) task_labels;
	VEC(Owner_copy) slices;
	uint32_t *owned;        /* statements of paths only, by Op; NULL until built */
	VEC(Copy_series) series;
	VEC(Series_slot) series_slots;
	VEC(Straight_run) stretches;
	VEC(Straight_end) stretch_ends;
	uint32_t nemitted_registers, nsaved, nenv;
	uint32_t saved_room;    /* room for saved registers */
	bool out_of_room;       /* the room was too small: explore again with more */
	uint32_t batch;         /* largest number of common-code iterations in a batch */
	uint32_t npop_labels;   /* number of pop labels */
	/* by local symbol of the input: 1 + its number among the registers that have a copy for
	 * each iteration of the batch */
	uint32_t *batch_registers, nbatch_registers, *batch_syms;
	uint64_t *batch_live;   /* by local statement of the input, see pop_rounds.c */
	/* machine registers that are live at labels and computed from themselves */
	uint32_t *counters, ncounters;
	uint8_t *level; /* by machine register: 1 + its number among the counters; 0 if none */
	uint32_t nlevels;
	uint32_t *emitted_registers; /* symbols */
	uint32_t *copies, ncopies;      /* symbols that stand for registers of the input */
	uint32_t *uniform_copies, nuniform_copies; /* those of them that are uniform */
	const Output_reg **saved; /* saved registers, by Reg.index - 1 */
	uint32_t *region_of_path; /* by 1 + path; parts count from 1 */
	/* by part: registers of the input that have copies, by local symbol */
	Bits *copied;
	/* machine registers live at some label */
	uint64_t live_across_labels[2];
	Term_id *before;        /* by machine register: its TERM_BEFORE */
	Term_id size, threads;  /* lanes of the group, and threads of the block; 0 until made */
	uint64_t counts[2];     /* machine registers computed from themselves */
	uint64_t asked[2];      /* operands of vote.any, which tell whether lanes are in the loop */
	uint64_t divergent_writes[2]; /* written by some lanes only, anywhere */
	uint64_t may_diverge[2]; /* possibly so, according to the data flow */
	uint64_t assumed_uniform[2]; /* that a branch relied on to be uniform */
	/* a vote's Step.since has grown during the exploration */
	bool grown;
	/* By machine register, then by pop label: bit set of the tasks that a vote on it may be
	 * for. */
	uint64_t *vote_subjects;
	uint64_t left[2];       /* machine registers that were not 0 when a lane left */

	Slot_reduction reductions[MAX_REDUCTIONS]; uint32_t nreductions;
	Lane_invariant invariants[MAX_INVARIANTS]; uint32_t ninvariants;

	Terms terms;
	VEC(Buffer_row) rows;
	VEC(Sync_segment) segments;
	/* segments, by from and way: 1 + the last one; 0 if none */
	uint32_t segment_chains[SEGMENT_CHAINS];
	VEC(Counter_change) changes;
	uint32_t *change_chains; /* changes, by hash: 1 + the first one; 0 if none */
	VEC(Vote_round) rounds;
	uint32_t *round_chains; /* rounds, by hash: 1 + the last one; 0 if none */
	VEC(Sync_segment) wanted; /* votes (from, over) in which a lane may want the path */
	VEC(Reaching_value) reaching_values;
	Buffer_offset within[MOST_WITHIN]; /* cache, by address */
	Single_def only[MOST_WITHIN]; /* cache, by register and block */
	Known_place known_places[MAX_PLACED]; uint32_t nplaced; /* cache */
	VEC(Lane_state *) work_queue; /* work list, in order, so that faults are found early */
	uint32_t next_work;     /* the next one */
	VEC(Lane_state *) whole; /* lanes of full groups, which are explored last */
	uint32_t nwhole;
	Visited_state *visited; uint32_t nvisited, visited_cap; /* hash table */
	VEC(Compute_edge) idle_ways;
	Bits reached;           /* statements of the output that were reached */
	uint32_t run;           /* statements that lanes have executed */
	uint32_t stride;        /* bytes of a warp's part of the buffer */
	uint32_t limit;         /* most threads of a block, if the text tests it; 0 if not */
	uint32_t buffer;        /* its symbol */
	uint32_t mask;          /* the statement of the activemask */
	/* the branch that selects between two equivalent copies of the loop, and the mapping
	 * between them (copy_equivalence.c) */
	uint32_t twins, *twin;
	bool unlimited;         /* some lane reached the buffer without testing the block size */
	bool nothing_collected; /* nothing is collected */
	bool counts_votes; /* there is a ballot or a reduction, so a lane may wait for others */
	bool folds;             /* the text folds into slots */
	Lookahead *lookahead;   /* set if lanes look ahead, else NULL */
	bool ambiguous; /* several paths have the same source line, see scheme_recognition.c */
	bool backward;          /* of these paths, the last is tried first */
	size_t lane_size;

	const char *fault;      /* why the proof failed; NULL if it has not */
	uint32_t fault_at;      /* statement of the output */
	bool unknown;           /* the reason is an unknown form, not an error */
} Loop_check;

#endif
