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

/* Whether a path of the function is collected. */
static bool
collects_tasks(const Module *m, const Func *f)
{
	PTX_STMTS(f, i)
		PTX_REFS(m, &m->stmts[i], r)
			if (m->syms[r.sym].space == SPACE_SHARED &&
				has_name(m, r.sym, "ccc", "_tasks"))
				return true;
	return false;
}

/* The register with the number of blocks; 0: not met yet. n: its value. */
typedef struct { uint32_t sym; uint64_t warps, n; } Kept_blocks;

/* Executes a statement of the head of the loop if it writes the register. */
static void
execute_head_stmt(const Module *m, const Stmt *s, Kept_blocks *k)
{
	if (s->kind != STMT_INSN || s->nopnd < 2)
		return;
	const Opnd *to = &m->opnds[ptx_operand(m, s, 0)];
	const Opnd *last = &m->opnds[ptx_operand(m, s, s->nopnd - 1u)];
	uint64_t v = 0;

	if (to->kind != OPND_SYM ||
		(k->sym ? to->sym != k->sym : !has_name(m, to->sym, "%ccc", "_step")))
		return;
	k->sym = to->sym;
	bool constant = last->kind == OPND_IMM && ptx_imm_sized(m, last, 4, &v);
	switch (ptx_op(m, s)) {
	case OP_MOV: k->n = v; break;
	case OP_DIV: k->n /= k->warps; break;
	case OP_MAX: k->n = constant && k->n < v ? v : k->n; break;
	case OP_MIN: k->n = constant && k->n > v ? v : k->n; break;
	case OP_MUL: k->n *= v; break;
	default: break;
	}
}

uint64_t
sim_collecting_blocks(const Sim *s, const Sim_kernel *k, uint64_t threads)
{
	const Func *f = &s->m->funcs[k->func];
	Kept_blocks kept = { .warps = (threads + 31) / 32 };

	if (!threads || !collects_tasks(s->m, f))
		return 0;
	PTX_STMTS(f, i)
		execute_head_stmt(s->m, &s->m->stmts[i], &kept);
	return kept.n;
}
