/* SPDX-License-Identifier: MIT */
/* Issue slots by cost class, for one warp instruction on a multiprocessor with four schedulers,
 * after the throughput table of the CUDA C++ Programming Guide (arithmetic instructions, compute
 * capability 9.0; results per clock and multiprocessor, 128 = one slot). Memory and synchronisation
 * are rough latencies at typical occupancy. */
#include "analysis/cost/static_cost.h"

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

/* Returns the weight of a block for an execution of the set that begins at loop depth `base`. */
static uint64_t
run_count(const Fn *fn, uint32_t block, uint32_t base)
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
		sum += cost_block(fn, b) * run_count(fn, b, base);
	return sum;
}
