/* SPDX-License-Identifier: MIT */
/* Emits the parts of a collected loop: the code that replaces a path, where a task becomes
 * pending, the votes, and the paths. See emit.h and collect.tpl. */
#include <string.h>
#include "transform/collect/emit_parts.h"
#include "transform/emit/emit.h"
#include "transform/plan/plan.h"

/* ---- registers ------------------------------------------------------------------------------- */

/* Declares the registers of one iteration of a batch: its own copies, and those in which its
 * pending tasks wait for the votes. */
static void
turn_registers(Emit *e)
{
	const Plan *x = e->x;

	BITS_EACH(i, x->turned)
		emit_declare(e, fn_sym(x->fn, i), emit_turned(e, fn_sym(x->fn, i)));
	for (uint32_t k = 0; k < x->nparts; k++) {
		const Task *t = &x->parts[k].task;
		emit_take(e, k + 1);
		tpl_line(e->t, "\t.reg .pred %%^want%u;", e->turn);
		for (uint32_t i = 0; i < t->nslots; i++)
			if (t->slots[i].sym && e->m->syms[t->slots[i].sym].kind != SYM_SPECIAL)
				emit_declare(e, t->slots[i].sym,
					emit_waiting(e, e->k, t->slots[i].sym));
	}
	emit_take(e, 0);
}

void
part_registers(void *user)
{
	Emit *e = user;

	for (e->turn = 1; e->x->turns > 1 && e->turn <= e->x->turns; e->turn++)
		turn_registers(e);
	e->turn = 0;
	emit_registers(e);
}

/* ---- in place of a path ---------------------------------------------------------------------- */

void
part_slice(void *user)
{
	Emit *e = user;

	for (uint32_t i = 0; i < e->k->task.nslice; i++)
		copy_line(&e->slice, e->k->task.slice[i]);
	update_hand_on(e);
}

/* Returns the copy from which the paths of the parts in `outer` are cut out. */
static Copy *
copy_around(Emit *e, uint32_t outer)
{
	return outer ? &e->path : &e->own;
}

/* Returns the blocks of that copy; if an inner loop is expanded in it, only those before the
 * meeting point. */
static Bits
blocks_around(const Emit *e, uint32_t outer)
{
	const Part *rows = outer ? plan_rows_in(e->x, outer) : NULL;

	return rows ? rows->rounds->front :
		 outer ? e->x->parts[outer - 1].blocks : e->x->own;
}

static bool
in_loop(const Emit *e, uint32_t b)
{
	return loop_contains(e->x->fn->loops, e->x->site->loop, b);
}

/* Returns the first unit at or after block b in that copy: a block to copy, or the entry of a
 * path to replace. UINT32_MAX: none. */
static uint32_t
next_unit(const Emit *e, uint32_t outer, uint32_t b)
{
	Bits blocks = blocks_around(e, outer);
	uint32_t unit = bits_next(blocks, b);

	while (unit != UINT32_MAX && !outer && !in_loop(e, unit))
		unit = bits_next(blocks, unit + 1);
	for (uint32_t i = 0; i < e->x->nparts + e->x->nrows; i++) {
		const Part *k = &e->x->parts[i];
		if (k->outer == outer && k->path->entry >= b && k->path->entry < unit)
			unit = k->path->entry;
	}
	return unit;
}

/* Returns the label of the unit after block b in that copy, or `otherwise` after the last one. */
static const char *
label_after(Emit *e, uint32_t b, uint32_t outer, const char *otherwise)
{
	uint32_t unit = next_unit(e, outer, b + 1);

	if (unit == UINT32_MAX)
		return otherwise;
	const Part *k = plan_cut_at(e->x, unit, outer);
	if (k)
		return emit_want(e, k);
	return outer ? emit_block(e, unit) : emit_site_label(e, "b", unit);
}

static const char *
behind_own(const Emit *e)
{
	return e->x->nways ? "~exit0" : emit_vote(e);
}

void
part_behind_path(void *user)
{
	Emit *e = user;
	uint32_t part = e->part, entry = e->k->path->entry, next = e->k->path->next;
	uint32_t outer = e->k->outer;

	uint32_t join = e->k->join;

	emit_take(e, outer);
	const char *after = label_after(e, entry, outer, outer ? emit_behind(e) : behind_own(e));
	if (join)
		copy_end(copy_around(e, outer), join, after);
	else
		copy_branch(copy_around(e, outer), entry, next, after);
	emit_take(e, part);
}

/* Emits the code that replaces the path of part k. */
static void
put_want(Emit *e, const Part *k)
{
	uint32_t part = e->part;

	if (k->rounds) {
		emit_rows_come(e, k);
		return;
	}

	emit_take(e, (uint32_t)(k - e->x->parts) + 1);
	copy_new_line(e->t);
	tpl_value(e->t, "instead", "%s", emit_want(e, k));
	tpl_put(e->t, "want");
	emit_take(e, part);
}

void
part_blocks(void *user)
{
	Emit *e = user;
	const Plan *x = e->x;

	for (uint32_t b = next_unit(e, 0, 1); b != UINT32_MAX; b = next_unit(e, 0, b + 1)) {
		const Part *k = plan_cut_at(x, b, 0);
		if (k)
			put_want(e, k);
		else
			copy_block(&e->own, b, emit_site_label(e, "b", b),
				label_after(e, b, 0, behind_own(e)));
	}
}

/* ---- lockstep -------------------------------------------------------------------------------- */

static uint32_t
bra_target(const Fn *fn, const Stmt *s)
{
	return fn->cfg->block_of_label[fn_local(fn, fn->m->opnds[ptx_operand(fn->m, s, 0)].sym)];
}

bool
emit_leaves(const Emit *e, uint32_t b, uint32_t next, uint32_t *out, bool *negated)
{
	const Fn *fn = e->x->fn;
	uint32_t t = cfg_terminator(fn->cfg, b);
	const Stmt *s = fn_stmt(fn, t);

	if (!t || !s->guard)
		return false;
	const uint32_t *succ = cfg_succ(fn->cfg, b);
	*out = fn->cfg->blocks[b].nsucc < 2 ? next : succ[0] == next ? succ[1] : succ[0];
	bool taken_stays = ptx_op(e->m, s) == OP_BRA && bra_target(fn, s) == next;
	*negated = taken_stays != (s->guard == 1);
	return *out != next;
}

/* Turns a branch that leaves the loop into an update of %~in. */
static void
stay(Emit *e, uint32_t b, uint32_t next)
{
	const Plan *x = e->x;
	uint32_t t = cfg_terminator(x->fn->cfg, b), out;
	bool negated;

	if (!emit_leaves(e, b, next, &out, &negated))
		return;
	tpl_value(e->t, "p", "%s", emit_in_chain(e, fn_stmt(x->fn, t)->sym));
	tpl_flag(e->t, "negated", negated);
	tpl_flag(e->t, "negated_or_many", negated || x->nways > 1);
	if (x->nways > 1)
		tpl_value(e->t, "k", "%u", emit_way(x, out, out ? 0 : t));
	tpl_put(e->t, "stay");
}

void
part_prefix(void *user)
{
	Emit *e = user;

	BITS_EACH(b, e->k->cut.prefix)
		copy_straight(&e->own, b);
}

/* Turns the branch to the current part's path into %^want. */
static void
wish(Emit *e)
{
	const Stmt *branch = fn_stmt(e->x->fn, e->k->cut.stmt);

	tpl_value(e->t, "p", "%s", emit_in_chain(e, branch->sym));
	tpl_flag(e->t, "negated", (branch->guard == 2) != e->k->cut.want_falls);
	tpl_put(e->t, "wish");
}

/* Does so for all parts to which the branch of block b leads, at most two. Returns false if
 * there is none. */
static bool
wishes(Emit *e, uint32_t b)
{
	uint32_t part = e->part;
	bool any = false;

	for (uint32_t i = 1; i <= e->x->nparts; i++) {
		const Part *k = &e->x->parts[i - 1];
		if (k->outer || k->cut.block != b)
			continue;
		emit_take(e, i);
		wish(e);
		any = true;
	}
	emit_take(e, part);
	return any;
}

/* Copies the blocks of the chain up to the next branch to a path, or from the last one to the
 * header. */
static void
put_chain(Emit *e)
{
	const Lockstep *l = &e->x->lockstep;

	for (bool branch = false; e->chain < l->nchain && !branch; e->chain++) {
		uint32_t b = l->chain[e->chain];
		copy_straight(&e->own, b);
		branch = wishes(e, b);
		if (!branch)
			stay(e, b, l->chain[e->chain + 1 < l->nchain ? e->chain + 1 : 0]);
	}
}

/* Copies the chain up to the current part's vote; two parts may have the same branch. */
static void
put_to_cut(Emit *e)
{
	const Lockstep *l = &e->x->lockstep;

	if (e->k->outer)
		return;
	if (e->chain == 0 || l->chain[e->chain - 1] != e->k->cut.block)
		put_chain(e);
	tpl_put(e->t, "cut");
}

/* Emits the iterations of a batch, one after the other. */
static void
put_turns(Emit *e)
{
	for (e->turn = 1; e->turn <= e->turns; e->turn++) {
		e->chain = 0;
		for (uint32_t part = 1; part <= e->x->nparts; part++) {
			emit_take(e, part);
			put_to_cut(e);
			tpl_value(e->t, "want", "%%^want%u", e->turn);
			tpl_put(e->t, "hold");
		}
		put_chain(e);
	}
	e->turn = 0;
}

void
part_to_branch(void *user)
{
	Emit *e = user;

	if (e->turns) {
		put_turns(e);
	} else {
		emit_take(e, 1);
		put_to_cut(e);
	}
	emit_take(e, 0);
}

void
part_to_header(void *user)
{
	put_chain(user);
}

/* ---- paths ----------------------------------------------------------------------------------- */

/* Copies the task's last block without the branch at its end, which the owner has executed. */
static void
put_join(Emit *e, Copy *c, const char *label, const char *after)
{
	copy_new_line(e->t);
	tpl_text(e->t, "$%s:", label);
	copy_straight(c, e->k->join);
	if (strcmp(after, emit_behind(e)) != 0)
		tpl_line(e->t, "\tbra.uni $%s;", emit_behind(e));
}

/* Recomputes the values that are not saved with the current part's task. */
void
part_compute(void *user)
{
	Emit *e = user;

	for (uint32_t i = 0; i < e->k->task.ncomputed; i++)
		copy_line(&e->path, e->k->task.computed[i]);
}

/* Emits the path on the task's registers. */
void
part_path(void *user)
{
	Emit *e = user;
	uint32_t entry = e->k->path->entry, part = e->part;
	uint32_t b = next_unit(e, part, 0);
	const Part *rows = plan_rows_in(e->x, part);

	update_path(e);
	if (b != entry)
		tpl_line(e->t, "\tbra.uni $%s;", emit_block(e, entry));
	for (; b != UINT32_MAX; b = next_unit(e, part, b + 1)) {
		const Part *k = plan_cut_at(e->x, b, part);
		const char *after = label_after(e, b, part, rows ? "" : emit_behind(e));
		if (k)
			put_want(e, k);
		else if (b == e->k->join)
			put_join(e, &e->path, emit_block(e, b), after);
		else
			copy_block(&e->path, b, emit_block(e, b), after);
	}
	if (rows)
		emit_rows(e, rows);
}

/* ---- votes ----------------------------------------------------------------------------------- */

/* Expands the section of the part's policy, which contains the votes of the following parts. */
static void
put_vote(Emit *e, uint32_t part)
{
	uint32_t before = e->part;

	emit_take(e, part);
	if (before && e->lockstep && !e->turns)
		put_to_cut(e);
	tpl_put(e->t, e->grouped ? "grouped" : annot_policies[e->k->policy].name);
	emit_take(e, before);
}

void
part_first_vote(void *user)
{
	Emit *e = user;

	if (e->grouped)
		emit_group(e);
	else
		put_vote(e, 1);
}

void
part_first_run(void *user)
{
	put_vote(user, 1);
}

void
part_next_vote(void *user)
{
	Emit *e = user;

	put_vote(e, e->part + 1);
}
