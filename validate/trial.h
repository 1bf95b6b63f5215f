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
#ifndef VALIDATE_TRIAL_H
#define VALIDATE_TRIAL_H

#include "validate/site.h"

enum { MOST_ARGS = 12 };

/* ---- statements (trial_read.c) --------------------------------------------------------------- */

typedef enum { ARG_CONST, ARG_REG, ARG_SPECIAL } Arg_kind;
typedef struct {
	uint8_t kind;
	uint8_t sel;            /* SPECIAL: component */
	uint8_t type;           /* REG: as it is declared */
	bool flip;              /* !p, -r */
	uint32_t reg;           /* REG: its number in the function; SPECIAL: Sreg */
	/* CONST; REG: what is added to it, of an address; of one that is given: the bits it has */
	uint64_t value;
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

typedef struct {
	uint8_t does;           /* Does */
	bool read;              /* this has been filled */
	bool param;             /* a load of the kernel's parameters */
	uint8_t space;          /* Space, of loads and stores */
	uint8_t guard;          /* as in Stmt */
	uint8_t type, from;     /* Type of the instruction, its last one; and the first one */
	uint8_t how;            /* which comparison, part of a product, kind of vote: How */
	uint8_t with;           /* a comparison's second operation: How */
	uint8_t ngives, ntakes;
	uint16_t op;
	uint32_t guards;        /* the guard's register */
	uint8_t size;           /* of the type, in bytes */
	uint32_t stmt;
	uint32_t next;          /* the instruction behind it */
	uint32_t to;            /* JUMP: statement; 0: out of the function */
	/* PARAM, CALL: the symbol of the place, of the first result; 0 */
	uint32_t place;
	uint64_t name;          /* of the opcode and its modifiers */
	const Arg *gives, *takes;
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

/* A text: the input's, or the output's. */
typedef struct {
	const Module *m;
	const Func *f;
	Arena *arena;
	Act *acts;              /* by statement of the function */
	bool inserted;          /* the output's: it has a buffer of its own */
	const Reg *regs;        /* of that: what its registers are; else NULL */
	const uint32_t *label;  /* by local symbol: the statement of a label */
} Code;

/* Reads a statement; it is read when it is first asked for. */
const Act *trial_read_now(Code *c, uint32_t stmt);
static inline const Act *
trial_read(Code *c, uint32_t stmt)
{
	const Act *a = &c->acts[ptx_local_stmt(c->f, stmt)];

	return a->read ? a : trial_read_now(c, stmt);
}

/* Where a variable is: its name says it, in both texts. */
uint64_t trial_address(const Code *c, uint32_t sym);

/* ---- values (trial_value.c) ------------------------------------------------------------------ */

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
typedef struct { uint64_t seed; Range loads; const uint64_t *words; uint32_t nwords; } Numbers;
uint64_t trial_invent(const Numbers *by, uint64_t hash, Type t, Range r);
static inline bool
trial_is_float(Type t)
{
	return t == TYPE_F32 || t == TYPE_F64 || t == TYPE_F16 || t == TYPE_F16X2;
}
/* What a DO_GIVE gives, in the order of its gives, of what it takes; false: a hash of that. */
bool trial_give(const Act *a, const Numbers *by, const uint64_t *takes, uint64_t *gives);
/* a and b by an operation that is associative and commutative; sums and products of floating-point
 * numbers are those of integers as long, so that their order does not count. */
uint64_t trial_fold(How how, Type t, uint64_t a, uint64_t b);

/* ---- lanes (trial_lane.c) -------------------------------------------------------------------- */

enum { TRIAL_LANES = 32, TRIAL_PARAMS = 32 };

/* What a lane has stored for a call, or got of it: then a hash, whatever place is asked for. */
typedef struct { uint32_t place; bool result; uint64_t at, value; } Param;

typedef enum { LANE_RUNS, LANE_WAITS, LANE_LEFT, LANE_ENDED, LANE_LOST } Lane_state;

typedef struct {
	uint8_t state;
	uint32_t number;
	uint32_t at;            /* the statement that comes next; of one that has left, where to */
	uint32_t mask;          /* WAITS: the lanes that it waits for */
	uint64_t *reg;          /* by local symbol */
	Bits set;               /* that one holds something */
	Param params[TRIAL_PARAMS]; uint32_t nparams;
} Trial_lane;

/* A word of the buffer: which lanes have come to it since the last barrier. */
typedef struct {
	uint32_t at, value, readers, epoch;
	uint8_t writer;         /* TRIAL_LANES: several */
	bool used, wrote, atomic;
} Word;
enum { TRIAL_WORDS = 1 << 13, TRIAL_CELLS = 1 << 13, TRIAL_WINDOWS = 16 };

/* A word of a lane's local memory; where that of a variable is. */
typedef struct { uint64_t key; uint32_t value; } Cell;
typedef struct { uint64_t at, bytes; } Window;

/* Of all lanes: as it should be, and as it is. */
typedef struct { bool differs; uint32_t lanes; uint64_t in, out; } Total;

typedef struct {
	Site *s;
	Code in, out;
	Numbers by;
	uint32_t dims[3], first; /* the block's size; the number of lane 0's thread in it */
	uint64_t salt[TRIAL_LANES];
	uint32_t m;             /* the lanes that come to the loop */
	/* what comes into the loop: by definition of the input, and by register if that is not
	 * one alone; a number for each lane. NULL: not asked for yet */
	uint64_t **of_def, **of_sym;
	bool *making;
	/* by register of the input, of what lanes hold in it behind the loop, where that may differ
	 * from lane to lane; NULL: it may not */
	Total *totals;
	uint64_t events;        /* the sum of what was done to memory */
	Word *words; uint32_t nwords;
	Cell *cells; uint32_t ncells;
	Window locals[TRIAL_WINDOWS], shared[TRIAL_WINDOWS]; uint32_t nlocals, nshared;
	Window warps[2];        /* what the first and the second warp of a block came to */
	/* functions that the loop calls, which do nothing but give a result: where they are */
	uint64_t silent[TRIAL_WINDOWS]; uint32_t nsilent;
	uint32_t epoch;         /* barriers so far */
	uint32_t steps, most;
	/* statements of the input that lanes have come to, in this trial and in those before */
	Bits come, came[2];     /* ... of whole warps, and of others */
	Bits within;            /* those of the loop's region */
	Bits reached;           /* statements of the output, in any trial */
	uint32_t all_steps, longest, soon;
	uint32_t work;          /* statements of the input that each lane has run */
	uint32_t share;         /* of 100 instructions of the inserted text: lanes came to them */
	const char *why;        /* what is wrong */
	uint32_t why_at;
	bool unknown;           /* or cannot be tried */
} Trial;

/* Makes up what comes into the loop, anew. */
void trial_begin(Trial *t, uint64_t seed, Range loads);
/* The same numbers, but of lanes whose salt is another one. */
void trial_forget(Trial *t);
void trial_lane_init(Trial *t, Trial_lane *l, const Code *c, uint32_t number, uint32_t at);
/* What a register of the input holds where the loop begins. */
uint64_t trial_first(Trial *t, uint32_t sym, uint32_t lane);
uint64_t trial_holds(Trial *t, const Code *c, const Trial_lane *l, const Arg *a);
static inline void
trial_put(Trial_lane *l, const Arg *a, uint64_t value)
{
	if (a->kind != ARG_REG)
		return;
	l->reg[a->reg] = value & a->value;
	bits_set(l->set, a->reg);
}
/* Runs a lane's next statement; false: it waits, or does not go on here. */
bool trial_step(Trial *t, Code *c, Trial_lane *l);
/* trial_meet.c: runs what all of those lanes have come to. */
void trial_meet(Trial *t, Trial_lane *lanes, const Act *a, uint32_t mask);
bool trial_wrong(Trial *t, uint32_t stmt, const char *why);
bool trial_unknown(Trial *t, uint32_t stmt, const char *why);

/* An access to the buffer. */
void trial_access(Trial *t, Trial_lane *l, const Act *a, const uint64_t *takes);

/* ---- local memory (trial_local.c) ------------------------------------------------------------ */

void trial_local_init(Trial *t);
void trial_local_clear(Trial *t);
/* Is the access one of local memory? */
bool trial_is_local(const Trial *t, const Act *a, uint64_t at);
uint64_t trial_local_load(Trial *t, uint32_t lane, uint64_t at, uint32_t size);
void trial_local_store(Trial *t, uint32_t lane, uint64_t at, uint32_t size, uint64_t v);

/* Runs a lane of the input on, until it has left the loop, or has run so many statements. */
void trial_run_alone(Trial *t, Trial_lane *l, uint32_t most);
/* trial_same.c: did the lanes come to the same as in the input, and do the same (events)? */
void trial_compare(Trial *t, const Trial_lane *input, const Trial_lane *output, uint64_t events);

/* ---- the trial (trial.c) --------------------------------------------------------------------- */

typedef enum { TRIAL_SAME, TRIAL_OTHER, TRIAL_CANNOT } Trial_result;
/* Tries a site of which something is not known; s->why is what is wrong, or why it cannot be tried,
 * too. *share: of 100 instructions of the inserted text, lanes came to so many. */
Trial_result trial_site(Site *s, uint32_t *share);

#endif
