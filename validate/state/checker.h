/* SPDX-License-Identifier: MIT */
/* What the parts of the validator share while they look at one transformed loop; what they give
 * each other is in parts.h. Internal to validate/. */
#ifndef VALIDATE_STATE_CHECKER_H
#define VALIDATE_STATE_CHECKER_H

#include "analysis/region/region.h"
#include "base/buf.h"
#include "validate/state/lookahead.h"
#include "validate/state/statements.h"
#include "validate/state/terms.h"

enum {
	MOST_MACHINE = 128,     /* registers of the inserted text's own */
	MOST_SAVED = 400,       /* registers of tasks that a lane sets outside of paths */
	SAVED_LATER = 16,       /* of those, beside what comes into paths */
	MOST_FACTS = 8,
	MOST_ASSUMED = 6,
	MOST_SLICED = 32,
	MOST_REGIONS = 30,
	MOST_PLACED = 8,
	MOST_STEPS = 400000,    /* of lanes, in all: about what the most of any known loop are */
	MOST_SUMS = 16,
	MOST_KEPT = 64,         /* values that lanes keep while the loop runs */
	MOST_TASKS = 64,        /* that a lane may have in hand */
	MOST_IN_TURN = 6,       /* in several own parts: there are two states for each */
	CHAINS = 256,
	SEGMENT_CHAINS = 64,
	MOST_HEADS = 8,
	MOST_WALKS = 16,
	NO_LEVEL = 255,
	MOST_BRANCHES = 40      /* that all lanes take, from one vote to the next */
};

/* A path of the input that the inserted text collects. */
typedef struct {
	const Region *region;
	Bits blocks;            /* of the task: the path's, and what is behind it: extent.c */
	bool jumps;             /* there is such */
	Bits idle;              /* statements of the task that its copy need not have */
	uint32_t entry;         /* statement */
	uint32_t next;          /* statement at which the owner goes on */
	Bits defined;           /* registers, by local symbol */
	uint32_t *inputs; uint32_t ninputs;     /* symbols, and special registers with components */
	uint8_t *sels;
	uint32_t *copies;                       /* of the output, that stand for them; 0: none */
	uint32_t *flows, nflows;                /* registers that flow out of it */
	uint8_t *decides;       /* by definition: owner_slice.c; 0: not known yet, 1: no, 2: yes */
	uint32_t around;        /* 1 + the collected path that it stands in; 0: none */
	uint32_t within;        /* those that stand in it, a bit each */
	/* Statement that does something first; 0: that is a path, or nothing in it does. And those
	 * behind it, as long as its copy need not have them: one of these is the copy's first. */
	uint32_t first, *starts, nstarts;
	bool nothing;           /* a task need not run any statement */
} Path;

/* A row of the buffer, or a bit of one. */
typedef struct {
	uint32_t at, size, path, sym;
	uint8_t sel;
	uint8_t bit;            /* 1 + its bit; 0: the whole */
	bool lanes;             /* a slot for each lane: of a reduction, or what it keeps */
	bool pushed, popped;
} Row;
/* In place of a symbol: the number of the lane that came to the path. */
#define OWNER UINT32_MAX

/* An operation that is associative and commutative; held: the operand that it is folded to, in the
 * input. */
typedef struct { uint16_t op; uint8_t type, held; } Fold;

/* A reduction of a path: see sums.c. */
typedef struct {
	uint32_t path, at;      /* the row of its slots */
	uint32_t in, out;       /* registers of the input: that come into the path, and out of it */
	Fold fold;
	Bits web;               /* registers that hold it, by local symbol */
} Sum;

/* A row, or a bit of one, in which each lane keeps a register of the input: see lasting.c. */
typedef struct {
	uint32_t at, sym;
	uint8_t size, bit;      /* 1 + its bit; 0: the whole */
} Kept;

/* What lanes do between two votes or barriers, or labels that all of them come to together: from
 * `from`, by branches that all of them take alike. */
typedef struct {
	/* statement (0: the entry) and a sum of the branches, and whether a vote on who is in has
	 * failed */
	uint32_t from, way;
	/* a branch behind those that part lanes, on what all agree on; 0: none; which way */
	uint32_t agreed;
	bool agreed_taken;
	bool over, to_over;     /* that, at its beginning and at its end */
	uint32_t to;            /* the next one; LEAVES */
	uint64_t did;           /* DID_ bits by path */
	bool ran;
	uint32_t some;          /* the vote that some lane wants the path in; 0: none need */
	bool some_over;
	uint32_t next;          /* 1 + the next one in its chain of Site.begins; 0: none */
} Segment;
#define LEAVES UINT32_MAX
/* In place of a part: the registers that are the same in all lanes are set. */
#define AT_ENTRY UINT32_MAX
#define DID_POP(path) (UINT64_C(1) << (path))
#define DID_PUSH(path) (UINT64_C(1) << (32 + (path)))
/* In place of a path: slots of reductions are set, or read; something is folded into them. What
 * lanes keep is stored; it is read. */
#define OF_SUMS 31
#define OF_KEPT 30

/* How a round changed a counter of tasks, as some lane saw it. */
typedef struct {
	uint32_t ballot, counter;
	Term_id now;            /* what it holds; TERM_BEFORE of it is what it held */
	Term_id votes;
	uint32_t wish;          /* see Lane */
	uint32_t base;          /* 1 + the counter that slots were counted from; 0: none was used */
	uint32_t facts[MOST_FACTS]; uint8_t nfacts;
	bool wanted, nobody, full;
	/* What it held was below that many times the lanes; NO_LEVEL: that is not known. */
	uint8_t level;
	uint64_t pushed;        /* rows, by their number */
	uint8_t ran;            /* Ran */
	uint8_t slot;           /* Slot_form of what was popped */
	uint32_t path;          /* that was run, plus 1 */
	uint32_t stmt;          /* where the round ended */
	uint32_t next;          /* 1 + the next one in its chain of Site.chains; 0: none */
} Change;

/* A round that has ended: what a lane did in it; what each counter held, their levels, and those
 * behind it. */
typedef struct {
	Change did;             /* counter, now and level are none's */
	Term_id *held;
	uint32_t next;          /* 1 + the next one in its chain of Site.ends; 0: none */
} Round;

typedef enum { RAN_NOT, RAN_OWN, RAN_POPPED, RAN_EITHER } Ran;
/* LEAST: the last ones, from slot 0 on at least. */
typedef enum {
	SLOT_NONE,
	SLOT_ON_TOP,
	SLOT_BELOW_TOP,
	SLOT_LAST,
	SLOT_LEAST,
	SLOT_FIRST
} Slot_form;

typedef struct { uint32_t sym; bool value; } Assumed;

/* Does a register hold, at the entry of a block, what a statement has read of it? */
typedef struct { uint32_t stmt, sym, block; bool yes; } Last;

/* The definition that alone reaches a block; 0: there is none. */
typedef struct { uint32_t sym, block, def; } Only;

/* A lane between two statements of the output. */
typedef struct Lane {
	uint32_t o;             /* the output's statement that comes next */
	uint32_t at;            /* the input's, in its own iteration */
	uint32_t task, task_at; /* 1 + the path that it runs, and the input's statement there */
	uint32_t ended;         /* the input's statement by which the thread ended */
	uint64_t hand;          /* tasks that it has, by number: see task_number */
	uint32_t fresh;         /* paths that it has come past since its last own statement */
	uint32_t turn;          /* own parts that it has begun since the last vote, but one */
	uint32_t sync, way;     /* see Segment */
	uint32_t some;          /* see Segment */
	uint32_t branches;      /* since the last vote or barrier; no part of the state */
	/* 1 + its last state, if it has run no statement of the input since, and no vote that is
	 * enough (must_step() in votes.c); likewise */
	uint32_t idle;
	uint32_t agreed, agreed_taken;
	uint64_t did;
	/* reductions, by number: its slot is set; a run's result is folded; its slot is read, and
	 * given to the register that is live; it is handed on past a path */
	uint32_t begun, folded, loaded, given, handed;
	uint64_t keeps;         /* it has stored, by number in Site.lasting */
	/* machine registers: not the same in all lanes; written since sync by all */
	uint64_t varies[2], made[2];
	uint64_t wrote[2];      /* by some alone, since the last vote or barrier */
	uint64_t holds[2];      /* those that hold something: env is not 0 */
	uint32_t ballot;        /* the vote, or the label of pops, that began the round; 0: none */
	Term_id votes;          /* none's, of the latter */
	uint32_t wish;          /* 1 + what the vote was on, in Site.wants; 0: none */
	uint32_t base;          /* see Change */
	uint64_t rows;          /* that were pushed in the round, by their number */
	uint8_t nfacts, nassumed, nsliced;
	bool wanted, nobody, parted, ran_since, full, most, small;
	bool ballot_over;       /* over, at the round's vote */
	bool some_over;         /* see Segment */
	bool over, since_over;  /* a vote on who is in has failed: in all; when the segment began */
	uint8_t ran, slot;
	uint32_t ran_path;
	/* What follows is zero where it is not in use. */
	uint32_t facts[MOST_FACTS];     /* terms that hold */
	Assumed assumed[MOST_ASSUMED];
	/* definitions of paths that the owner has run for itself; where those paths stand: see
	 * Path.around */
	uint32_t sliced[MOST_SLICED];
	uint8_t sliced_around[MOST_SLICED];
	uint8_t order[MOST_REGIONS + 2];        /* in which it came past the fresh ones, from 1 */
	Looking look;
	/* What registers hold; behind that see env_level and those that follow. */
	Term_id env[];
} Lane;

/* A state that some lane was in at a label. */
typedef struct { Lane *lane; uint32_t hash, number; bool full; } Seen;

/* From one state a lane comes to another one, at `o`, without progress on the way: Lane.idle. */
typedef struct { uint32_t from, to, o; } Idle_way;

typedef struct Site {
	const Fn *fn;           /* of the input */
	const Input *input;     /* by local statement of the input */
	const Module *in, *out;
	const Func *f;          /* of the output */
	Arena *arena;
	const Region *region;
	Bits own;               /* blocks */
	Path *paths; uint32_t npaths;
	uint32_t *path_at;      /* by block: 1 + the path whose entry it is */
	Bits starts;            /* opcodes with which a copy of a path may begin */
	uint32_t *path_of_part; /* from 1: 1 + path */
	uint32_t nparts;

	uint32_t begin, end;    /* the inserted statements of the output, [begin, end) */
	uint32_t behind;        /* the function of the input: its statements end in front of that */
	/* by local statement of the output: the input's; 0: it is inserted */
	const uint32_t *origin;
	const uint32_t *label;  /* by local symbol of the output: the statement of a label */
	Reg *regs;              /* by local symbol of the output */
	Reg *none;              /* of what is no register of the function */
	Step *steps;            /* by inserted statement */
	VEC(Step_ref) refs;
	VEC(Task_label) task_labels;
	VEC(Slice) slices;
	uint32_t *owned;        /* of them, those that are of paths alone, by Op; NULL: not yet */
	VEC(Series) series;
	VEC(Series_slot) series_slots;
	VEC(Stretch) stretches;
	VEC(Stretch_end) stretch_ends;
	uint32_t nmachine, nsaved, nenv;
	uint32_t room;          /* for those that are saved */
	bool narrow;            /* that was too little: all is to be walked once more */
	uint32_t turns;         /* own parts in a round, at most */
	uint32_t nheads;        /* labels of pops */
	/* by local symbol of the input: 1 + its number among those that others stand for in turn */
	uint32_t *turned, nturned, *turned_syms;
	uint64_t *turned_live;  /* by local statement of the input: see pop_rounds.c */
	uint32_t *counters, ncounters;  /* machine registers: kept, and computed from themselves */
	uint8_t *level;         /* by machine register: 1 + its number among counters; 0: none */
	uint32_t nlevels;
	uint32_t *machine;      /* symbols */
	uint32_t *copies, ncopies;      /* symbols that stand for others */
	uint32_t *agains, nagains;      /* those of them that are the same in all lanes */
	const Reg **saved;      /* those that are saved, by Reg.index - 1 */
	uint32_t *part_of_path; /* 1 + path: from 1 */
	/* by part: the input's registers, by local symbol, that others stand for */
	Bits *copied;
	/* machine registers that are read before they are written behind some label */
	uint64_t kept[2];
	Term_id *before;        /* by machine register: TERM_BEFORE of it */
	Term_id size, threads;  /* how many lanes there are; of a block; 0: not made yet */
	uint64_t counts[2];     /* that are computed from themselves */
	uint64_t asked[2];      /* that lanes vote on with vote.any: whether they are in the loop */
	uint64_t split[2];      /* that some lanes alone have written, anywhere */
	uint64_t apart[2];      /* or might, as it looks */
	uint64_t trusted[2];    /* that a branch took for the same in all lanes */
	/* a vote was seen to be behind more of them than before: Step.since */
	bool grown;
	/* By machine register, and behind those by label of pops: the tasks, by number, for which
	 * it may be the wish. */
	uint64_t *wants;
	uint64_t left[2];       /* machine registers that did not hold 0 when a lane left */

	Sum sums[MOST_SUMS]; uint32_t nsums;
	Kept lasting[MOST_KEPT]; uint32_t nlasting;

	Terms terms;
	VEC(Row) rows;
	VEC(Segment) segments;
	uint32_t begins[SEGMENT_CHAINS]; /* of them, by from and way: 1 + the last one; 0 */
	VEC(Change) changes;
	uint32_t *chains;       /* of them, by what they are: 1 + the first one; 0 */
	VEC(Round) rounds;
	uint32_t *ends;         /* of them, by what they are: 1 + the last one; 0 */
	VEC(Segment) wanted;    /* votes (from, over) in which a lane may want the path */
	VEC(Last) lasts;
	Within within[MOST_WITHIN];     /* by address, found lately */
	Only only[MOST_WITHIN]; /* by register and block, likewise */
	Placed placed[MOST_PLACED]; uint32_t nplaced;   /* found lately */
	VEC(Lane *) todo;       /* in the order in which they are looked at: faults are near */
	uint32_t ntodo;         /* the next one */
	VEC(Lane *) whole;      /* those that come last */
	uint32_t nwhole;
	Seen *seen; uint32_t nseen, seen_cap; /* a hash table */
	VEC(Idle_way) idle_ways;
	Bits reached;           /* output statements */
	uint32_t run;           /* statements that lanes have run */
	uint32_t stride;        /* of the buffer: bytes of a warp's part */
	uint32_t limit;         /* threads that a block has at most, if lanes asked; 0 */
	uint32_t buffer;        /* its symbol */
	uint32_t mask;          /* statement: the activemask */
	/* the branch to one of two copies that do the same, and what is what in them:
	 * copy_equivalence.c */
	uint32_t twins, *twin;
	bool unlimited;         /* some lane came to the buffer without asking */
	bool bound;             /* nothing is collected */
	bool counts_votes;      /* a ballot or a reduction: a lane may wait for others */
	bool folds;             /* the text folds something into slots */
	Ahead *ahead;           /* lanes look ahead; NULL: they do not */
	bool ambiguous;         /* several paths are in one line: see scheme_recognition.c */
	bool backward;          /* the last of them is taken first */
	size_t lane_size;

	const char *why;        /* it does not hold; NULL: it may */
	uint32_t why_at;        /* statement of the output */
	bool unknown;           /* why is about a form that is not known */
} Site;

#endif
