/* SPDX-License-Identifier: MIT */
/* `remap key(expression)`: threads are ordered by the value of an expression, not by the path that
 * they take, as in Shader Execution Reordering. The annotated statement is the only path, and
 * values of the key are its *buckets*: those below their number, and others by a hash. Since all
 * buckets have the same code, the key decides only which threads run together
 * (docs/proofs/remap.md, R10).
 *
 * The statement may call through a pointer: to any function of the module whose address is taken,
 * if no other module can be linked to it (R11). */
#include "transform/plan/plan.h"
#include "transform/remap/remap.h"

uint32_t
remap_ids(const Remap *k)
{
	return k->key.buckets ? k->key.buckets : k->npaths;
}

void
remap_count_buckets(Plan *x, const Threads *threads)
{
	const Annot *a = &plan_marker(x)->annot;
	uint32_t n = annot_has(a, CLAUSE_PATHS) ? a->number[CLAUSE_PATHS] : ANNOT_AUTO;

	if (annot_has_key(a)) {
		x->remap->key.buckets = n < REMAP_MOST_PATHS ? n : REMAP_MOST_PATHS;
		x->remap->key.callees = threads->open ? (Bits){ 0 } : threads->address_taken;
	} else if (annot_has(a, CLAUSE_PATHS)) {
		*vec_push(&x->hints) = verdict(x->arena, D_POLICY, DIAG_NOWHERE,
			"clause 'paths' is ignored: without 'key' the paths are the statements");
	}
}

/* Returns the register to which the statement copies a key; 0 if it does something else. */
static uint32_t
copied_key(const Fn *fn, uint32_t stmt)
{
	const Stmt *s = fn_stmt(fn, stmt);
	uint32_t sym = 0;

	if (!ptx_has_stmt(fn->f, stmt) || s->kind != STMT_INSN || s->guard ||
		ptx_op(fn->m, s) != OP_MOV || !ptx_has(fn->m, s, "b32"))
		return 0;
	FN_DEFS_OF_STMT(fn, stmt, d)
		sym = fn_def(fn, d)->sym;
	return sym;
}

/* Returns the first block after the statement that all threads reach; 0 if there is none. */
static uint32_t
join_of(const Fn *fn, const Region *r)
{
	uint32_t b = r->entry;

	while (b && bits_has(r->blocks, b))
		b = fn->dom->ipdom[b];
	return b;
}

Verdict
remap_find_key(Plan *x)
{
	Remap *k = x->remap;
	const Region *r = k->arms[0];
	uint32_t marker = plan_marker(x)->stmt;

	k->key.sym = copied_key(x->fn, marker - 1);
	if (!k->key.sym)
		return verdict_note(
			verdict(x->arena, D_REMAP, fn_stmt(x->fn, marker)->at.pos,
				"the instruction before its marker does not copy its key"),
			x->arena, DIAG_NOWHERE, "write 'mov.b32 COPY, KEY;' there");
	k->head = fn_block(x->fn, marker - 1);
	k->join = join_of(x->fn, r);
	return VERDICT_YES;
}
