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

/* The register of the base of an address in shared memory, if it is the inserted text's; 0: it is
 * none. */
static bool
of_buffer(const Site *s, const Stmt *t, uint32_t k)
{
	const Opnd *o = &s->out->opnds[ptx_operand(s->out, t, k)];

	return ptx_space(s->out, t) == SPACE_SHARED && o->kind == OPND_ADDR &&
		site_reg(s, o[1].sym)->kind == REG_MACHINE;
}

/* Did a copy of the input's next statement run? The lane goes on behind it. */
static bool
matched(Site *s, Lane *l, uint32_t stmt)
{
	uint32_t in = cursor_now(l);

	if (!owner_sliced_all(s, l, l->task))
		return false;
	if (!l->task && l->ballot)
		inserted_close(s, l);
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
	if (l->task || !(ptx_flags(s->out, &s->out->stmts[stmt]) & OPF_PURE))
		return false;
	PTX_REFS(s->out, &s->out->stmts[stmt], r) {
		const Reg *k = site_reg(s, r.sym);
		if (r.written &&
			(k->kind != REG_OWN || (!l->ended && cursor_live(s, l->at, k->in))))
			return false;
	}
	return true;
}

static bool
run_copy(Site *s, Lane *l, uint32_t stmt, bool guarded, bool *again)
{
	const Stmt *t = &s->out->stmts[stmt];
	bool copy = false, uniform = false;

	if (l->fresh && owner_owes(s, l, l->task) && owner_slice(s, l, stmt))
		return true;
	if ((l->task || cursor_inside(s, l)) &&
		match_stmt(s, stmt, cursor_now(l), part_now(s, l), guarded))
		return matched(s, l, stmt);
	PTX_REFS(s->out, t, r) {
		copy |= r.written && site_reg(s, r.sym)->kind == REG_COPY;
		uniform |= r.written && site_reg(s, r.sym)->kind == REG_AGAIN;
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
		PTX_REFS(s->out, t, r)
			if (r.written)
				lane_unknow(l, site_reg(s, r.sym)->in);
		return true;
	}
	if (cursor_branch(s, l))
		return *again = lane_split(s, l, &uniform);
	return site_fault(
		s, stmt, "this is neither a copy of what the input does here nor the loop's own");
}

static bool
writes_machine(const Site *s, const Stmt *t)
{
	PTX_REFS(s->out, t, r)
		if (r.written && site_reg(s, r.sym)->kind == REG_MACHINE)
			return true;
	return false;
}

bool
step_run(Site *s, Lane *l, uint32_t stmt, bool *again)
{
	const Stmt *t = &s->out->stmts[stmt];
	Op op = ptx_op(s->out, t);
	bool guarded = t->guard && site_reg(s, t->sym)->kind != REG_MACHINE;

	if (op == OP_ST && of_buffer(s, t, 0))
		return buffer_store(s, l, stmt);
	if (op == OP_LD && of_buffer(s, t, 1))
		return buffer_load(s, l, stmt);
	if ((op == OP_RED && of_buffer(s, t, 0)) || (op == OP_ATOM && of_buffer(s, t, 1)))
		return site_unknown(s, stmt, "reductions");
	if (op == OP_VOTE || op == OP_BAR_WARP || op == OP_ACTIVEMASK || writes_machine(s, t))
		return inserted_run(s, l, stmt);
	return run_copy(s, l, stmt, guarded || !t->guard, again);
}
