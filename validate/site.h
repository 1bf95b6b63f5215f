/* SPDX-License-Identifier: MIT */
/* What the parts of the validator share while they look at one transformed loop. Internal to
 * validate/. */
#ifndef VALIDATE_SITE_H
#define VALIDATE_SITE_H

#include "analysis/region.h"
#include "base/buf.h"
#include "validate/statements.h"
#include "validate/term.h"

enum {
	MOST_MACHINE = 128,     /* registers of the inserted text's own */
	MOST_SAVED = 192,       /* registers of tasks that a lane sets outside of paths */
	MOST_FACTS = 8,
	MOST_ASSUMED = 6,
	MOST_SLICED = 32,
	MOST_REGIONS = 30,
	MOST_PLACED = 8,
	MOST_STEPS = 40000,     /* of lanes, in all: twice what the most of any known loop are */
	MOST_SUMS = 16,
	MOST_BRANCHES = 40      /* that all lanes take, from one vote to the next */
};

/* A path of the input that the inserted text collects. */
typedef struct {
	const Region *region;
	uint32_t entry;         /* statement */
	uint32_t next;          /* statement at which the owner goes on */
	Bits defined;           /* registers, by local symbol */
	uint32_t *inputs; uint32_t ninputs;     /* symbols, and special registers with components */
	uint8_t *sels;
	uint32_t *copies;                       /* of the output, that stand for them; 0: none */
	uint32_t *flows, nflows;                /* registers that flow out of it */
	uint32_t around;        /* 1 + the collected path that it stands in; 0: none */
	/* Statement that does something first; 0: that is a path, or nothing in it does. */
	uint32_t first;
} Path;

/* A row of the buffer, or a bit of one. */
typedef struct {
	uint32_t at, size, path, sym;
	uint8_t sel;
	uint8_t bit;            /* 1 + its bit; 0: the whole */
	bool sum;               /* slots of a reduction */
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
} Segment;
enum { LEAVES = UINT32_MAX };
/* In place of a part: the registers that are the same in all lanes are set. */
#define AT_ENTRY UINT32_MAX
#define DID_POP(path) (UINT64_C(1) << (path))
#define DID_PUSH(path) (UINT64_C(1) << (32 + (path)))
/* In place of a path: slots of reductions are set, or read; something is folded into them. */
#define OF_SUMS 31

/* How a round changed a counter of tasks, as some lane saw it. */
typedef struct {
	uint32_t ballot, counter;
	Term_id now;            /* what it holds; TERM_BEFORE of it is what it held */
	Term_id votes;
	uint32_t base;          /* 1 + the counter that slots were counted from; 0: none was used */
	uint32_t facts[MOST_FACTS]; uint8_t nfacts;
	bool wanted, nobody, full;
	uint64_t pushed;        /* rows, by their number */
	uint8_t ran;            /* Ran */
	uint8_t slot;           /* Slot_form of what was popped */
	uint32_t path;          /* that was run, plus 1 */
	uint32_t stmt;          /* where the round ended */
} Change;

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

/* A lane between two statements of the output. */
typedef struct {
	uint32_t o;             /* the output's statement that comes next */
	uint32_t at;            /* the input's, in its own iteration */
	uint32_t task, task_at; /* 1 + the path that it runs, and the input's statement there */
	uint32_t ended;         /* the input's statement by which the thread ended */
	/* paths: it has a task of; that it has come past since its last own statement */
	uint32_t hand, fresh;
	uint32_t sync, way;     /* see Segment */
	uint32_t some;          /* see Segment */
	uint32_t branches;      /* since the last vote or barrier; no part of the state */
	uint32_t agreed, agreed_taken;
	uint64_t did;
	/* reductions, by number: its slot is set; a run's result is folded; its slot is read, and
	 * given to the register that is live; it is handed on past a path */
	uint32_t begun, folded, loaded, given, handed;
	/* machine registers: not the same in all lanes; written since sync by all */
	uint64_t varies[2], made[2];
	uint32_t ballot;        /* of the round; 0: none */
	Term_id votes;
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
	Term_id env[];
} Lane;

/* A state that some lane was in at a label. */
typedef struct { Lane *lane; uint32_t hash; } Seen;

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
	uint32_t *path_of_part; /* from 1: 1 + path */
	uint32_t nparts;

	uint32_t begin, end;    /* the inserted statements of the output, [begin, end) */
	/* by local statement of the output: the input's; 0: it is inserted */
	const uint32_t *origin;
	const uint32_t *label;  /* by local symbol of the output: the statement of a label */
	Reg *regs;              /* by local symbol of the output */
	Reg *none;              /* of what is no register of the function */
	Step *steps;            /* by inserted statement */
	VEC(Step_ref) refs;
	VEC(Slice) slices;
	uint32_t nmachine, nsaved, nenv;
	uint32_t *machine;      /* symbols */
	uint64_t all[2];        /* of them */
	uint32_t *copies, ncopies;      /* symbols that stand for others */
	uint32_t *part_of_path; /* 1 + path: from 1 */
	/* by part: the input's registers, by local symbol, that others stand for */
	Bits *copied;
	/* machine registers that are read before they are written behind some label */
	uint64_t kept[2];
	Term_id *before;        /* by machine register: TERM_BEFORE of it */
	uint64_t counts[2];     /* that are computed from themselves */
	uint64_t split[2];      /* that some lanes alone have written */
	uint64_t apart[2];      /* or might, as it looks */
	uint64_t trusted[2];    /* that a branch took for the same in all lanes */
	uint32_t *wants;        /* by machine register: the paths for which it may be the wish */
	uint64_t left[2];       /* machine registers that did not hold 0 when a lane left */

	Sum sums[MOST_SUMS]; uint32_t nsums;

	Terms terms;
	VEC(Row) rows;
	VEC(Segment) segments;
	VEC(Change) changes;
	VEC(Segment) wanted;    /* votes (from, over) in which a lane may want the path */
	VEC(Last) lasts;
	Placed placed[MOST_PLACED]; uint32_t nplaced;   /* found lately */
	VEC(Lane *) todo;       /* in the order in which they are looked at: faults are near */
	uint32_t ntodo;         /* the next one */
	Seen *seen; uint32_t nseen, seen_cap; /* a hash table */
	Bits reached;           /* output statements */
	uint32_t run;           /* statements that lanes have run */
	uint32_t stride;        /* of the buffer: bytes of a warp's part */
	uint32_t limit;         /* threads that a block has at most, if lanes asked; 0 */
	uint32_t buffer;        /* its symbol */
	uint32_t mask;          /* statement: the activemask */
	bool unlimited;         /* some lane came to the buffer without asking */
	bool bound;             /* nothing is collected */
	bool ambiguous;         /* several paths are in one line: see form.c */
	bool backward;          /* the last of them is taken first */
	/* a register that was trusted is split: all is to be walked once more */
	bool again;
	size_t lane_size;

	const char *why;        /* it does not hold; NULL: it may */
	uint32_t why_at;        /* statement of the output */
	bool unknown;           /* why is about a form that is not known */
} Site;

/* Says what is wrong; always false. */
bool site_fault(Site *s, uint32_t stmt, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* The same, of something that the validator does not know. */
bool site_unknown(Site *s, uint32_t stmt, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static inline Reg *
site_reg(const Site *s, uint32_t sym)
{
	return ptx_has_sym(s->f, sym) ? &s->regs[ptx_local_sym(s->f, sym)] : s->none;
}

static inline const Input *
input_at(const Site *s, uint32_t stmt)
{
	return &s->input[ptx_local_stmt(s->fn->f, stmt)];
}

static inline Step *step_at(const Site *s, uint32_t stmt) { return &s->steps[stmt - s->begin]; }
#define STEP_REFS(s, stmt, r) \
	for (const Step_ref *r = (s)->refs.at + step_at(s, stmt)->refs, \
			    *r##_end = r + step_at(s, stmt)->nrefs; \
		r < r##_end; r++)
/* Operand k, below 4; the statement has it. */
static inline const Opnd *
step_operand(const Site *s, uint32_t stmt, uint32_t k)
{
	return &s->out->opnds[step_at(s, stmt)->opnd[k]];
}

/* decode.c: reads the inserted text's statements */
void decode(Site *s);
/* Where the n-th way of a branch leads, in the inserted text; 0: elsewhere. False: it has none. */
bool step_way(const Site *s, uint32_t stmt, uint32_t n, uint32_t *to);
static inline bool
step_target(const Site *s, uint32_t stmt, uint32_t n, uint32_t *to)
{
	const Step *k = step_at(s, stmt);

	if (k->op == OP_BRX)
		return step_way(s, stmt, n, to);
	*to = k->to;
	return k->to && n == 0;
}

/* form.c: what the text says that it collects; false: its form is not known */
bool form_read(Site *s);

/* cursor.c: the input, as a lane goes through it */
Input *cursor_read(const Fn *fn, Arena *a);
bool cursor_init(Site *s);
/* Goes on to the next statement that does something, by way of labels and branches that all take;
 * paths that are collected are taken to hand. False: a fault. */
bool cursor_settle(Site *s, Lane *l);
/* The same without paths. */
uint32_t cursor_plain(const Site *s, uint32_t stmt);
/* The statement of a path that does something first; 0: see Path. */
uint32_t cursor_first(Site *s, uint32_t path);
/* Is the lane at a branch of the input that it may take or not? */
uint32_t cursor_branch(const Site *s, const Lane *l);
/* Takes the branch or does not. */
bool cursor_take(Site *s, Lane *l, bool taken);
/* Is the lane in its loop still? */
bool cursor_inside(const Site *s, const Lane *l);
/* Is a register of the input read from a statement on, before it is written? */
bool cursor_live(const Site *s, uint32_t stmt, uint32_t sym);
static inline uint32_t *cursor_of(Lane *l) { return l->task ? &l->task_at : &l->at; }
static inline uint32_t cursor_now(const Lane *l) { return l->task ? l->task_at : l->at; }

/* match.c: is a statement of the output a copy of one of the input? */
/* part: of the task whose registers stand for the input's; 0: own. guarded: the copy's guard is
 * looked at. */
bool match_stmt(const Site *s, uint32_t out, uint32_t in, uint32_t part, bool guarded);
/* Is the register of the output, in a copy for that part, the input's symbol? */
bool match_sym(const Site *s, uint32_t out, uint32_t in, uint32_t part);

/* inserted.c: the inserted text's own statements that compute */
/* What a predicate of the output holds: constant, or not known. */
Term_id inserted_predicate(Site *s, Lane *l, uint32_t sym);
/* What operand k holds; 0: nothing, which is a fault. */
Term_id inserted_operand(Site *s, Lane *l, uint32_t stmt, uint32_t k);
void inserted_set(Site *s, Lane *l, uint32_t sym, Term_id value, bool varies);
bool inserted_compute(Site *s, Lane *l, uint32_t stmt);
/* The k-th word of the opcode, from 0. */
bool inserted_word_is(const Site *s, uint32_t stmt, uint32_t k, const char *word);
/* Does the register vary between lanes? */
bool inserted_varies(const Site *s, const Lane *l, uint32_t sym);

/* votes.c: votes and barriers */
/* Runs one of the text's own statements that is no branch; its guard holds. */
bool votes_run(Site *s, Lane *l, uint32_t stmt);
/* At a label. Where no branch has parted them all lanes that came together are there: so it ends a
 * segment, as a vote or a barrier does. And a round is over where nothing of it can come any more.
 * What lanes have done before needs not be told apart behind that. */
bool votes_pass(Site *s, Lane *l);
bool votes_leave(Site *s, Lane *l, uint32_t stmt);

/* assume.c: what is known of terms, and the end of a round */
/* Takes a truth for granted; false: it cannot be (no fault). */
bool assume_truth(Site *s, Lane *l, Term_id truth, bool value);
/* Was all done that the round's vote has asked for? */
bool round_ended(const Site *s, const Lane *l);
/* The round is over: counters are compared with what was done. to: the vote that ends it, or 0;
 * UINT32_MAX: some vote will. */
void round_close(Site *s, Lane *l, uint32_t to);

/* buffer.c: shared memory, rows, and what rounds did */
bool buffer_store(Site *s, Lane *l, uint32_t stmt);
bool buffer_load(Site *s, Lane *l, uint32_t stmt);
Row *buffer_row(Site *s, Row r);
bool buffer_check(Site *s);
/* What an address means beside the warp's part of the buffer, operand k being it; 0: a fault. */
Term_id buffer_rest(Site *s, Lane *l, uint32_t stmt, uint32_t k);

/* barriers.c */
bool barriers_check(Site *s);
/* Do lanes come to a vote or barrier before they leave, and none of them round for ever? */
bool segments_check(Site *s);

/* begin.c: where a path's copy begins */
/* Does a copy of a path begin with the statement? The lane is there then. */
bool path_begin(Site *s, Lane *l, uint32_t stmt);
/* Might one begin with it? */
bool path_may_begin(const Site *s, uint32_t stmt);

/* path.c: values of tasks */
bool path_set(Site *s, Lane *l, uint32_t stmt);
/* 1 + the path whose task the register stands for something in; 0: none. */
uint32_t path_of_reg(const Site *s, const Reg *r);
/* Where the lane has what the register holds; NULL: nowhere. */
Term_id *path_slot(Site *s, Lane *l, const Reg *r);
/* Does every lane have the register's value at the block under its own name? It varies nowhere, and
 * the loop does not write it. */
bool path_common(const Site *s, uint32_t block, uint32_t sym);
/* The definition that alone reaches a block; 0: there is none. */
uint32_t path_only_def(const Site *s, uint32_t block, uint32_t sym);
/* The value of a register of the output as a part of a task, for pushing. */
Term_id path_value(Site *s, Lane *l, uint32_t sym, uint32_t path);
/* Computes again what is the same in all lanes. */
bool path_again(Site *s, uint32_t stmt);
/* Does the statement of the input give the same whenever it runs, from the same registers? */
bool path_repeatable(const Site *s, uint32_t stmt);

/* owner.c: what an owner computes for itself */
/* Does the register hold, in the owner, what it did when the owner came to the path? Paths that it
 * came past directly in front of that may have given it a value. */
bool owner_holds(const Site *s, const Lane *l, uint32_t path, uint32_t sym);
/* Fills flows. */
void owner_init(Site *s, Path *p);
/* A statement of a path that the lane came past; false: it is none. */
bool owner_slice(Site *s, Lane *l, uint32_t stmt);
/* Is anything missing of what flows out of the paths that it came past, in its iteration or
 * (around) in a path? */
bool owner_owes(const Site *s, const Lane *l, uint32_t around);
/* It goes on: nothing may be missing. */
bool owner_sliced_all(Site *s, Lane *l, uint32_t around);

/* names.c: what registers of the inserted text are */
bool names_init(Site *s);

/* flow.c: on the graph of the inserted text, what is live, who may write what alone, and from where
 * on nothing of a round is done */
void flow_init(Site *s);

/* step.c: a statement of the output that is no branch; *again: it is to be looked at once more.
 * False: the lane ends, or a fault. */
bool step_run(Site *s, Lane *l, uint32_t stmt, bool *again);

/* walk.c */
bool walk_site(Site *s);
Lane *lane_copy(Site *s, const Lane *l);
/* Looks at the lane as well, later. */
void lane_later(Site *s, Lane *l);
/* The lane assumes that a register of the input, a predicate, holds the value. */
void lane_know(Lane *l, uint32_t in, bool value);
void lane_unknow(Lane *l, uint32_t in);
/* Both ways of the branch that the lane is at in the input. said: what its predicate holds on the
 * way that this lane goes. */
bool lane_split(Site *s, Lane *l, bool *said);

#endif
