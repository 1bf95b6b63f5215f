/* SPDX-License-Identifier: MIT */
/* Liveness of the carry flag; see carry_liveness.h.
 *
 * The flag is one bit per thread, so one walk suffices: backwards from the blocks that read it
 * before they set it, through blocks that do not set it. A guarded instruction sets it only for
 * statements under the same guard. A call does not set it: PTX does not preserve the flag across
 * calls (PTX ISA 9.7.2), so code that reads it after a call reads an undefined value. Treating it
 * as live before the call is conservative. */
#include "analysis/dataflow/carry_liveness.h"
#include "base/vec.h"

/* The lanes for which the flag was set in the current block: all, or those that a guard lets
 * through. */
typedef struct { bool all; uint8_t guard; uint32_t pred; } Flag_setter;

static bool
op_reads_carry(Op op)
{
	return op == OP_ADDC || op == OP_SUBC || op == OP_MADC;
}

static bool
stmt_writes_carry(const Module *m, const Stmt *s)
{
	return (ptx_flags(m, s) & OPF_CARRY) && ptx_has(m, s, "cc");
}

/* Returns the first statement of a block that reads the value that the flag has at the start of the
 * block, or 0. *sets: whether the block sets the flag; valid only if the result is 0. */
static uint32_t
find_carry_read(const Cfg *g, const Refs *refs, uint32_t block, bool *sets)
{
	Flag_setter set = { false, 0, 0 };

	CFG_STMTS(g, block, i) {
		const Stmt *s = &g->m->stmts[i];
		if (s->kind != STMT_INSN)
			continue;
		bool covered = set.all || (s->guard && s->guard == set.guard && s->sym == set.pred);
		if (!covered && op_reads_carry(ptx_op(g->m, s)))
			return i;
		REFS_EACH(refs, i, r)
			if (r->written && r->sym == set.pred)
				set.guard = 0;
		if (stmt_writes_carry(g->m, s))
			set = (Flag_setter){ set.all || !s->guard, s->guard, s->sym };
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
		if ((read[b] = find_carry_read(g, refs, b, &sets[b])))
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
