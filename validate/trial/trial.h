/* SPDX-License-Identifier: MIT */
/* Tries a transformed loop on random inputs, before and after. Internal to validate/.
 *
 * This is random interpretation (Gulwani and Necula, "Global value numbering using random
 * interpretation", POPL 2004): the values of live-in registers and the results of loads, calls and
 * most instructions are hashes of the instruction and its operands. So two runs that compute the
 * same from the same values, in any order, have the same numbers, and others almost never do.
 * trial.c says what is compared.
 *
 * Nothing here depends on the form of the text: which lane executes what is found by executing it.
 */
#ifndef VALIDATE_TRIAL_TRIAL_H
#define VALIDATE_TRIAL_TRIAL_H

#include <string.h>
#include "validate/text/stmt_dedup.h"
#include "validate/state/checker.h"

/* LEAST_ARGS: every instruction has at least this many operands; missing ones are zero. */
enum { LEAST_ARGS = 3, MOST_ARGS = 12, TRIAL_LANES = 32, TRIAL_WARPS = 2 };

/* ---- statements (decode.c) ------------------------------------------------------------------- */

/* A register's or constant's value in all lanes. */
typedef struct {
	uint64_t v[TRIAL_LANES];
	uint32_t has;           /* lanes in which v is known */
	uint32_t wrote;         /* lanes that have written it */
} Lane_values;

typedef enum { ARG_CONST, ARG_REG, ARG_SPECIAL } Trial_operand_kind;
/* A register, special register or constant, with its value in each warp that runs the text. For a
 * constant, only the first warp's `has` is set initially. */
typedef struct Value_holder {
	Lane_values of[TRIAL_WARPS];
	uint8_t kind;           /* Trial_operand_kind */
	uint8_t sel;            /* SPECIAL: component */
	uint32_t reg;           /* REG: its number in the function; SPECIAL: Sreg */
	struct Value_holder *next; /* previous one of the text; constants are not in the list */
} Value_holder;

typedef struct {
	uint8_t kind;           /* Trial_operand_kind */
	uint8_t type;           /* REG: its declared type */
	bool flip;              /* !p, -r */
	bool plain;             /* the value is the holder's, unmodified */
	uint32_t reg;           /* REG: its number in the function */
	/* CONST: the value; REG: the offset added in an address; result: mask of the register's
	 * bits */
	uint64_t value;
	Value_holder *holder;
} Trial_operand;

typedef enum {
	DO_NOTHING,             /* or nothing that matters */
	DO_COMPUTE,             /* computes or loads: depends on its operands only */
	DO_ACCESS, /* loads or stores, possibly of local memory; otherwise like COMPUTE or EFFECT */
	DO_EFFECT,              /* stores, atomics, calls, fences */
	DO_BUFFER,              /* an access to the inserted text's shared memory */
	DO_STORE_PARAM, DO_LOAD_PARAM,  /* arguments and results of calls */
	DO_CALL,
	DO_JUMP, DO_TABLE,
	DO_END,                 /* the thread ends */
	DO_COLLECTIVE,          /* votes, shuffles, barriers of a warp */
	DO_ACTIVEMASK,
	DO_UNKNOWN
} Trial_action;

typedef enum {
	HOW_NONE,
	HOW_EQ, HOW_NE, HOW_LT, HOW_LE, HOW_GT, HOW_GE,
	HOW_LO, HOW_LS, HOW_HI, HOW_HS,         /* unsigned; HI also of products */
	HOW_WIDE, HOW_SHIFTAMT,
	HOW_AND, HOW_OR, HOW_XOR, HOW_ADD, HOW_MIN, HOW_MAX, HOW_EXCH, HOW_INC, HOW_CAS,
	HOW_ALL, HOW_ANY, HOW_UNI, HOW_BALLOT,
	HOW_UP, HOW_DOWN, HOW_BFLY, HOW_IDX,
	HOW_LEFT, HOW_WRAP,
	HOW_OTHER               /* a modifier that changes the result */
} Modifier;

/* An opcode and its modifiers. */
typedef struct {
	uint64_t name;          /* their hash */
	uint16_t op;            /* Op */
	uint8_t type, from;     /* Type: the last one and the first one of the opcode */
	uint8_t size;           /* of the type, in bytes */
	uint8_t space;          /* Space, of loads and stores */
	uint8_t how;            /* Modifier: comparison, part of a product, kind of vote */
	uint8_t with;           /* Modifier: second operation of a comparison */
} Trial_opcode;

/* Cached: a decoded opcode. */
typedef struct {
	uint64_t text;          /* hash of the text; 0 if empty */
	Trial_opcode code;
	uint32_t flags;         /* OPF_ */
	bool sync;
} Opcode_info;
enum { TRIAL_HEADS = 256, TRIAL_KNOWN = 64 };

struct Trial_insn;
struct Number_source;
struct Lane_set;
/* Computes the results of a DO_COMPUTE for the lanes of a group. A result may be stored in the same
 * place as an operand. */
typedef void Insn_handler(const struct Trial_insn *a, const struct Number_source *by,
	const struct Lane_set *g, const uint64_t *const *takes, uint64_t *const *gives);

/* How results are computed, see evaluate.c. */
typedef struct {
	Insn_handler *handler;  /* selected by calc */
	uint64_t flip;          /* mask that makes comparisons signed */
	uint64_t bits;          /* mask of the result */
	uint8_t calc;           /* Calc */
	uint8_t up;             /* 64 minus the bits of the type */
} Trial_computation;

typedef struct Trial_insn {
	Trial_opcode code;
	Trial_computation compute;
	uint8_t does;           /* Trial_action */
	bool inside;            /* in the loop, or in the inserted text */
	bool param;             /* a load of a kernel parameter */
	/* it computes a machine register, for which a hash is no valid value */
	bool counts;
	/* DO_COMPUTE: one result, and all operands are unmodified holders */
	bool simple;
	bool plain;             /* simple, inside, and without a guard */
	bool uniform;           /* DO_JUMP: branch marked .uni */
	uint8_t guard;          /* as in Stmt */
	Value_holder *guards;   /* register of the guard */
	uint8_t nresults, noperands;
	const Trial_operand *results, *operands;
	uint32_t lanes;         /* lanes that have reached it */
	uint32_t stmt;
	uint32_t next;          /* next instruction */
	struct Trial_insn *next_insn; /* the next instruction once it was reached, else NULL */
	uint32_t to;            /* DO_JUMP: target; 0: outside of the function */
	/* parameter that is accessed; DO_CALL: the first result; DO_TABLE: the table; 0 if none */
	uint32_t param_symbol;
} Trial_insn;

/* Address range of a variable. */
typedef struct { uint64_t at, bytes; } Variable_range;
enum { TRIAL_WINDOWS = 16 };

/* One of the two texts: input or output. */
typedef struct {
	const Module *m;
	const Func *f;
	Arena *arena;
	/* by statement of the function, and one after the end; NULL until decoded */
	Trial_insn **acts;
	Stmt_dedup seen;        /* the decoded statements */
	Bits within;            /* statements of the loop or inserted ones */
	uint32_t came;          /* number of these that some lane has reached */
	Value_holder **holders; /* by local symbol, of registers; NULL until needed */
	Value_holder *all;      /* head of the list of registers and special registers */
	Trial_operand nothing;  /* stands for missing operands */
	Value_holder **known;   /* cache of special registers and constants */
	/* shared variables that statements name */
	Variable_range shared[TRIAL_WINDOWS]; uint32_t nshared;
	Opcode_info *heads;     /* by the last bits of Opcode_info.text */
	bool inserted;          /* it is the output, which has a buffer */
	const Output_reg *regs; /* output: the meaning of its registers; input: NULL */
	const uint32_t *label;  /* by local symbol: the statement of a label */
} Trial_text;

/* Decodes a statement. */
Trial_insn *trial_read_now(Trial_text *c, uint32_t stmt);
static inline Trial_insn *
trial_read(Trial_text *c, uint32_t stmt)
{
	Trial_insn *a = c->acts[ptx_local_stmt(c->f, stmt)];

	return a ? a : trial_read_now(c, stmt);
}
/* The holder of a register, by its number in the function. */
Value_holder *trial_holder(Trial_text *c, uint32_t reg);

/* Copies a constant to all lanes of a warp. */
static inline void
trial_fill_constant(Value_holder *h, uint32_t which)
{
	uint64_t v = h->of[0].v[0];

	h->of[which].has = UINT32_MAX;
	for (uint32_t i = 0; i < TRIAL_LANES; i++)
		h->of[which].v[i] = v;
}

/* Address of a variable: derived from its name, so that it is the same in both texts. */
uint64_t trial_address(const Trial_text *c, uint32_t sym);

/* ---- values (evaluate.c) --------------------------------------------------------------------- */

static inline uint64_t
trial_mix(uint64_t a, uint64_t b)
{
	uint64_t x = (a ^ b * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xff51afd7ed558ccd);

	return (x ^ x >> 32) * UINT64_C(0xc4ceb9fe1a85ec53) ^ x >> 29;
}
uint64_t trial_mix_text(uint64_t a, const char *text, size_t n);
/* Ranges of random numbers. Integers are small, so that loops over them end; parameters are larger,
 * so that loops have several iterations. Loads use `loads`, and sometimes one of `words`, with
 * which the loop compares. */
typedef enum { RANGE_SMALL, RANGE_ALIKE, RANGE_WIDE, RANGE_PARAM, RANGE_MANY } Number_range;
typedef struct Number_source {
	uint64_t seed[TRIAL_LANES];
	Number_range loads;
	const uint64_t *words; uint32_t nwords;
} Number_source;
uint64_t trial_invent(
	const Number_source *by, uint32_t lane, uint64_t hash, Type t, Number_range r);

/* Lanes that execute a statement together. */
typedef struct Lane_set { uint32_t mask, n; uint8_t lane[TRIAL_LANES]; } Lane_set;
#define LANE_SET_EACH(i, g) \
	for (uint32_t i##_at = 0, i; i##_at < (g)->n && (i = (g)->lane[i##_at], true); i##_at++)
static inline void
lane_set_make(Lane_set *g, uint32_t mask)
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
void trial_calc(Trial_insn *a); /* selects the computation */
/* Hashes the instruction with its operands and derives the result. */
void trial_hash(const Trial_insn *a, const Number_source *by, const Lane_set *g,
	const uint64_t *const *takes, uint64_t *hash);
/* Combines a and b with an associative and commutative operation. Floating-point sums and products
 * are computed as integers, so that their order does not matter. */
uint64_t trial_fold(Modifier how, Type t, uint64_t a, uint64_t b);

/* ---- lanes (lanes.c) ------------------------------------------------------------------------- */

enum { TRIAL_PARAMS = 32 };

/* A call's argument or result. A result is a hash for whatever offset is read. */
typedef struct { uint32_t place; bool result; uint64_t at, value; } Call_param;

/* Lanes at one statement. */
typedef struct { uint32_t at, mask; } Lanes_at;

/* Lanes that run a text. Each is in one of the sets. */
typedef struct {
	Trial_text *code;
	uint32_t which;         /* index into Value_holder.of */
	Lanes_at runs[TRIAL_LANES]; uint32_t nruns;
	uint32_t waits, left, ended, lost;
	/* lanes that do not run: where they are, or where they have left to */
	uint32_t at[TRIAL_LANES];
	uint32_t mask[TRIAL_LANES];     /* WAITS: the lanes that it waits for */
	Lanes_at last;          /* the last statement at which lanes began to wait */
	uint32_t last_for;      /* the mask that all of these wait for; 0 if they differ */
	/* executed statements; LOST: more than `most`, or a trap */
	uint32_t steps[TRIAL_LANES], most;
	uint32_t longest;       /* largest of steps */
	bool whole;             /* stop as soon as one lane is lost */
	uint64_t events[TRIAL_LANES];   /* sum of the hashes of its memory effects */
	Call_param (*params)[TRIAL_PARAMS]; uint32_t nparams[TRIAL_LANES];
} Trial_warp;

/* A word of the buffer, with the lanes that accessed it since the last barrier. */
typedef struct {
	uint32_t at, value, readers, epoch;
	uint8_t writer;         /* TRIAL_LANES: several */
	bool wrote, atomic;
	uint32_t run;           /* Trial_buffer.run in which it is used */
} Buffer_word;
enum {
	FIRST_WORDS = 1 << 8, MOST_WORDS_USED = 1 << 12,
	FIRST_CELLS = 1 << 6, MOST_CELLS = 1 << 12
};

/* A word of a lane's local memory. */
typedef struct { uint64_t key; uint32_t value; } Local_word;

/* Combined value over all lanes: in the input, and in the output. */
typedef struct { bool differs; uint32_t lanes; uint64_t in, out; } Lane_total;

/* Result of probing seeds: lanes that ended, seeds already used by trials, the number of the trial,
 * steps, and by statement in Trial.loop, the lanes that reached it. */
typedef struct { uint32_t ended, used, trial, steps[TRIAL_LANES], *came; } Probes;

/* The block and the identities of the lanes. */
typedef struct {
	uint32_t dims[3], first; /* block size; thread number of lane 0 in the block */
	uint32_t number[TRIAL_LANES];
	/* what distinguishes a lane's values from those of others with its number */
	uint32_t salt[TRIAL_LANES];
	bool salted;            /* the salts had an effect */
} Trial_block;

/* Live-in values: by definition of the input, or by register if several definitions reach the loop.
 * An array over lanes; NULL until needed. */
typedef struct {
	const uint64_t **of_def, **of_sym;
	bool *making;           /* by definition: its value is being computed */
} Live_in_values;

/* Hash tables, at most half full. Words of the buffer are in use in the current run only. */
typedef struct {
	Buffer_word *words; uint32_t nwords, words_cap;
	uint32_t epoch;         /* number of barriers so far */
	uint32_t run;           /* number of the run of the output, from 1 */
	Variable_range warps[2]; /* what the first and the second warp of a block accessed */
} Trial_buffer;
typedef struct {
	Local_word *cells; uint32_t ncells, cells_cap;
	Variable_range vars[TRIAL_WINDOWS]; uint32_t nvars;
} Trial_local_memory;

/* Statements per lane: in all trials, and the limits of the current one. */
typedef struct {
	uint32_t all, work;     /* work: of the input */
	uint32_t longest, soon, soonest; /* if all lanes must end, if not, and for probes */
} Trial_steps;

/* What the trials have reached. */
typedef struct {
	/* statements of the input reached in trials of full warps, and of others */
	Bits came[2];
	/* instructions of the inserted text; percentage that was reached */
	uint32_t all, share;
} Trial_coverage;

/* What lanes hold after the loop. */
typedef struct {
	uint32_t lanes;         /* during the comparison: lanes with the same exit */
	/* registers live at the statement `at`, by local symbol; at is 0 if not computed */
	uint32_t at;
	Bits live;
	/* by register of the input: combined values after the loop, if lanes may differ; NULL if
	 * they may not */
	Lane_total *totals;
} Trial_exit;

typedef struct {
	Loop_check *s;
	Trial_text in, out;
	uint32_t *loop, nloop;  /* local statements of the loop */
	/* addresses of called functions without side effects */
	uint64_t silent[TRIAL_WINDOWS]; uint32_t nsilent;
	uint32_t lanes;         /* those that enter the loop */
	Number_source by;
	Trial_block block;
	Live_in_values values;
	Trial_buffer buffer;
	Trial_local_memory local;
	Trial_exit exit;
	Probes probes;
	Trial_steps steps;
	Trial_coverage coverage;
	Proof_fault fault;      /* what is wrong, or (unknown) why it cannot be tried */
} Trial;

/* A statement of the loop, by its number in Trial.loop. */
static inline Trial_insn *
trial_loop(Trial *t, uint32_t i)
{
	return trial_read(&t->in, t->in.f->stmt + t->loop[i]);
}

/* start_values.c: prepares new live-in values for the n-th trial */
void trial_start(Trial *t, uint32_t n, Number_range loads);
/* Discards the values of lanes, so that new salts take effect. */
void trial_clear_values(Trial *t);
/* Computes values that are not known yet. */
void trial_fill(Trial *t, const Trial_warp *w, Value_holder *h);

Trial_warp *trial_warp(Trial *t, Trial_text *c, uint32_t which);
/* Places lanes of the warp at a statement. */
void trial_warp_init(Trial_warp *w);
void trial_start_lanes(Trial_warp *w, uint32_t at, uint32_t mask);
/* Runs lanes until they wait, end, or leave the text. */
void trial_run(Trial *t, Trial_warp *w);
/* evaluate.c: value of an operand that modifies its holder's */
const uint64_t *trial_adjust(
	const Trial_warp *w, const Trial_operand *x, const Lane_set *g, uint64_t *room);
static inline const Lane_values *
trial_lane_values(Trial *t, const Trial_warp *w, Value_holder *x, uint32_t mask)
{
	Lane_values *h = &x->of[w->which];

	if (mask & ~h->has)
		trial_fill(t, w, x);
	return h;
}
static inline const uint64_t *
trial_operand_values(
	Trial *t, const Trial_warp *w, const Trial_operand *x, const Lane_set *g, uint64_t *room)
{
	const Lane_values *h = trial_lane_values(t, w, x->holder, g->mask);

	return x->plain ? h->v : trial_adjust(w, x, g, room);
}
/* Storage for a result. */
static inline uint64_t *
trial_result_values(const Trial_warp *w, const Trial_operand *x, const Lane_set *g, uint64_t *room)
{
	if (x->kind != ARG_REG)
		return room;
	Lane_values *h = &x->holder->of[w->which];
	h->has |= g->mask;
	h->wrote |= g->mask;
	return h->v;
}
static inline void
trial_set_result(const Trial_warp *w, const Trial_operand *x, uint32_t lane, uint64_t value)
{
	if (x->kind != ARG_REG)
		return;
	Lane_values *h = &x->holder->of[w->which];
	h->v[lane] = value & x->value;
	h->has |= UINT32_C(1) << lane;
	h->wrote |= UINT32_C(1) << lane;
}
/* collectives.c: executes a collective that all lanes of the mask have reached */
void trial_run_collective(Trial *t, Trial_warp *w, uint32_t mask);
bool trial_wrong(Trial *t, uint32_t stmt, const char *why);
bool trial_unknown(Trial *t, uint32_t stmt, const char *why);

/* One lane's access to the buffer. */
void trial_access(Trial *t, const Trial_warp *w, const Trial_insn *a, uint32_t lane,
	const uint64_t *const *takes);

/* ---- local memory (local_memory.c) ----------------------------------------------------------- */

void trial_local_init(Trial *t);
/* Adds the variable to the list if it is in that memory. */
void trial_add_variable(
	Variable_range *list, uint32_t *n, const Trial_text *c, uint32_t sym, Space space);
void trial_local_clear(Trial_local_memory *memory);
/* Whether the access goes to local memory. */
bool trial_is_local(const Trial_local_memory *memory, const Trial_insn *a, uint64_t at);
uint64_t trial_local_load(Trial *t, uint32_t lane, uint64_t at, uint32_t size);
void trial_local_store(Trial *t, uint32_t lane, uint64_t at, uint32_t size, uint64_t v);

/* compare.c: whether lanes end in the same state as in the input, with the same effects */
void trial_compare(Trial *t, const Trial_warp *input, const Trial_warp *output, Trial_warp *rest);

/* ---- the trial (trial.c) --------------------------------------------------------------------- */

typedef enum { TRIAL_SAME, TRIAL_OTHER, TRIAL_CANNOT } Trial_result;
/* Tries a site, proved or of unknown form. On failure s->why gets the reason. *share: percentage of
 * the inserted text's instructions that were executed. */
Trial_result trial_site(Loop_check *s, uint32_t *share);

#endif
