/* SPDX-License-Identifier: MIT */
/* Selects the computation of an instruction in a trial (operations.h). */
#include "validate/trial/operations.h"

static Calc
product_operation(const Trial_opcode *code, bool plus)
{
	bool with_sign = trial_is_signed((Type)code->type);

	if (code->how == HOW_HI)
		return plus ? CALC_ADD_HIGH : CALC_HIGH;
	if (code->how != HOW_WIDE)
		return plus ? CALC_MAD : CALC_MUL;
	return plus ? (with_sign ? CALC_ADD_SIGNED_WIDE : CALC_ADD_WIDE) :
		      (with_sign ? CALC_SIGNED_WIDE : CALC_WIDE);
}

static Calc
integer_result_info(const Trial_insn *a)
{
	bool with_sign = trial_is_signed((Type)a->code.type);

	if (a->code.how == HOW_OTHER)
		return CALC_HASH;
	switch ((Op)a->code.op) {
	case OP_ADD: return CALC_ADD;
	case OP_SUB: return CALC_SUB;
	case OP_NEG: return CALC_NEG;
	case OP_ABS: return CALC_ABS;
	case OP_MUL: return product_operation(&a->code, false);
	case OP_MAD: return product_operation(&a->code, true);
	case OP_DIV: case OP_REM: return CALC_DIVIDE;
	case OP_SHL: return CALC_SHL;
	case OP_SHR: return with_sign ? CALC_SHR_SIGNED : CALC_SHR;
	case OP_SHF: return CALC_FUNNEL;
	case OP_LOP3: return a->nresults == 1 ? CALC_TABLE : CALC_HASH;
	case OP_DP4A: return a->code.how == HOW_NONE ? CALC_DOT : CALC_HASH;
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
float_result_info(const Trial_opcode *code)
{
	if (code->how == HOW_OTHER || (code->type != TYPE_F32 && code->type != TYPE_F64))
		return CALC_HASH;
	switch ((Op)code->op) {
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
comparison_info(const Trial_opcode *code)
{
	if (code->how == HOW_OTHER || trial_is_float((Type)code->type))
		return CALC_SET_HASH;
	switch ((Modifier)code->how) {
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
	bool is_real = trial_is_float((Type)a->code.type);

	if (a->code.op == OP_LD || !a->nresults || !a->noperands)
		return CALC_HASH;
	switch ((Op)a->code.op) {
	case OP_CVTA: return CALC_COPY;
	case OP_MOV:
		return a->code.size > 8 ? CALC_HASH :
			a->noperands > 1 ? CALC_JOIN : a->nresults > 1 ? CALC_SPLIT : CALC_COPY;
	case OP_SETP: return comparison_info(&a->code);
	case OP_CVT:
		return a->code.from == TYPE_NONE || is_real ? CALC_HASH :
			trial_is_signed((Type)a->code.type) ? CALC_SIGN_EXTEND :
							      CALC_ZERO_EXTEND;
	default: return is_real ? float_result_info(&a->code) : integer_result_info(a);
	}
}

void
trial_calc(Trial_insn *a)
{
	const Trial_opcode *code = &a->code;
	Trial_computation *k = &a->compute;
	bool wide = code->how == HOW_WIDE && (code->op == OP_MUL || code->op == OP_MAD);
	uint32_t size = code->op == OP_CVT ? ptx_type_size((Type)code->from) : code->size;

	k->calc = (uint8_t)insn_operation(a);
	k->handler = trial_giver(a);
	k->bits = a->nresults ? a->results[0].value : 0;
	k->up = code->size > 0 && code->size < 8 ? (uint8_t)(64 - 8 * code->size) : 0;
	/* unsigned comparisons flip the sign bits and compare as signed */
	if (code->how >= HOW_LO || !trial_is_signed((Type)code->type))
		k->flip = UINT64_C(1) << 63;
	if (code->op != OP_CVTA && code->op != OP_SETP && code->type != TYPE_PRED)
		k->bits &= trial_bits(wide ? 2 * size : size ? size : 8);
}
