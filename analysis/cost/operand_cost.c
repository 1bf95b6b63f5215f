/* SPDX-License-Identifier: MIT */
/* Counts the registers that an instruction reads after ptxas has selected operands; see
 * operand_cost.h.
 *
 * PTX moves literals to registers if an instruction has two of them, or if nvcc decides so; a
 * machine instruction can encode one. In a polynomial evaluated by Horner's rule each step encodes
 * its coefficient and reads two registers; x = x * a + b with two literals does so too. */
#include "analysis/cost/operand_cost.h"

static const Opnd *
source_operand(const Fn *fn, uint32_t stmt, uint32_t i)
{
	return &fn->m->opnds[ptx_operand(fn->m, fn_stmt(fn, stmt), i)];
}

/* Whether the operand is a register without a component selector or a sign. */
static bool
operand_is_plain_register(const Fn *fn, const Opnd *o)
{
	return o->kind == OPND_SYM && fn_is_reg(fn, o->sym);
}

static bool
moves_literal(const Fn *fn, uint32_t stmt)
{
	return stmt && ptx_op(fn->m, fn_stmt(fn, stmt)) == OP_MOV &&
		source_operand(fn, stmt, 1)->kind == OPND_IMM;
}

static bool
is_literal(const Fn *fn, uint32_t stmt, const Opnd *o)
{
	if (!operand_is_plain_register(fn, o))
		return o->kind == OPND_IMM;
	FN_REACH(fn, defuse_find_use(fn, stmt, o->sym), d)
		if (!moves_literal(fn, fn_def(fn, d)->stmt))
			return false;
	return true;
}

/* Whether an earlier operand is the same register. */
static bool
operand_is_repeated(const Fn *fn, uint32_t stmt, uint32_t i)
{
	const Opnd *o = source_operand(fn, stmt, i);

	for (uint32_t k = 1; k < i; k++)
		if (operand_is_plain_register(fn, o) &&
			operand_is_plain_register(fn, source_operand(fn, stmt, k)) &&
			source_operand(fn, stmt, k)->sym == o->sym)
			return true;
	return false;
}

uint32_t
operands_registers(const Fn *fn, uint32_t stmt)
{
	uint32_t registers = 0, literals = 0;

	for (uint32_t i = 1; i < fn_stmt(fn, stmt)->nopnd; i++) {
		if (is_literal(fn, stmt, source_operand(fn, stmt, i)))
			literals++;
		else
			registers += !operand_is_repeated(fn, stmt, i);
	}
	return registers + (literals > 1 ? literals - 1 : 0);
}
