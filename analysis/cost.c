/* SPDX-License-Identifier: MIT */
/* Issue slots by cost class, for one warp instruction on a machine with four schedulers a
 * multiprocessor, after the throughput table of the CUDA C++ Programming Guide (arithmetic
 * instructions, compute capability 9.0; results a clock and multiprocessor, 128 = one slot).
 * Memory and synchronisation are rough latencies seen through typical occupancy.
 */
#include "analysis/cost.h"

static const uint8_t slots[] = {
	[COST_NONE] = 0,
	[COST_ALU] = 2,
	[COST_MUL] = 2,
	[COST_FMA] = 1,
	[COST_F64] = 2,
	[COST_SFU] = 8,
	[COST_CVT] = 2,
	[COST_MEM] = 16,
	[COST_ATOM] = 32,
	[COST_SYNC] = 8,
	[COST_BRANCH] = 2,
	[COST_CALL] = 64,
	[COST_MMA] = 16,
};

uint64_t
cost_stmt(const Fn *fn, uint32_t stmt)
{
	const Stmt *s = fn_stmt(fn, stmt);

	return s->kind == STMT_INSN ? slots[ptx_ops[ptx_op(fn->m, s)].cost] : 0;
}

uint64_t
cost_block(const Fn *fn, uint32_t block)
{
	uint64_t sum = 0;

	FN_BLOCK_STMTS(fn, block, s)
		sum += cost_stmt(fn, s);
	return sum;
}

/* How often a block of a set is run, for a run of the set that begins in a loop of depth `base`. */
static uint64_t
times(const Fn *fn, uint32_t block, uint32_t base)
{
	uint32_t depth = fn->loops->loops[fn->loops->loop_of[block]].depth;
	uint64_t n = 1;

	for (uint32_t i = base; i < depth && i < base + 8; i++)
		n *= COST_LOOP_WEIGHT;
	return n;
}

uint64_t
cost_blocks(const Fn *fn, Bits blocks, uint32_t entry)
{
	uint32_t base = fn->loops->loops[fn->loops->loop_of[entry]].depth;
	uint64_t sum = 0;

	BITS_EACH(b, blocks)
		sum += cost_block(fn, b) * times(fn, b, base);
	return sum;
}

/* ---- issue ----------------------------------------------------------------------------------- */

/* Halves of a slot. Throughputs are those of the same table, as far as dependent instructions
 * reach them; what a division becomes, and a function's prologue, are guesses. */
static const uint8_t halves[] = {
	[COST_NONE] = 0,
	[COST_ALU] = 2,
	[COST_MUL] = 3,
	[COST_FMA] = 3,
	[COST_F64] = 3,
	[COST_SFU] = 12,
	[COST_CVT] = 4,
	[COST_MEM] = 6,
	[COST_ATOM] = 8,
	[COST_SYNC] = 6,
	[COST_BRANCH] = 2,
	[COST_CALL] = 60,
	[COST_MMA] = 32,
};
enum { DIVISION = 30, ROOT = 20, MANY_DOUBLE = 60, LITERAL = 4 };

/* Of a move: it is a name of its operand, as a rule. But each half of a double that is not short
 * enough for an instruction's own constant is moved, wherever it is used. */
static double
issue_move(const Fn *fn, const Stmt *s)
{
	const Opnd *from = &fn->m->opnds[ptx_operand(fn->m, s, 1)];
	uint64_t bits;
	bool real = false;

	return ptx_insn_type(fn->m, s) == TYPE_F64 && from->kind == OPND_IMM &&
			ptx_imm(fn->m, from, &bits, &real) && real && (uint32_t)bits ?
		LITERAL / 2.0 :
		0;
}

static double
issue(const Fn *fn, const Stmt *s)
{
	bool is_double = ptx_insn_type(fn->m, s) == TYPE_F64;

	switch (ptx_op(fn->m, s)) {
	case OP_MOV: return issue_move(fn, s);
	case OP_DIV:
	case OP_REM: return (is_double ? MANY_DOUBLE : DIVISION) / 2.0;
	case OP_SQRT:
	case OP_RCP:
		if (!ptx_has(fn->m, s, "approx"))
			return (is_double ? MANY_DOUBLE : ROOT) / 2.0;
		/* fallthrough */
	default: return halves[ptx_ops[ptx_op(fn->m, s)].cost] / 2.0;
	}
}

/* Do lanes name places of their own? */
static bool
is_scattered(const Fn *fn, uint32_t stmt)
{
	const Stmt *s = fn_stmt(fn, stmt);

	if (!(ptx_flags(fn->m, s) & (OPF_LOAD | OPF_STORE | OPF_ATOMIC)))
		return false;
	Space space = ptx_space(fn->m, s);
	if (space != SPACE_GLOBAL && space != SPACE_GENERIC && space != SPACE_TEX)
		return false;
	FN_USES_OF_STMT(fn, stmt, u)
		if (bits_has(fn->uniform->use, u))
			return true;
	return false;
}

Effort
effort_blocks(const Fn *fn, Bits blocks, uint32_t entry)
{
	uint32_t base = fn->loops->loops[fn->loops->loop_of[entry]].depth;
	Effort w = { 0 };

	BITS_EACH(b, blocks) {
		double n = (double)times(fn, b, base);
		FN_BLOCK_STMTS(fn, b, s) {
			if (fn_stmt(fn, s)->kind != STMT_INSN)
				continue;
			w.issue += n * issue(fn, fn_stmt(fn, s));
			w.memory += is_scattered(fn, s) ? n : 0;
		}
	}
	return w;
}
