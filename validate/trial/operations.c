/* SPDX-License-Identifier: MIT */
/* Selects the computation of an instruction in a trial (operations.h). */
#include "validate/trial/operations.h"

static Calc
product_operation(const Trial_insn *a, bool plus)
{
	bool with_sign = trial_is_signed((Type)a->type);

	if (a->how == HOW_HI)
		return plus ? CALC_ADD_HIGH : CALC_HIGH;
	if (a->how != HOW_WIDE)
		return plus ? CALC_MAD : CALC_MUL;
	return plus ? (with_sign ? CALC_ADD_SIGNED_WIDE : CALC_ADD_WIDE) :
		      (with_sign ? CALC_SIGNED_WIDE : CALC_WIDE);
}

static Calc
integer_result_info(const Trial_insn *a)
{
	bool with_sign = trial_is_signed((Type)a->type);

	if (a->how == HOW_OTHER)
		return CALC_HASH;
	switch ((Op)a->op) {
	case OP_ADD: return CALC_ADD;
	case OP_SUB: return CALC_SUB;
	case OP_NEG: return CALC_NEG;
	case OP_ABS: return CALC_ABS;
	case OP_MUL: return product_operation(a, false);
	case OP_MAD: return product_operation(a, true);
	case OP_DIV: case OP_REM: return CALC_DIVIDE;
	case OP_SHL: return CALC_SHL;
	case OP_SHR: return with_sign ? CALC_SHR_SIGNED : CALC_SHR;
	case OP_SHF: return CALC_FUNNEL;
	case OP_LOP3: return a->nresults == 1 ? CALC_TABLE : CALC_HASH;
	case OP_DP4A: return a->how == HOW_NONE ? CALC_DOT : CALC_HASH;
	case OP_AND: return CALC_AND;
	case OP_OR: return CALC_OR;
	case OP_XOR: return CALC_XOR;
	case OP_NOT: return CALC_NOT;
	case OP_MIN: case OP_MAX: return CALC_EXTREME;
	case OP_SELP: return CALC_SELP;
	case OP_POPC: case OP_CLZ: case OP_BREV: return CALC_BITS;
	case OP_BFIND: return with_sign ? CALC_HASH : CALC_BITS;
	default: return CALC_HASH;
	}
}

static Calc
float_result_info(const Trial_insn *a)
{
	if (a->how == HOW_OTHER || (a->type != TYPE_F32 && a->type != TYPE_F64))
		return CALC_HASH;
	switch ((Op)a->op) {
	case OP_ADD: return CALC_R_ADD;
	case OP_SUB: return CALC_R_SUB;
	case OP_NEG: return CALC_R_NEG;
	case OP_MUL: return CALC_R_MUL;
	case OP_FMA: case OP_MAD: return CALC_R_FMA;
	case OP_MIN: case OP_MAX: return CALC_EXTREME;
	case OP_SELP: return CALC_SELP;
	default: return CALC_HASH;
	}
}

static Calc
comparison_info(const Trial_insn *a)
{
	if (a->how == HOW_OTHER || trial_is_float((Type)a->type))
		return CALC_SET_HASH;
	switch ((Modifier)a->how) {
	case HOW_EQ: return CALC_EQ;
	case HOW_NE: return CALC_NE;
	case HOW_LO: case HOW_LT: return CALC_LT;
	case HOW_LS: case HOW_LE: return CALC_LE;
	case HOW_HI: case HOW_GT: return CALC_GT;
	case HOW_HS: case HOW_GE: return CALC_GE;
	default: return CALC_SET_NOTHING;
	}
}

static Calc
insn_operation(const Trial_insn *a)
{
	bool is_real = trial_is_float((Type)a->type);

	if (a->op == OP_LD || !a->nresults || !a->noperands)
		return CALC_HASH;
	switch ((Op)a->op) {
	case OP_CVTA: return CALC_COPY;
	case OP_MOV:
		return a->size > 8 ? CALC_HASH :
			a->noperands > 1 ? CALC_JOIN : a->nresults > 1 ? CALC_SPLIT : CALC_COPY;
	case OP_SETP: return comparison_info(a);
	case OP_CVT:
		return a->from == TYPE_NONE || is_real  ? CALC_HASH :
			trial_is_signed((Type)a->type) ? CALC_SIGN_EXTEND : CALC_ZERO_EXTEND;
	default: return is_real ? float_result_info(a) : integer_result_info(a);
	}
}

void
trial_calc(Trial_insn *a)
{
	bool wide = a->how == HOW_WIDE && (a->op == OP_MUL || a->op == OP_MAD);
	uint32_t size = a->op == OP_CVT ? ptx_type_size((Type)a->from) : a->size;

	a->calc = (uint8_t)insn_operation(a);
	a->handler = trial_giver(a);
	a->bits = a->nresults ? a->results[0].value : 0;
	a->up = a->size > 0 && a->size < 8 ? (uint8_t)(64 - 8 * a->size) : 0;
	/* unsigned comparisons flip the sign bits and compare as signed */
	if (a->how >= HOW_LO || !trial_is_signed((Type)a->type))
		a->flip = UINT64_C(1) << 63;
	if (a->op != OP_CVTA && a->op != OP_SETP && a->type != TYPE_PRED)
		a->bits &= trial_bits(wide ? 2 * size : size ? size : 8);
}
