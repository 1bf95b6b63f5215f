/* SPDX-License-Identifier: MIT */
/* What all decoders share: reading the modifiers at an instruction's head, and turning its operands
 * into rows. Internal to simt/. */
#ifndef SIMT_OPERANDS_OPERAND_DECODE_H
#define SIMT_OPERANDS_OPERAND_DECODE_H

#include "simt/sass/atomic_uniformity.h"
#include "simt/sass/issue_slots.h"
#include "simt/state/sim.h"

enum { HEAD_WORDS = 16 };

/* A place in a block where a cut, or a block of it, is counted: cuts.c. */
typedef struct { uint32_t block, place, of; } Head_place;

typedef struct {
	Sim *sim;
	Prog *p;
	const Module *m;
	const Func *f;
	uint32_t code;              /* index of the Code being made */
	Cfg *cfg;
	Machine *machine;
	Bits polls;                 /* statements: spin_loops.h */
	const Atom *atoms;          /* atomic_uniformity.h */
	Bits meet;                  /* blocks at whose beginning lanes may meet */
	const Stmt *s;              /* the statement being decoded */
	uint32_t stmt;
	struct { const char *s; uint32_t n; } word[HEAD_WORDS]; /* modifiers, without dots */
	uint32_t nwords;
	uint32_t used;              /* a bit for each word that the decoder took note of */
	Ty type[4]; uint32_t ntypes;
	uint32_t *row_of;           /* by ptx_local_sym: a register's row */
	uint32_t *local_of;         /* by ptx_local_sym: 1 + offset of a variable in local memory */
	uint32_t *bucket;           /* nstmt + 1: 1 + index of the last row of a hash, 0: none */
	VEC(Head_place) places;     /* of the function */
	const char *bad;            /* what of the statement is not supported; NULL: all is */
	Buf *out;
} Head;

void head_read(Head *h, uint32_t stmt);
/* Sets h->bad. */
void head_bad(Head *h, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
bool head_has(Head *h, const char *word);
/* Index of the first of the words (NULL-terminated) that stands in the head; -1: none does. */
int head_which(Head *h, const char *const *words);
/* The index of a word that no decoder has asked for, and that may change what the instruction does;
 * -1: there is none. */
int head_unused(const Head *h);

/* ---- operands: k is the index of an operand in Module.opnds, 0 = none ------------------------ */

uint32_t head_operand(const Head *h, uint32_t k);           /* k-th top-level operand */
/* The row of a source of type t: a register, a constant, a special register or an address.
 * Predicates: may be negated (sets *negated, which may be NULL otherwise). */
uint32_t head_source(Head *h, uint32_t opnd, Ty t, bool *negated);
uint32_t head_row(Head *h, uint32_t sym);                   /* a register's row */
/* The row of a destination: a register's, or for _ the scratch row. */
uint32_t head_dest(Head *h, uint32_t opnd, Ty t);
uint32_t head_const(Head *h, uint64_t value, uint32_t width);
/* Are the lanes of the row of this operand 64 bits wide? */
bool head_wide(const Head *h, uint32_t opnd);
/* Row and offset of an address operand, into i->a, i->imm, F_ADDR32. */
void head_address(Head *h, uint32_t opnd, Inst *i);

/* The usual operands: d, a, b, c, all of type t. */
void head_operands(Head *h, Inst *i, Ty t, uint32_t nsources);
/* Semantics and scope of an access or a fence: F_STRONG and i->order (PTX ISA, Memory Consistency
 * Model). */
void head_order(Head *h, Inst *i);
/* Rounding and .ftz, .sat of floating-point arithmetic. */
void head_rounding(Head *h, Inst *i);

/* variables.c: the address of a variable in its own space. */
uint64_t memory_place(Sim *s, uint32_t sym);

#endif
