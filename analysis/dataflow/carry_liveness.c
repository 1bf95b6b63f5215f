/* SPDX-License-Identifier: MIT */
/* Liveness of the carry flag; see carry.h.
 *
 * One bit a thread, so one walk backwards from the blocks that read it before they set it, through
 * those that do not set it. An instruction under a guard sets it for what stands under the same
 * guard only. A call sets nothing: PTX does not keep the flag across calls (PTX ISA 9.7.2), so
 * code that reads it behind one may find anything, and counting it as live there refuses more, not
 * less.
 */
#include "analysis/dataflow/carry_liveness.h"
#include "base/vec.h"

/* For whom the flag was set in the block at hand: for all lanes, or for those that a guard lets
 * through. */
typedef struct { bool all; uint8_t guard; uint32_t pred; } Set;

static bool
reads(Op op)
{
	return op == OP_ADDC || op == OP_SUBC || op == OP_MADC;
}

static bool
writes(const Module *m, const Stmt *s)
{
	return (ptx_flags(m, s) & OPF_CARRY) && ptx_has(m, s, "cc");
}

/* The first statement of a block that reads the flag as it comes in, 0 if there is none; does the
 * block set it? */
static uint32_t
scan(const Cfg *g, const Refs *refs, uint32_t block, bool *sets)
{
	Set set = { false, 0, 0 };

	CFG_STMTS(g, block, i) {
		const Stmt *s = &g->m->stmts[i];
		if (s->kind != STMT_INSN)
			continue;
		bool covered = set.all || (s->guard && s->guard == set.guard && s->sym == set.pred);
		if (!covered && reads(ptx_op(g->m, s)))
			return i;
		REFS_EACH(refs, i, r)
			if (r->written && r->sym == set.pred)
				set.guard = 0;
		if (writes(g->m, s))
			set = (Set){ set.all || !s->guard, s->guard, s->sym };
	}
	*sets = set.all;
	return 0;
}

uint32_t *
carry_build(const Cfg *g, const Refs *refs, Arena *a)
{
	uint32_t *read = arena_array(a, g->nblocks, sizeof *read);
	bool *sets = arena_array(a, g->nblocks, sizeof *sets);
	VEC(uint32_t) todo = { 0 };

	for (uint32_t b = 1; b < g->nblocks; b++)
		if ((read[b] = scan(g, refs, b, &sets[b])))
			*vec_push(&todo) = b;
	while (todo.n) {
		uint32_t b = *vec_pop(&todo);
		CFG_PRED(g, b, p) {
			if (read[p] || sets[p])
				continue;
			read[p] = read[b];
			*vec_push(&todo) = p;
		}
	}
	vec_free(&todo);
	return read;
}
