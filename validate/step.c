/* SPDX-License-Identifier: MIT */
/* One statement of the output, as a lane runs it: a copy of the input's next one in its own
 * iteration or in its task, or one of the inserted text's own. See site.h.
 */
#include "validate/site.h"

static uint32_t
part_now(const Site *s, const Lane *l)
{
	return l->task ? s->part_of_path[l->task] : 0;
}

/* Did a copy of the input's next statement run? The lane goes on behind it. */
static bool
matched(Site *s, Lane *l, uint32_t stmt)
{
	uint32_t in = cursor_now(l);

	if (!owner_sliced_all(s, l, l->task))
		return false;
	if (!l->task && l->ballot)
		inserted_close(s, l, 0);
	FN_WRITES(s->fn, in, r)
		lane_unknow(l, r->sym);
	++*cursor_of(l);
	(void)stmt;
	bool ends = ptx_op(s->in, fn_stmt(s->fn, in)) == OP_TRAP && !fn_stmt(s->fn, in)->guard;
	return !ends && cursor_settle(s, l);
}

/* May the statement run though the input's does not: has it no effect but on registers that nothing
 * reads from there on? */
static bool
spares(const Site *s, const Lane *l, uint32_t stmt)
{
	if (l->task || !(step_at(s, stmt)->flags & OPF_PURE))
		return false;
	STEP_REFS(s, stmt, r) {
		const Reg *k = r->reg;
		if (r->written &&
			(k->kind != REG_OWN || (!l->ended && cursor_live(s, l->at, k->in))))
			return false;
	}
	return true;
}

static bool
is_copy(const Site *s, uint32_t stmt, uint32_t in, uint32_t part, bool guarded)
{
	Step *k = step_at(s, stmt);

	if (!k->copy.known || k->copy.in != in || k->copy.part != part ||
		k->copy.guarded != guarded) {
		k->copy.known = true;
		k->copy.in = in;
		k->copy.part = part;
		k->copy.guarded = guarded;
		k->copy.yes = match_stmt(s, stmt, in, part, guarded);
	}
	return k->copy.yes;
}

static bool
run_copy(Site *s, Lane *l, uint32_t stmt, bool guarded, bool *again)
{
	bool copy = false, uniform = false;

	if (l->fresh && owner_owes(s, l, l->task) && owner_slice(s, l, stmt))
		return true;
	if ((l->task || cursor_inside(s, l)) &&
		is_copy(s, stmt, cursor_now(l), part_now(s, l), guarded))
		return matched(s, l, stmt);
	STEP_REFS(s, stmt, r) {
		copy |= r->written && r->reg->kind == REG_COPY;
		uniform |= r->written && r->reg->kind == REG_AGAIN;
	}
	if (uniform)
		return path_again(s, stmt);
	if (!l->task && path_begin(s, l, stmt))
		return *again = true;
	if (s->why)
		return false;
	if (l->fresh && owner_slice(s, l, stmt))
		return true;
	if (copy)
		return path_set(s, l, stmt);
	if (spares(s, l, stmt)) {
		STEP_REFS(s, stmt, r)
			if (r->written)
				lane_unknow(l, r->reg->in);
		return true;
	}
	if (cursor_branch(s, l))
		return *again = lane_split(s, l, &uniform);
	return site_fault(
		s, stmt, "this is neither a copy of what the input does here nor the loop's own");
}

bool
step_run(Site *s, Lane *l, uint32_t stmt, bool *again)
{
	const Stmt *t = &s->out->stmts[stmt];
	const Step *k = step_at(s, stmt);
	bool guarded = t->guard && site_reg(s, t->sym)->kind != REG_MACHINE;

	if (k->buffer && k->op == OP_ST)
		return buffer_store(s, l, stmt);
	if (k->buffer && k->op == OP_LD)
		return buffer_load(s, l, stmt);
	if (k->buffer)
		return site_unknown(s, stmt, "reductions");
	if (k->op == OP_VOTE || k->op == OP_BAR_WARP || k->op == OP_ACTIVEMASK || k->own)
		return inserted_run(s, l, stmt);
	return run_copy(s, l, stmt, guarded || !t->guard, again);
}
