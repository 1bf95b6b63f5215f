/* SPDX-License-Identifier: MIT */
/* Which multiplications ptxas contracts with the additions that read them.
 *
 * PTX ISA 9.7.3 (add, mul): without a rounding modifier, a multiplication and an addition may
 * become one fused multiply-add, which rounds once. Whether they do depends on the code around
 * them, so a copy of a loop may round differently from the loop. docs/proofs/contraction.md has
 * ptxas's rule, what it was measured on, and why copies that are written by it keep every bit.
 */
#ifndef ANALYSIS_CONTRACTION_CONTRACTION_H
#define ANALYSIS_CONTRACTION_CONTRACTION_H

#include "analysis/dataflow/function.h"

typedef enum {
	CONTRACT_NONE,          /* no product that an addition reads */
	CONTRACT_NEVER,         /* multiplied and added, with two roundings */
	CONTRACT_ALWAYS,        /* fused with the additions, which are in its block */
	CONTRACT_UNKNOWN        /* depends on what ptxas makes of the control flow */
} Contract;

struct Contraction {
	uint8_t *of;            /* Contract of a statement, by ptx_local_stmt */
	/* by ptx_local_stmt: multiplications and additions that copies write with .rn */
	Bits rounded;
	/* by ptx_local_stmt: operations on the sign of an f32, if the sign that they give a NaN is
	 * seen */
	Bits signs;
	/* by block: a product that is CONTRACT_UNKNOWN, or an operation on a sign of which it is
	 * not known how ptxas computes it, if it is computed or read there, or control may pass
	 * there in between; 0: there is none */
	uint32_t *unknown;
};

/* What an instruction is to contraction. */
typedef enum { FLOAT_NONE, FLOAT_FUSED, FLOAT_PRODUCT, FLOAT_SUM } Float_kind;
Float_kind contraction_kind(const Module *m, const Stmt *s);
/* NULL if the function has neither a product that an addition reads nor an operation on a sign. */
Contraction *contraction_build(const Fn *fn, Arena *a);
/* The statements, by ptx_local_stmt, that some effect depends on. */
Bits contraction_live(const Fn *fn, Arena *a);
/* Does a statement compute from literals, or compare or select between equal registers? */
bool contraction_folds(const Fn *fn, uint32_t stmt);
/* Does an instruction end a block as ptxas has it when it fuses? */
typedef enum { BLOCK_CONTINUES, BLOCK_MAY_END, BLOCK_ENDS } Block_end;
Block_end contraction_block_end(const Module *m, const Stmt *s, bool guarded);
/* What becomes of a product. */
Contract contraction_of(const Fn *fn, uint32_t stmt);
/* Is it an operation on the sign of an f32, and does something see the sign that it gives a NaN? */
bool contraction_shows_sign(const Fn *fn, uint32_t stmt);
/* Does a copy of the statement need a rounding modifier? */
bool contraction_rounds(const Fn *fn, uint32_t stmt);
/* The entry of `unknown` of one of the blocks; 0: there is none. */
uint32_t contraction_unknown_in(const Fn *fn, Bits blocks);

#endif
