/* SPDX-License-Identifier: MIT */
/* A loop's text, before and after, tried on made-up values. Internal to validate/.
 *
 * This is random interpretation (Gulwani and Necula, "Global value numbering using random
 * interpretation", POPL 2004): registers that come into the loop, and what loads, calls and most
 * instructions give, are numbers that a hash makes of the instruction and of what it reads. So two
 * runs that compute the same from the same, in whatever order, have the same numbers; and two that
 * do not, hardly ever. trial.c says what is compared.
 *
 * Nothing here knows a form: who runs what is found by running it.
 */
#ifndef VALIDATE_TRIAL_TRIAL_H
#define VALIDATE_TRIAL_TRIAL_H

#include <string.h>
#include "validate/text/stmt_dedup.h"
#include "validate/state/checker.h"

/* LEAST: there is room for so many, of which those that an instruction has not are zero. */
enum { LEAST_ARGS = 3, MOST_ARGS = 12, TRIAL_LANES = 32, TRIAL_WARPS = 2 };

/* ---- statements (decode.c) ------------------------------------------------------------------- */

/* What lanes hold in a register, or as a constant. */
typedef struct {
	uint64_t v[TRIAL_LANES];
	uint32_t has;           /* the lanes of which v is known */
	uint32_t wrote;         /* lanes that have written it */
} Held;

typedef enum { ARG_CONST, ARG_REG, ARG_SPECIAL } Arg_kind;
/* A register of a text, or a special one, or a constant: in each warp that runs the text. A
 * constant is `has` in the first one. */
typedef struct Holder {
	Held of[TRIAL_WARPS];
	uint8_t kind;           /* Arg_kind */
	uint8_t sel;            /* SPECIAL: component */
	uint32_t reg;           /* REG: its number in the function; SPECIAL: Sreg */
	struct Holder *next;    /* but for constants: the one of the text that was found before */
} Holder;

typedef struct {
	uint8_t kind;           /* Arg_kind */
	uint8_t type;           /* REG: as it is declared */
	bool flip;              /* !p, -r */
	bool plain;             /* what the holder has is it */
	uint32_t reg;           /* REG: its number in the function */
	/* CONST; REG: what is added to it, of an address; of one that is given: the bits it has */
	uint64_t value;
	Holder *holder;
} Arg;

typedef enum {
	DO_NOTHING,             /* or nothing that counts */
	DO_GIVE,                /* computes, or loads: depends on what it reads alone */
	DO_ACCESS,              /* loads or stores: of local memory, perhaps; else GIVE or EFFECT */
	DO_EFFECT,              /* stores, indivisible accesses, calls, fences */
	DO_BUFFER,              /* an access to the inserted text's shared memory */
	DO_STORE_PARAM, DO_LOAD_PARAM,  /* a place where calls have arguments and results */
	DO_CALL,
	DO_JUMP, DO_TABLE,
	DO_END,                 /* the thread ends */
	DO_MEET,                /* votes, shuffles, barriers of a warp's lanes */
	DO_ACTIVEMASK,
	DO_UNKNOWN
} Does;

struct Act;
struct Numbers;
struct Group;
/* What a DO_GIVE gives, by the lanes of what it takes: in the order of its gives. That may lie
 * where something that it takes does. */
typedef void Giver(const struct Act *a, const struct Numbers *by, const struct Group *g,
	const uint64_t *const *takes, uint64_t *const *gives);

typedef struct Act {
	uint8_t does;           /* Does */
	bool inside;            /* it is one of the loop's, or of the inserted text */
	bool param;             /* a load of the kernel's parameters */
	/* it computes something of the inserted text's own, of which a hash is no answer */
	bool counts;
	/* GIVE: one register, and what it takes is what holders have */
	bool simple;
	bool plain;             /* that, inside, and whoever comes by */
	bool uniform;           /* JUMP: it says that all who come by take it alike */
	uint8_t space;          /* Space, of loads and stores */
	uint8_t guard;          /* as in Stmt */
	uint8_t type, from;     /* Type of the instruction, its last one; and the first one */
	uint8_t how;            /* which comparison, part of a product, kind of vote: How */
	uint8_t with;           /* a comparison's second operation: How */
	uint8_t ngives, ntakes;
	uint16_t op;
	uint32_t lanes;         /* that have come to it */
	Holder *guards;         /* the guard's register */
	uint8_t size;           /* of the type, in bytes */
	/* what it computes; 64 less the type's bits; as which number one of it is compared; of what
	 * is given: see evaluate.c */
	uint8_t calc, up;
	uint64_t flip, bits;
	uint32_t stmt;
	uint32_t next;          /* the instruction behind it */
	struct Act *behind;     /* that, once it was come to; NULL */
	uint32_t to;            /* JUMP: statement; 0: out of the function */
	/* PARAM, CALL: the symbol of the place, of the first result; 0 */
	uint32_t place;
	uint64_t name;          /* of the opcode and its modifiers */
	const Arg *gives, *takes;
	Giver *give;            /* of its calc */
} Act;

typedef enum {
	HOW_NONE,
	HOW_EQ, HOW_NE, HOW_LT, HOW_LE, HOW_GT, HOW_GE,
	HOW_LO, HOW_LS, HOW_HI, HOW_HS,         /* unsigned; HI: of products, too */
	HOW_WIDE, HOW_SHIFTAMT,
	HOW_AND, HOW_OR, HOW_XOR, HOW_ADD, HOW_MIN, HOW_MAX, HOW_EXCH, HOW_INC, HOW_CAS,
	HOW_ALL, HOW_ANY, HOW_UNI, HOW_BALLOT,
	HOW_UP, HOW_DOWN, HOW_BFLY, HOW_IDX,
	HOW_LEFT, HOW_WRAP,
	HOW_OTHER               /* a modifier by which the result is another one */
} How;

/* What the opcode of an instruction and its modifiers say: of those that were read lately. */
typedef struct {
	uint64_t text;          /* a hash of them; 0: none */
	uint64_t name;
	uint32_t flags;
	uint16_t op;
	uint8_t type, from, size, space, how, with;     /* as in Act */
	bool sync;
} Head;
enum { TRIAL_HEADS = 256, TRIAL_KNOWN = 64 };

/* Where a variable is. */
typedef struct { uint64_t at, bytes; } Window;
enum { TRIAL_WINDOWS = 16 };

/* A text: the input's, or the output's. */
typedef struct {
	const Module *m;
	const Func *f;
	Arena *arena;
	/* by statement of the function, and one behind it; NULL: not read yet */
	Act **acts;
	Alike seen;             /* of those that were read */
	Bits within;            /* statements of the function: of the loop's region, or inserted */
	uint32_t came;          /* instructions of those to which some lane has come */
	Holder **holders;       /* by local symbol, of registers; NULL: none is needed */
	Holder *all;            /* of these, and special registers: the last one */
	Arg nothing;            /* what an instruction takes that has fewer operands */
	Holder **known;         /* special registers and constants that were read lately */
	Window shared[TRIAL_WINDOWS]; uint32_t nshared; /* variables that statements name */
	Head *heads;            /* by the last bits of Head.text */
	bool inserted;          /* the output's: it has a buffer of its own */
	const Reg *regs;        /* of that: what its registers are; else NULL */
	const uint32_t *label;  /* by local symbol: the statement of a label */
} Code;

/* Reads a statement. */
Act *trial_read_now(Code *c, uint32_t stmt);
static inline Act *
trial_read(Code *c, uint32_t stmt)
{
	Act *a = c->acts[ptx_local_stmt(c->f, stmt)];

	return a ? a : trial_read_now(c, stmt);
}
/* Of a register, by its number in the function. */
Holder *trial_holder(Code *c, uint32_t reg);

/* What a constant holds, in all lanes of a warp. */
static inline void
trial_fill_constant(Holder *h, uint32_t which)
{
	uint64_t v = h->of[0].v[0];

	h->of[which].has = UINT32_MAX;
	for (uint32_t i = 0; i < TRIAL_LANES; i++)
		h->of[which].v[i] = v;
}

/* Where a variable is: its name says it, in both texts. */
uint64_t trial_address(const Code *c, uint32_t sym);

/* ---- values (evaluate.c) --------------------------------------------------------------------- */

static inline uint64_t
trial_mix(uint64_t a, uint64_t b)
{
	uint64_t x = (a ^ b * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xff51afd7ed558ccd);

	return (x ^ x >> 32) * UINT64_C(0xc4ceb9fe1a85ec53) ^ x >> 29;
}
uint64_t trial_mix_text(uint64_t a, const char *text, size_t n);
/* By what numbers are made up: integers are small ones, so that loops by them end; of parameters
 * larger ones, so that they go round; of loads such as `loads` says, and now and then one of
 * `words`, with which the loop compares. */
typedef enum { RANGE_SMALL, RANGE_ALIKE, RANGE_WIDE, RANGE_PARAM, RANGE_MANY } Range;
typedef struct Numbers {
	uint64_t seed[TRIAL_LANES];
	Range loads;
	const uint64_t *words; uint32_t nwords;
} Numbers;
uint64_t trial_invent(const Numbers *by, uint32_t lane, uint64_t hash, Type t, Range r);

/* Lanes that run a statement together. */
typedef struct Group { uint32_t mask, n; uint8_t lane[TRIAL_LANES]; } Group;
#define GROUP_EACH(i, g) \
	for (uint32_t i##_at = 0, i; i##_at < (g)->n && (i = (g)->lane[i##_at], true); i##_at++)
static inline void
group_make(Group *g, uint32_t mask)
{
	static const uint8_t all[TRIAL_LANES] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
		15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31 };

	g->mask = mask;
	if (mask == UINT32_MAX) {
		memcpy(g->lane, all, sizeof all);
		g->n = TRIAL_LANES;
		return;
	}
	for (g->n = 0; mask; mask &= mask - 1)
		g->lane[g->n++] = (uint8_t)__builtin_ctz(mask);
}

static inline bool
trial_is_float(Type t)
{
	return t == TYPE_F32 || t == TYPE_F64 || t == TYPE_F16 || t == TYPE_F16X2;
}
void trial_calc(Act *a); /* as far as it is always the same */
/* A hash of the instruction and what it takes, and what is made up of that. */
void trial_hash(const Act *a, const Numbers *by, const Group *g, const uint64_t *const *takes,
	uint64_t *hash);
/* a and b by an operation that is associative and commutative; sums and products of floating-point
 * numbers are those of integers as long, so that their order does not count. */
uint64_t trial_fold(How how, Type t, uint64_t a, uint64_t b);

/* ---- lanes (lanes.c) ------------------------------------------------------------------------- */

enum { TRIAL_PARAMS = 32 };

/* What a lane has stored for a call, or got of it: then a hash, whatever place is asked for. */
typedef struct { uint32_t place; bool result; uint64_t at, value; } Param;

/* Lanes that are at one place. */
typedef struct { uint32_t at, mask; } Place_of_lanes;

/* Lanes that run a text: each of them for itself, or together. Each is in one of the sets. */
typedef struct {
	Code *code;
	uint32_t which;         /* of Holder.of */
	Place_of_lanes runs[TRIAL_LANES]; uint32_t nruns;
	uint32_t waits, left, ended, lost;
	uint32_t at[TRIAL_LANES];       /* but of those that run: where they are, or have left to */
	uint32_t mask[TRIAL_LANES];     /* WAITS: the lanes that it waits for */
	Place_of_lanes last;    /* those that came to wait at one place last; */
	uint32_t last_for;      /* the lanes that all of them wait for; 0: not the same */
	/* statements; LOST: there are more than that, or the lane has come to a trap */
	uint32_t steps[TRIAL_LANES], most;
	uint32_t longest;       /* of all lanes the most steps so far */
	bool whole;             /* none goes on where one is lost */
	uint64_t events[TRIAL_LANES];   /* the sum of what it did to memory */
	Param (*params)[TRIAL_PARAMS]; uint32_t nparams[TRIAL_LANES];
} Warp;

/* A word of the buffer: which lanes have come to it since the last barrier. */
typedef struct {
	uint32_t at, value, readers, epoch;
	uint8_t writer;         /* TRIAL_LANES: several */
	bool wrote, atomic;
	uint32_t run;           /* in which it is used: Trial.run */
} Word;
enum {
	FIRST_WORDS = 1 << 8, MOST_WORDS_USED = 1 << 12,
	FIRST_CELLS = 1 << 6, MOST_CELLS = 1 << 12
};

/* A word of a lane's local memory. */
typedef struct { uint64_t key; uint32_t value; } Cell;

/* Of all lanes: as it should be, and as it is. */
typedef struct { bool differs; uint32_t lanes; uint64_t in, out; } Total;

/* What lanes came to that tried the numbers of seeds: which of them to an end, in how many
 * statements, and by statement in Trial.loop, who to that. Seeds that trials had; the number of
 * the first of these. */
typedef struct { uint32_t ended, used, trial, steps[TRIAL_LANES], *came; } Probes;

typedef struct {
	Site *s;
	Code in, out;
	Numbers by;
	uint32_t dims[3], first; /* the block's size; the number of lane 0's thread in it */
	/* who a lane is; and what makes its numbers others than those of such */
	uint32_t number[TRIAL_LANES], salt[TRIAL_LANES];
	bool salted;            /* salts were asked for */
	uint32_t m;             /* the lanes that come to the loop */
	uint32_t there;         /* of those, as they are compared: that have left it to one place */
	uint32_t live_at;       /* and what is read from there on, by local symbol; 0: not known */
	Bits live;
	/* what comes into the loop: by definition of the input, and by register if that is not
	 * one alone; a number for each lane. NULL: not asked for yet */
	const uint64_t **of_def, **of_sym;
	bool *making;
	/* by register of the input, of what lanes hold in it behind the loop, where that may differ
	 * from lane to lane; NULL: it may not */
	Total *totals;
	Word *words; uint32_t nwords, words_cap;        /* hash tables, twice as large at least */
	Cell *cells; uint32_t ncells, cells_cap;
	Window locals[TRIAL_WINDOWS]; uint32_t nlocals;
	Window warps[2];        /* what the first and the second warp of a block came to */
	/* functions that the loop calls, which do nothing but give a result: where they are */
	uint64_t silent[TRIAL_WINDOWS]; uint32_t nsilent;
	uint32_t epoch;         /* barriers so far */
	uint32_t run;           /* of the output, from 1 */
	/* statements of the input that lanes have come to, by trials of whole warps, and of
	 * others */
	Bits came[2];
	Probes probes;
	uint32_t *loop, nloop;  /* local statements of the loop's region */
	uint32_t all_steps, longest, soon, soonest;
	uint32_t work;          /* statements of the input that each lane has run */
	/* instructions of the inserted text; of 100 of them, lanes came to so many */
	uint32_t all, share;
	const char *why;        /* what is wrong */
	uint32_t why_at;
	bool unknown;           /* or cannot be tried */
} Trial;

/* A statement of the loop, by its number in Trial.loop. */
static inline Act *
trial_loop(Trial *t, uint32_t i)
{
	return trial_read(&t->in, t->in.f->stmt + t->loop[i]);
}

/* start_values.c: makes up what comes into the loop, anew: of the n-th trial. */
void trial_begin(Trial *t, uint32_t n, Range loads);
/* The same numbers, but of lanes whose salt is another one. */
void trial_forget(Trial *t);
/* What a register of the input holds where the loop begins, by lane. */
const uint64_t *trial_first(Trial *t, uint32_t sym);
uint64_t trial_special(Trial *t, const Holder *h, uint32_t lane);
/* What lanes hold, as far as is not known yet. */
void trial_fill(Trial *t, const Warp *w, Holder *h);

Warp *trial_warp(Trial *t, Code *c, uint32_t which);
/* Lanes of the warp begin, somewhere. */
void trial_warp_init(Warp *w);
void trial_place(Warp *w, uint32_t at, uint32_t mask);
/* Runs lanes until they wait, or do not go on here. */
void trial_run(Trial *t, Warp *w);
/* evaluate.c: what they have as an operand, which is not just what its holder has. */
const uint64_t *trial_adjust(const Warp *w, const Arg *x, const Group *g, uint64_t *room);
static inline const Held *
trial_held(Trial *t, const Warp *w, Holder *x, uint32_t mask)
{
	Held *h = &x->of[w->which];

	if (mask & ~h->has)
		trial_fill(t, w, x);
	return h;
}
static inline const uint64_t *
trial_holds(Trial *t, const Warp *w, const Arg *x, const Group *g, uint64_t *room)
{
	const Held *h = trial_held(t, w, x->holder, g->mask);

	return x->plain ? h->v : trial_adjust(w, x, g, room);
}
/* Where lanes put what is given. */
static inline uint64_t *
trial_gives(const Warp *w, const Arg *x, const Group *g, uint64_t *room)
{
	if (x->kind != ARG_REG)
		return room;
	Held *h = &x->holder->of[w->which];
	h->has |= g->mask;
	h->wrote |= g->mask;
	return h->v;
}
static inline void
trial_put(const Warp *w, const Arg *x, uint32_t lane, uint64_t value)
{
	if (x->kind != ARG_REG)
		return;
	Held *h = &x->holder->of[w->which];
	h->v[lane] = value & x->value;
	h->has |= UINT32_C(1) << lane;
	h->wrote |= UINT32_C(1) << lane;
}
/* collectives.c: runs what all of those lanes have come to. */
void trial_meet(Trial *t, Warp *w, uint32_t mask);
bool trial_wrong(Trial *t, uint32_t stmt, const char *why);
bool trial_unknown(Trial *t, uint32_t stmt, const char *why);

/* An access to the buffer, by a lane. */
void trial_access(Trial *t, const Warp *w, const Act *a, uint32_t lane,
	const uint64_t *const *takes);

/* ---- local memory (local_memory.c) ----------------------------------------------------------- */

void trial_local_init(Trial *t);
/* If the symbol is a variable in that memory, it is among them then. */
void trial_window(Window *list, uint32_t *n, const Code *c, uint32_t sym, Space space);
void trial_local_clear(Trial *t);
/* Is the access one of local memory? */
bool trial_is_local(const Trial *t, const Act *a, uint64_t at);
uint64_t trial_local_load(Trial *t, uint32_t lane, uint64_t at, uint32_t size);
void trial_local_store(Trial *t, uint32_t lane, uint64_t at, uint32_t size, uint64_t v);

/* compare.c: did the lanes come to the same as in the input, and do the same (events)? */
void trial_compare(Trial *t, const Warp *input, const Warp *output, Warp *rest);

/* ---- the trial (trial.c) --------------------------------------------------------------------- */

typedef enum { TRIAL_SAME, TRIAL_OTHER, TRIAL_CANNOT } Trial_result;
/* Tries a site of which something is not known; s->why is what is wrong, or why it cannot be tried,
 * too. *share: of 100 instructions of the inserted text, lanes came to so many. */
Trial_result trial_site(Site *s, uint32_t *share);

#endif
