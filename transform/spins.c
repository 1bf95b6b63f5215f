/* SPDX-License-Identifier: MIT */
/* Do lanes wait for each other, in loops that are left when memory changes?
 *
 * A loop that lanes leave by a flag in memory, which a lane sets when it leaves, or in the path,
 * would not see it in time: refused. Of one inside the annotated loop there is a warning.
 */
#include "analysis/slice.h"
#include "transform/access.h"
#include "transform/bound.h"

/* From what the loop computes. */
static Slice_step
from_loop(void *user, const Slice_edge *e)
{
	const uint32_t *loop = user;
	uint32_t s = fn_def(e->fn, e->def)->stmt;
	bool inside = s && loop_contains(e->fn->loops, *loop, fn_block(e->fn, s));

	return inside ? SLICE_TAKE : SLICE_HAVE;
}

/* Does every round of the loop that goes on write this register anew, for the next? */
static bool
stepped(const Fn *fn, uint32_t loop, uint32_t def)
{
	uint32_t header = fn->loops->loops[loop].header,
		 block = fn_block(fn, fn_def(fn, def)->stmt);

	FN_PRED(fn, header, latch)
		if (loop_contains(fn->loops, loop, latch) &&
			!dom_dominates(fn->dom, block, latch))
			return false;
	return bits_has(fn->live->in[header], fn_local(fn, fn_def(fn, def)->sym));
}

/* Does a register that a statement reads come from one that each round of the loop writes anew? */
static bool
new_each_round(const Fn *fn, uint32_t stmt, uint32_t sym, uint32_t loop)
{
	Stmts from = { 0 };
	bool found = false;

	FN_REACH(fn, defuse_use(fn, stmt, sym), d) {
		uint32_t s = fn_def(fn, d)->stmt;
		if (s && loop_contains(fn->loops, loop, fn_block(fn, s)))
			slice_back(fn, s, from_loop, &loop, &from);
	}
	for (uint32_t i = 0; i < from.n; i++)
		FN_DEFS_OF_STMT(fn, from.at[i], d)
			found |= stepped(fn, loop, d);
	vec_free(&from);
	return found;
}

/* The register of an operand, of an address too; 0: it has none. */
static uint32_t
register_of(const Fn *fn, const Stmt *s, uint32_t k)
{
	const Opnd *o = &fn->m->opnds[ptx_operand(fn->m, s, k)];

	while ((o->kind == OPND_ADDR || o->kind == OPND_SUM) && o->tree > 1)
		o++;
	return o->kind == OPND_SYM && fn_is_reg(fn, o->sym) ? o->sym : 0;
}

/* Does each round look at another place, as a search does, or compare with what the last one found,
 * as an update by compare-and-swap does? Such a loop waits for nobody. */
static bool
moves_on(const Fn *fn, uint32_t stmt, uint32_t loop)
{
	enum { CAS_COMPARE = 2 };
	const Stmt *s = fn_stmt(fn, stmt);
	bool moves = false;

	for (uint32_t k = 0; k < s->nopnd; k++) {
		bool address = fn->m->opnds[ptx_operand(fn->m, s, k)].kind == OPND_ADDR;
		bool compare = k == CAS_COMPARE && ptx_has(fn->m, s, "cas");
		uint32_t sym = address || compare ? register_of(fn, s, k) : 0;
		moves |= sym && new_each_round(fn, stmt, sym, loop);
	}
	return moves;
}

/* Finds the accesses of a loop that look at memory and that what a statement reads comes from. */
static void
find_looks(const Plan *x, uint32_t stmt, uint32_t loop, Accesses *to)
{
	Stmts from = { 0 };

	slice_back(x->fn, stmt, from_loop, &loop, &from);
	for (uint32_t i = 0; i < from.n; i++)
		if (access_looks(x, from.at[i]))
			*vec_push(to) = access_of(x, from.at[i]);
	vec_free(&from);
}

static bool
leaves(const Plan *x, uint32_t b, uint32_t loop)
{
	FN_SUCC(x->fn, b, to)
		if (!loop_contains(x->fn->loops, loop, to))
			return true;
	return false;
}

/* May the loop that a block leaves be waiting? */
static bool
waits(const Plan *x, uint32_t terminator, uint32_t loop)
{
	Accesses seen = { 0 };
	bool found = false;

	find_looks(x, terminator, loop, &seen);
	for (uint32_t i = 0; i < seen.n; i++)
		found |= !moves_on(x->fn, seen.at[i].stmt, loop);
	vec_free(&seen);
	return found;
}

/* Those inside the annotated loop. */
void
plan_spins(Plan *x)
{
	const Fn *fn = x->fn;
	const Loops *l = fn->loops;

	BITS_EACH(b, x->site->blocks) {
		uint32_t inner = l->loop_of[b], t = cfg_terminator(fn->cfg, b);
		if (!t || !inner || inner == x->site->loop ||
			!loop_contains(l, x->site->loop, l->loops[inner].header) ||
			!leaves(x, b, inner) || !waits(x, t, inner))
			continue;
		*vec_push(&x->hints) = verdict(x->arena, D_SPIN, fn_stmt(fn, t)->at.pos,
			"a loop here polls memory: if it waits for another lane of its warp, "
			"that lane may be waiting for this one");
		return;
	}
}

/* Does one of some looks go to an array that is written on the way out of the loop, or by the path?
 * Both come late: what stands on a way out is run when all lanes have left, a task when the warp
 * has enough of them. */
static bool
written_late(const Plan *x, const Accesses *seen)
{
	Accesses late = {0};
	bool found = false;
	BITS_EACH(b, x->site->blocks)
		if (plan_in_path(x, b) || !loop_contains(x->fn->loops, x->site->loop, b))
			accesses_find(x, b, &late);
	for (uint32_t i = 0; i < late.n; i++)
		for (uint32_t k = 0; k < seen->n; k++)
			found |= late.at[i].writes &&
				base_meets(&late.at[i].base, &seen->at[k].base);
	vec_free(&late);
	return found;
}

Verdict
plan_ends(Plan *x)
{
	const Fn *fn = x->fn;
	Verdict v = VERDICT_YES;

	BITS_EACH(b, x->site->blocks) {
		uint32_t t = cfg_terminator(fn->cfg, b);
		Accesses seen = {0};
		if (verdict_no(v) || !t || !loop_contains(fn->loops, x->site->loop, b) ||
			plan_in_path(x, b) || !leaves(x, b, x->site->loop))
			continue;
		find_looks(x, t, x->site->loop, &seen);
		if (seen.n && written_late(x, &seen))
			v = verdict_note(
				verdict(x->arena, D_SPIN, fn_stmt(fn, t)->at.pos,
					"the loop is left when memory changes, and the path or a lane that leaves the loop may change it"),
				x->arena, DIAG_NOWHERE,
				"both happen later in a collected loop: the other lanes would go on, perhaps for ever");
		vec_free(&seen);
	}
	return v;
}
