/* SPDX-License-Identifier: MIT */
/* Predicts which multiplications ptxas contracts with the additions that read them.
 *
 * PTX ISA 9.7.3 (add, mul): without a rounding modifier, a multiplication and an addition may
 * become one fused multiply-add, which rounds once. Whether they do depends on the code around
 * them, so a copy of a loop may round differently from the loop. docs/proofs/contraction.md
 * describes ptxas's rule, and why copies written by it preserve every bit. */
#ifndef ANALYSIS_CONTRACTION_CONTRACTION_H
#define ANALYSIS_CONTRACTION_CONTRACTION_H

#include "analysis/dataflow/function.h"

typedef enum {
	CONTRACT_NONE,          /* no product that an addition reads */
	CONTRACT_NEVER,         /* separate multiplication and addition, two roundings */
	CONTRACT_ALWAYS,        /* fused with the additions, which are in the same block */
	CONTRACT_UNKNOWN        /* depends on how ptxas transforms the control flow */
} Contract;

struct Contraction {
	uint8_t *of;            /* Contract of a statement, by ptx_local_stmt */
	/* by ptx_local_stmt: products that ptxas fuses if it sees the readers that the text has */
	Bits fused;
	/* by ptx_local_stmt: multiplications and additions that copies write with .rn */
	Bits rounded;
	/* by ptx_local_stmt: operations on the sign of an f32 whose sign is seen if the result is a
	 * NaN */
	Bits signs;
	/* by block: a CONTRACT_UNKNOWN product, or an operation on a sign that ptxas may compute in
	 * several ways, if it is computed or read in the block, or control may pass through the
	 * block in between; 0: none */
	uint32_t *unknown;
};

/* The role of an instruction in contraction. */
typedef enum { FLOAT_NONE, FLOAT_FUSED, FLOAT_PRODUCT, FLOAT_SUM } Float_kind;
Float_kind contraction_kind(const Module *m, const Stmt *s);
/* Returns NULL if the function has no product that an addition reads. */
Contraction *contraction_build(const Fn *fn, Arena *a);
/* Returns the statements, by ptx_local_stmt, that some effect depends on. */
Bits contraction_live(const Fn *fn, Arena *a);
/* Whether a statement computes from literals only, or compares or selects between equal
 * registers. */
bool contraction_is_foldable(const Fn *fn, uint32_t stmt);
/* Whether an instruction ends a block at the time when ptxas fuses. */
typedef enum { BLOCK_CONTINUES, BLOCK_MAY_END, BLOCK_ENDS } Block_end;
Block_end contraction_block_end(const Module *m, const Stmt *s, bool guarded);
/* Returns what ptxas does with a product. */
Contract contraction_of(const Fn *fn, uint32_t stmt);
/* Whether ptxas fuses the product if the code around it remains as it is: only sums read it,
 * without moves in between, in its own block or where ptxas computes the product again. */
bool contraction_is_fused(const Fn *fn, uint32_t stmt);
/* Whether the statement is an operation on the sign of an f32, and something sees the sign that it
 * gives a NaN. */
bool contraction_shows_sign(const Fn *fn, uint32_t stmt);
/* Whether a copy of the statement needs a rounding modifier. */
bool contraction_rounds(const Fn *fn, uint32_t stmt);
/* Returns the entry of `unknown` of one of the blocks; 0 if there is none. */
uint32_t contraction_unknown_in(const Fn *fn, Bits blocks);

#endif
