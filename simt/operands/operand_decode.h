/* SPDX-License-Identifier: MIT */
/* Shared parts of all decoders: reading the modifiers of an opcode, and converting operands to
 * rows. Internal to simt/. */
#ifndef SIMT_OPERANDS_OPERAND_DECODE_H
#define SIMT_OPERANDS_OPERAND_DECODE_H

#include "simt/sass/atomic_uniformity.h"
#include "simt/sass/issue_slots.h"
#include "simt/state/sim.h"

enum { HEAD_WORDS = 16 };

/* A place in a block where a profile point, or one of its blocks, is counted: profile_counts.c. */
typedef struct { uint32_t block, place, of; } Operand_place;

/* An instruction of the promise check at the beginning of a block: promised_loops.c. */
typedef struct { uint32_t block, loop; Run *run; } Promised_place;
/* What profiles and the promise check add to the function. marks: the accesses with F_MARK, by
 * ptx_local_stmt. */
typedef struct {
	VEC(Operand_place) counted;
	VEC(Promised_place) promised;
	Bits marks;
} Added_code;

typedef struct {
	Sim *sim;
	Prog *p;
	const Module *m;
	const Func *f;
	uint32_t code;              /* index of the Code being decoded */
	Cfg *cfg;
	Issue_slots *machine;
	Bits polls;                 /* polling statements: spin_loops.h */
	const Atomic_uniformity *atoms; /* atomic_uniformity.h */
	Bits meet;                  /* blocks that begin with a reconvergence point */
	const Stmt *s;              /* the statement being decoded */
	uint32_t stmt;
	struct { const char *s; uint32_t n; } word[HEAD_WORDS]; /* modifiers, without dots */
	uint32_t nwords;
	uint32_t used;              /* bit mask of the words that the decoder has used */
	Ty type[4]; uint32_t ntypes;
	uint32_t *row_of;           /* by ptx_local_sym: row of a register */
	uint32_t *local_of;         /* by ptx_local_sym: 1 + offset of a variable in local memory */
	uint32_t *bucket; /* hash table of nstmt + 1 buckets: 1 + index of the last row; 0: none */
	Added_code added;
	const char *bad;            /* what is unsupported in the statement; NULL: nothing */
	Buf *out;
} Opcode;

void opcode_read(Opcode *h, uint32_t stmt);
/* Sets h->bad. */
void opcode_error(Opcode *h, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
bool opcode_has(Opcode *h, const char *word);
/* Returns the index of the first of the words (NULL-terminated) that is a modifier; -1: none is. */
int opcode_which(Opcode *h, const char *const *words);
/* Returns the index of a modifier that no decoder has used and that may affect the instruction; -1:
 * none. */
int opcode_first_unused(const Opcode *h);

/* ---- operands: `opnd` is an index into Module.opnds, 0 = none -------------------------------- */

uint32_t operand_next(const Opcode *h, uint32_t k);         /* k-th top-level operand */
/* Returns the row of a source of type t: a register, a constant, a special register or an address.
 * A predicate may be negated: sets *negated, which may be NULL otherwise. */
uint32_t operand_source(Opcode *h, uint32_t opnd, Ty t, bool *negated);
Guard operand_guard(Opcode *h, const Stmt *s);  /* of a statement; of none: always true */
/* Returns the row of a destination: a register's, or the scratch row for _. */
uint32_t operand_dest(Opcode *h, uint32_t opnd, Ty t);
uint32_t operand_const(Opcode *h, uint64_t value, uint32_t width);
/* Whether the operand's row has 64-bit lanes. */
bool operand_is_wide(const Opcode *h, uint32_t opnd);
/* Decodes an address operand into i->a, i->imm and F_ADDR32. */
void operand_address(Opcode *h, uint32_t opnd, Inst *i);

/* Decodes the usual operands: d, a, b, c, all of type t. */
void operands_decode(Opcode *h, Inst *i, Ty t, uint32_t nsources);
/* Decodes the semantics and scope of an access or a fence: F_STRONG and i->order (PTX ISA, Memory
 * Consistency Model). */
void opcode_memory_order(Opcode *h, Inst *i);
/* Decodes rounding, .ftz and .sat of floating-point arithmetic. */
void opcode_rounding(Opcode *h, Inst *i);

/* Returns the address of a variable in its own space (variables.c). */
uint64_t memory_place_variable(Sim *s, uint32_t sym);

#endif
