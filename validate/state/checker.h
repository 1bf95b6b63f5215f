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
	MOST_MACHINE = 128,     /* machine registers: those that only the inserted text has */
	MOST_SAVED = 400,       /* task registers that are set outside of paths */
	SAVED_LATER = 16,       /* initial room for task registers other than live-ins */
	MOST_FACTS = 8,
	MOST_ASSUMED = 6,
	MOST_SLICED = 32,
	MOST_REGIONS = 30,
	MOST_PLACED = 8,
	/* steps of all lanes together: the maximum over all known loops, rounded up */
	MOST_STEPS = 400000,
	MOST_SUMS = 16,
	MOST_KEPT = 64,         /* lane invariants */
	MOST_TASKS = 64,        /* pending tasks of a lane */
	MOST_IN_TURN = 6,       /* common-code iterations in a batch; each doubles the states */
	CHAINS = 256,
	SEGMENT_CHAINS = 64,
	MOST_HEADS = 8,
	MOST_WALKS = 16,
	NO_LEVEL = 255,
	MOST_BRANCHES = 40      /* uniform branches between two votes */
};

/* A path of the input that the inserted text collects. */
typedef struct {
	const Region *region;
	/* blocks of the task: the path and, with tail capture, the code after it (extent.c) */
	Bits blocks;
	bool jumps;             /* the task includes captured code */
	Bits idle;              /* statements of the task that its copy may omit */
	uint32_t entry;         /* first statement */
	uint32_t next;          /* statement at which the owner continues */
	Bits defined;           /* registers that it defines, by local symbol */
	/* live-in symbols, and special registers with their components */
	uint32_t *inputs; uint32_t ninputs;
	uint8_t *sels;
	uint32_t *copies;                       /* their copies in the output; 0 if none */
	uint32_t *flows, nflows;                /* live-out registers */
	uint8_t *decides;       /* by definition, see owner_slice.c: 0 not known yet, 1 no, 2 yes */
	uint32_t around;        /* 1 + the enclosing collected path; 0 if none */
	uint32_t within;        /* bit set of the collected paths nested in it */
	/* First statement with an effect; 0 if that is a nested path, or there is none. `starts`
	 * lists it and the statements after it up to the first that its copy must have: the copy
	 * begins with one of these. */
	uint32_t first, *starts, nstarts;
	bool nothing;           /* a task may execute no statement at all */
} Path;

/* A row of the buffer, or one bit of a row. */
typedef struct {
	uint32_t at, size, path, sym;
	uint8_t sel;
	uint8_t bit;            /* 1 + the bit; 0 if the whole row */
	bool lanes;             /* one slot per lane: a reduction or a lane invariant */
	bool pushed, popped;
} Row;
/* Stands for a symbol: the number of the owner's lane. */
#define OWNER UINT32_MAX

/* An associative and commutative operation. held: the operand of the input's statement that holds
 * the accumulated value. */
typedef struct { uint16_t op; uint8_t type, held; } Fold;

/* A reduction of a path (reductions.c). */
typedef struct {
	uint32_t path, at;      /* the row of its slots */
	uint32_t in, out;       /* registers of the input: live-in and live-out of the path */
	Fold fold;
	Bits web;               /* registers that hold it, by local symbol */
} Sum;

/* A row, or one bit of a row, for a lane invariant (lane_invariants.c). */
typedef struct {
	uint32_t at, sym;
	uint8_t size, bit;      /* 1 + the bit; 0 if the whole row */
} Kept;

/* What a group executes between two synchronization points (votes, barriers, or labels that all
 * lanes reach together), identified by the start and the uniform branches taken since. */
typedef struct {
	/* the start (0: the entry), and a hash of the branches taken */
	uint32_t from, way;
	/* a uniform branch after a divergent one, and its direction; 0 if none */
	uint32_t agreed;
	bool agreed_taken;
	/* whether a vote has found that no lane is in the loop, at the start and at the end */
	bool over, to_over;
	uint32_t to;            /* the next synchronization point, or LEAVES */
	uint64_t did;           /* DID_ bits by path */
	bool ran;
	uint32_t some; /* the vote that showed that some lane wants the path; 0 if none is needed */
	bool some_over;
	uint32_t next;          /* 1 + the next in its chain of Site.begins; 0 if none */
} Segment;
#define LEAVES UINT32_MAX
/* Stands for a part: copies of uniform registers are recomputed. */
#define AT_ENTRY UINT32_MAX
#define DID_POP(path) (UINT64_C(1) << (path))
#define DID_PUSH(path) (UINT64_C(1) << (32 + (path)))
/* Stand for a path in DID_ bits. OF_SUMS: reduction slots are set or read (push), and folded into
 * (pop). OF_KEPT: lane invariants are stored (push), and loaded (pop). */
#define OF_SUMS 31
#define OF_KEPT 30

/* How a round changed a task counter, as one lane saw it. */
typedef struct {
	uint32_t ballot, counter;
	Term_id now; /* its value now; TERM_BEFORE of the counter is the value at the start */
	Term_id votes;
	uint32_t wish;          /* see Lane */
	uint32_t base; /* 1 + the counter from which slots were computed; 0 if none was used */
	uint32_t facts[MOST_FACTS]; uint8_t nfacts;
	bool wanted, nobody, full;
	/* Its value at the start was below this multiple of the group size; NO_LEVEL if unknown. */
	uint8_t level;
	uint64_t pushed;        /* rows, by number */
	uint8_t ran;            /* Ran */
	uint8_t slot;           /* Slot_form of the popped task */
	uint32_t path;          /* 1 + the path that was run */
	uint32_t stmt;          /* where the round ended */
	uint32_t next;          /* 1 + the next in its chain of Site.chains; 0 if none */
} Change;

/* A completed round: what a lane did, the value of each counter, then the counters' levels. */
typedef struct {
	Change did;             /* its counter and `now` are unused */
	Term_id *held;
	uint32_t next;          /* 1 + the next in its chain of Site.ends; 0 if none */
} Round;

typedef enum { RAN_NOT, RAN_OWN, RAN_POPPED, RAN_EITHER } Ran;
/* SLOT_LEAST: the last slots, but not below slot 0. */
typedef enum {
	SLOT_NONE,
	SLOT_ON_TOP,
	SLOT_BELOW_TOP,
	SLOT_LAST,
	SLOT_LEAST,
	SLOT_FIRST
} Slot_form;

typedef struct { uint32_t sym; bool value; } Assumed;

/* Cached: whether a register still holds at the entry of a block what a statement read from it. */
typedef struct { uint32_t stmt, sym, block; bool yes; } Last;

/* Cached: the only definition that reaches a block; 0 if there is none. */
typedef struct { uint32_t sym, block, def; } Only;

/* The abstract state of a lane between two statements of the output. */
typedef struct Lane {
	uint32_t o;             /* next statement of the output */
	uint32_t at;            /* next statement of the input, in its own iteration */
	uint32_t task, task_at; /* 1 + the path that it runs, and the input's statement there */
	uint32_t ended;         /* the input's statement that ended the thread */
	uint64_t hand;          /* bit set of its pending tasks, see task_number() */
	uint32_t fresh;         /* paths passed since its last statement of common code */
	uint32_t turn;          /* common-code iterations begun since the last vote, minus one */
	uint32_t sync, way;     /* see Segment.from, way */
	uint32_t some;          /* see Segment */
	uint32_t branches;      /* since the last vote or barrier; not part of the state */
	/* 1 + its last state, if it has made no progress since: executed no statement of the input,
	 * and reached no vote that counts as progress (must_step() in collectives.c) */
	uint32_t idle;
	uint32_t agreed, agreed_taken;  /* see Segment */
	uint64_t did;           /* see Segment */
	/* reductions, by number: slot initialized, result of a run folded, slot read, value given
	 * to the live-out register, value forwarded past a path */
	uint32_t begun, folded, loaded, given, handed;
	uint64_t keeps;         /* stored lane invariants, by number in Site.lasting */
	/* machine registers: varying, and written by all lanes since `sync` */
	uint64_t varies[2], made[2];
	uint64_t wrote[2];      /* written by some lanes only since the last vote or barrier */
	uint64_t holds[2];      /* machine registers with a known value (env is not 0) */
	uint32_t ballot;        /* the vote or pop label that began the round; 0 if none */
	Term_id votes;          /* 0 after a pop label */
	uint32_t wish;          /* 1 + the register voted on, in Site.wants; 0 if none */
	uint32_t base;          /* see Change */
	uint64_t rows;          /* rows pushed in the round, by number */
	uint8_t nfacts, nassumed, nsliced;
	bool wanted, nobody, parted, ran_since, full, most, small;
	bool ballot_over;       /* `over` at the round's vote */
	bool some_over;         /* see Segment */
	/* a vote has found that no lane is in the loop: so far, and when the segment began */
	bool over, since_over;
	uint8_t ran, slot;
	uint32_t ran_path;
	/* Unused entries of what follows are zero. */
	uint32_t facts[MOST_FACTS];     /* terms that hold */
	Assumed assumed[MOST_ASSUMED];
	/* Definitions of paths that the owner has executed itself; and for each, where that path is
	 * nested (Path.around). */
	uint32_t sliced[MOST_SLICED];
	uint8_t sliced_around[MOST_SLICED];
	uint8_t order[MOST_REGIONS + 2]; /* order in which it passed the paths in `fresh`, from 1 */
	Looking look;
	/* Values of registers; env_level() and the functions after it describe the rest. */
	Term_id env[];
} Lane;

/* A state in which some lane reached a label. */
typedef struct { Lane *lane; uint32_t hash, number; bool full; } Seen;

/* A lane gets from one state to another, at statement `o`, without progress (Lane.idle). */
typedef struct { uint32_t from, to, o; } Idle_way;

typedef struct Site {
	const Fn *fn;           /* the input */
	const Input *input;     /* by local statement of the input */
	const Module *in, *out;
	const Func *f;          /* the output */
	Arena *arena;
	const Region *region;
	Bits own;               /* blocks of the common code */
	Path *paths; uint32_t npaths;
	uint32_t *path_at;      /* by block: 1 + the path that begins there */
	Bits starts;            /* opcodes with which a copy of a path may begin */
	uint32_t *path_of_part; /* by part, from 1: 1 + path */
	uint32_t nparts;

	uint32_t begin, end;    /* inserted statements of the output, [begin, end) */
	uint32_t behind;        /* end of the input's function */
	/* by local statement of the output: the input's statement; 0 if inserted */
	const uint32_t *origin;
	const uint32_t *label;  /* by local symbol of the output: the label's statement */
	Reg *regs;              /* by local symbol of the output */
	Reg *none;              /* for symbols that are no registers of the function */
	Step *steps;            /* by inserted statement */
	VEC(Step_ref) refs;
	VEC(Task_label) task_labels;
	VEC(Slice) slices;
	uint32_t *owned;        /* statements of paths only, by Op; NULL until built */
	VEC(Series) series;
	VEC(Series_slot) series_slots;
	VEC(Stretch) stretches;
	VEC(Stretch_end) stretch_ends;
	uint32_t nmachine, nsaved, nenv;
	uint32_t room;          /* room for saved registers */
	bool narrow;            /* the room was too small: explore again with more */
	uint32_t turns;         /* largest number of common-code iterations in a batch */
	uint32_t nheads;        /* number of pop labels */
	/* by local symbol of the input: 1 + its number among the registers that have a copy for
	 * each iteration of the batch */
	uint32_t *turned, nturned, *turned_syms;
	uint64_t *turned_live;  /* by local statement of the input, see pop_rounds.c */
	/* machine registers that are live at labels and computed from themselves */
	uint32_t *counters, ncounters;
	uint8_t *level; /* by machine register: 1 + its number among the counters; 0 if none */
	uint32_t nlevels;
	uint32_t *machine;      /* symbols */
	uint32_t *copies, ncopies;      /* symbols that stand for registers of the input */
	uint32_t *agains, nagains;      /* those of them that are uniform */
	const Reg **saved;      /* saved registers, by Reg.index - 1 */
	uint32_t *part_of_path; /* by 1 + path; parts count from 1 */
	/* by part: registers of the input that have copies, by local symbol */
	Bits *copied;
	/* machine registers live at some label */
	uint64_t kept[2];
	Term_id *before;        /* by machine register: its TERM_BEFORE */
	Term_id size, threads;  /* lanes of the group, and threads of the block; 0 until made */
	uint64_t counts[2];     /* machine registers computed from themselves */
	uint64_t asked[2];      /* operands of vote.any, which tell whether lanes are in the loop */
	uint64_t split[2];      /* written by some lanes only, anywhere */
	uint64_t apart[2];      /* possibly so, according to the data flow */
	uint64_t trusted[2];    /* that a branch relied on to be uniform */
	/* a vote's Step.since has grown during the exploration */
	bool grown;
	/* By machine register, then by pop label: bit set of the tasks that a vote on it may be
	 * for. */
	uint64_t *wants;
	uint64_t left[2];       /* machine registers that were not 0 when a lane left */

	Sum sums[MOST_SUMS]; uint32_t nsums;
	Kept lasting[MOST_KEPT]; uint32_t nlasting;

	Terms terms;
	VEC(Row) rows;
	VEC(Segment) segments;
	/* segments, by from and way: 1 + the last one; 0 if none */
	uint32_t begins[SEGMENT_CHAINS];
	VEC(Change) changes;
	uint32_t *chains;       /* changes, by hash: 1 + the first one; 0 if none */
	VEC(Round) rounds;
	uint32_t *ends;         /* rounds, by hash: 1 + the last one; 0 if none */
	VEC(Segment) wanted;    /* votes (from, over) in which a lane may want the path */
	VEC(Last) lasts;
	Within within[MOST_WITHIN];     /* cache, by address */
	Only only[MOST_WITHIN]; /* cache, by register and block */
	Placed placed[MOST_PLACED]; uint32_t nplaced;   /* cache */
	VEC(Lane *) todo;       /* work list, in order, so that faults are found early */
	uint32_t ntodo;         /* the next one */
	VEC(Lane *) whole;      /* lanes of full groups, which are explored last */
	uint32_t nwhole;
	Seen *seen; uint32_t nseen, seen_cap; /* hash table */
	VEC(Idle_way) idle_ways;
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
	bool bound;             /* nothing is collected */
	bool counts_votes; /* there is a ballot or a reduction, so a lane may wait for others */
	bool folds;             /* the text folds into slots */
	Ahead *ahead;           /* set if lanes look ahead, else NULL */
	bool ambiguous; /* several paths have the same source line, see scheme_recognition.c */
	bool backward;          /* of these paths, the last is tried first */
	size_t lane_size;

	const char *why;        /* why the proof failed; NULL if it has not */
	uint32_t why_at;        /* statement of the output */
	bool unknown;           /* the reason is an unknown form, not an error */
} Site;

#endif
