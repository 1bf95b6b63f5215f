/* SPDX-License-Identifier: MIT */
/* The number of blocks that run all tasks of a launch, in a kernel with a task loop whose paths are
 * collected. It is computed at the head of the loop, in a register that grid.tpl names
 * %ccc1_step; programs contain the text without its comments. Collected tasks are in a buffer of
 * the kernel, ccc2_tasks. */
#include <string.h>
#include "simt/state/sim.h"

static bool
has_name(const Module *m, uint32_t sym, const char *prefix, const char *suffix)
{
	size_t n, head = strlen(prefix), tail = strlen(suffix);
	const char *s = ptx_name(m, sym, &n);

	return n > head + tail && memcmp(s, prefix, head) == 0 &&
		memcmp(s + n - tail, suffix, tail) == 0;
}

/* Returns a local symbol of the function by its name; 0: there is none. */
static uint32_t
find_symbol(const Module *m, const Func *f, const char *prefix, const char *suffix)
{
	PTX_SYMS(f, sym)
		if (has_name(m, sym, prefix, suffix))
			return sym;
	return 0;
}

/* Updates the number of blocks by a statement that writes it. */
static uint64_t
blocks_after_stmt(const Module *m, const Stmt *s, uint64_t n, uint64_t warps)
{
	const Opnd *last = &m->opnds[ptx_operand(m, s, s->nopnd - 1u)];
	uint64_t v = 0;
	bool constant = last->kind == OPND_IMM && ptx_imm_sized(m, last, 4, &v);

	switch (ptx_op(m, s)) {
	case OP_MOV: return v;
	case OP_DIV: return n / warps;
	case OP_MAX: return constant && n < v ? v : n;
	case OP_MIN: return constant && n > v ? v : n;
	case OP_MUL: return n * v;
	default: return n;
	}
}

uint64_t
sim_collecting_blocks(const Sim *s, const Sim_kernel *k, uint64_t threads)
{
	const Module *m = s->m;
	const Func *f = &m->funcs[k->func];
	uint32_t step = find_symbol(m, f, "%ccc", "_step");
	uint64_t n = 0;

	if (!step || !threads || !find_symbol(m, f, "ccc", "_tasks"))
		return 0;
	PTX_STMTS(f, i) {
		const Stmt *st = &m->stmts[i];
		if (st->kind == STMT_INSN && st->nopnd > 1 &&
			m->opnds[ptx_operand(m, st, 0)].kind == OPND_SYM &&
			m->opnds[ptx_operand(m, st, 0)].sym == step)
			n = blocks_after_stmt(m, st, n, (threads + 31) / 32);
	}
	return n;
}
