/* SPDX-License-Identifier: MIT */
/* Which computation an instruction performs in a trial, selected when it is decoded. Internal to
 * validate/trial/. */
#ifndef VALIDATE_TRIAL_OPERATIONS_H
#define VALIDATE_TRIAL_OPERATIONS_H

#include "validate/trial/trial.h"

/* CALC_HASH: a hash of the operands. Comparisons treat integers as 64-bit numbers with their lower
 * bits zero, and hash floating-point numbers, as random ones are hardly ever close to each other.
 * CALC_R_: floating-point operations, computed as integer operations. */
typedef enum {
	CALC_HASH,
	CALC_COPY, CALC_ADD, CALC_SUB, CALC_NEG, CALC_MUL, CALC_MAD, CALC_AND, CALC_OR, CALC_XOR,
	CALC_NOT, CALC_SHL, CALC_SHR, CALC_SELP, CALC_ZERO_EXTEND, CALC_SIGN_EXTEND, CALC_WIDE,
	CALC_SIGNED_WIDE, CALC_ADD_WIDE, CALC_ADD_SIGNED_WIDE,
	CALC_EQ, CALC_NE, CALC_LT, CALC_LE, CALC_GT, CALC_GE, CALC_SET_NOTHING, CALC_SET_HASH,
	CALC_R_ADD, CALC_R_SUB, CALC_R_NEG, CALC_R_MUL, CALC_R_FMA, CALC_EXTREME,
	CALC_SPLIT, CALC_JOIN, CALC_ABS, CALC_DIVIDE, CALC_HIGH, CALC_ADD_HIGH, CALC_SHR_SIGNED,
	CALC_FUNNEL, CALC_TABLE, CALC_DOT, CALC_BITS
} Calc;

/* evaluate.c: the function that computes an instruction. */
Insn_handler *trial_giver(const Trial_insn *a);

static inline uint64_t
trial_bits(uint32_t size)
{
	return size >= 8 ? UINT64_MAX : (UINT64_C(1) << 8 * size) - 1;
}
static inline bool trial_is_signed(Type t) { return t >= TYPE_S8 && t <= TYPE_S64; }

#endif
