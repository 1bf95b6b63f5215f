/* SPDX-License-Identifier: MIT */
/* Follows a lane through an arm of the input and through the melded text. Internal to
 * validate/arms/.
 *
 * Values are terms, represented by 64-bit hashes: equal terms have equal numbers, and different
 * ones almost never do. Both texts' registers hold terms over the values that the input's registers
 * had at the last node. A node is a pair of statements, one of each text, at which a lane can be
 * after a conditional branch. What is known there is which registers are equal, so the states at a
 * node form a partition of the registers, which is refined until nothing changes. */
#ifndef VALIDATE_ARMS_ARMS_H
#define VALIDATE_ARMS_ARMS_H

#include "validate/task/task.h"
#include "validate/trial/trial.h"

/* A term. The lowest bit of a predicate's term tells whether it is negated. */
typedef uint64_t Value;
enum { VALUE_TRUE = 2, VALUE_FALSE = 3 };
static inline Value
value_not(Value v)
{
	return v ^ 1;
}
static inline Value
value_make(uint64_t a, uint64_t b)
{
	return (trial_mix(a, b) & ~UINT64_C(1)) | UINT64_C(1) << 63;
}

/* One of the texts: the input, or the output. Slots are the registers and call parameters that the
 * arms name in either text. Slot 0 is the carry flag. */
typedef struct {
	const Module *m;
	const Func *f;
	uint32_t *slot;     /* by local symbol; 0: none */
	VEC(uint32_t) syms; /* by slot */
	uint32_t *label;    /* by local symbol: the label's statement */
	Value *value;       /* by slot, of the lane */
} Arm_text;

/* What a lane does next, after it has computed what it can. */
typedef enum { STEP_EVENT, STEP_BRANCH, STEP_LEAVE, STEP_UNKNOWN } Step_kind;
typedef struct {
	Step_kind kind;
	uint32_t stmt;
	/* EVENT: opcode and operands; BRANCH: the predicate under which it is taken */
	Value value;
	uint32_t to; /* BRANCH: its target; LEAVE: statement of the input */
} Lane_step;

typedef struct {
	uint32_t in, out;
	uint32_t *classes;
	bool pending;
} Arm_node;

/* The first fault or, if `unknown`, a form that the check does not know; the line of the output. */
typedef struct {
	const char *why;
	bool unknown;
	uint32_t line;
} Arms_fault;

/* The check of one function. */
typedef struct {
	Input_text input;
	Arm_text in, out;
	const uint32_t *origin; /* by local statement of the output; 0: inserted */
	const Region *arm[2];   /* of the branch that is checked */
	uint32_t entry[2];      /* of the output: where lanes enter by the arm */
	Arena *arena;           /* for that branch */
	VEC(Arm_node) nodes;
	Value *saved;   /* the values of both texts, while others are assumed */
	uint32_t steps; /* statements executed */
	Arms_fault fault;
} Arms_check;

/* ---- values.c -------------------------------------------------------------------------------- */

/* Executes the statement. Returns false if it is an event or a branch, which *step then describes;
 * *step is unset if nothing is left to do. */
bool arm_execute(Arm_text *t, uint32_t stmt, Lane_step *step);
/* The value of the predicate under which the statement is executed; VALUE_TRUE if it has none. */
Value arm_guard(const Arm_text *t, const Stmt *s);
/* Sets the results of an event. */
void arm_set_results(Arm_text *t, uint32_t stmt, Value result);
/* The value of a register that nothing has written yet. */
Value arm_start_value(const Module *m, uint32_t sym);

/* ---- follow.c -------------------------------------------------------------------------------- */

/* Whether the statement of the input belongs to the code of an arm of the branch. */
bool arm_has_stmt(const Arms_check *w, uint32_t stmt);
/* Follows a lane that enters by the arm. Returns false and sets w->fault if it may do something
 * else than in the input. */
bool arm_follow(Arms_check *w, uint32_t arm);
bool arm_fault(Arms_check *w, uint32_t out, bool unknown, const char *why);

/* ---- arms.c ---------------------------------------------------------------------------------- */

/* See validate_arms(). Returns no reason if the output is right. */
Arms_fault arms_check(
	const Fn *fn, const Regions *rs, const Module *out, const uint32_t *markers, uint32_t n);

#endif
