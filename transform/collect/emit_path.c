/* SPDX-License-Identifier: MIT */
/* Emits the parts of a collected loop: the code that replaces a path, where a task becomes
 * pending, the votes, and the paths. See emit.h and collect.tpl. */
#include <string.h>
#include "transform/collect/emit_sections.h"
#include "transform/emit/emit.h"
#include "transform/plan/plan.h"

/* ---- registers ------------------------------------------------------------------------------- */

/* Declares the registers of one iteration of a batch: its own copies, and those in which its
 * pending tasks wait for the votes. */
static void
declare_batch_registers(Emit *e)
{
	const Plan *x = e->x;

	BITS_EACH(i, x->collect->batch_registers)
		emit_declare_register(
			e, fn_sym(x->fn, i), emit_batch_register(e, fn_sym(x->fn, i)));
	for (uint32_t k = 0; k < x->nregions; k++) {
		const Task *t = &x->regions[k].task;
		emit_select_region(e, k + 1);
		tpl_line(e->t, "\t.reg .pred %%^want%u;", e->here.batch_index);
		for (uint32_t i = 0; i < t->nslots; i++)
			if (t->slots[i].sym && e->m->syms[t->slots[i].sym].kind != SYM_SPECIAL)
				emit_declare_register(e, t->slots[i].sym,
					emit_waiting_register(e, e->here.region, t->slots[i].sym));
	}
	emit_select_region(e, 0);
}

void
emit_declare_registers(void *user)
{
	Emit *e = user;
	uint32_t batch = plan_batch_size(e->x);

	for (uint32_t i = 1; batch > 1 && i <= batch; i++) {
		e->here.batch_index = i;
		declare_batch_registers(e);
	}
	e->here.batch_index = 0;
	emit_registers(e);
}

/* ---- in place of a path ---------------------------------------------------------------------- */

void
emit_owner_slice(void *user)
{
	Emit *e = user;

	for (uint32_t i = 0; i < e->here.region->task.nslice; i++)
		copy_line(&e->slice, e->here.region->task.slice[i]);
	reduction_forward(e);
}

/* Returns the copy from which the paths of the regions in `outer` are cut out. */
static Copy *
common_copy_of(Emit *e, uint32_t outer)
{
	return outer ? &e->path : &e->common;
}

/* Returns the blocks of that copy; if an inner loop is expanded in it, only those before the
 * meeting point. */
static Bits
common_blocks_of(const Emit *e, uint32_t outer)
{
	const Task_region *rows = outer ? plan_expansion_in(e->x, outer) : NULL;

	return rows ? rows->lane_loop->blocks_before :
		 outer ? e->x->regions[outer - 1].blocks : e->x->common.blocks;
}

static bool
block_is_in_loop(const Emit *e, uint32_t b)
{
	return loop_contains(e->x->fn->loops, e->x->site->loop, b);
}

/* Returns the first unit at or after block b in that copy: a block to copy, or the entry of a
 * path to replace. UINT32_MAX: none. */
static uint32_t
find_next_unit(const Emit *e, uint32_t outer, uint32_t b)
{
	Bits blocks = common_blocks_of(e, outer);
	uint32_t unit = bits_next(blocks, b);

	while (unit != UINT32_MAX && !outer && !block_is_in_loop(e, unit))
		unit = bits_next(blocks, unit + 1);
	for (uint32_t i = 0; i < e->x->nregions + e->x->nexpansions; i++) {
		const Task_region *k = &e->x->regions[i];
		if (k->outer == outer && k->path->entry >= b && k->path->entry < unit)
			unit = k->path->entry;
	}
	return unit;
}

/* Returns the label of the unit after block b in that copy, or `otherwise` after the last one. */
static const char *
label_after(Emit *e, uint32_t b, uint32_t outer, const char *otherwise)
{
	uint32_t unit = find_next_unit(e, outer, b + 1);

	if (unit == UINT32_MAX)
		return otherwise;
	const Task_region *k = plan_region_entered_at(e->x, unit, outer);
	if (k)
		return emit_wanted_label(e, k);
	return outer ? emit_path_block_label(e, unit) : emit_site_label(e, "b", unit);
}

static const char *
label_after_common_code(const Emit *e)
{
	return e->x->common.nexits ? "~exit0" : emit_first_vote_label(e);
}

void
emit_code_after_path(void *user)
{
	Emit *e = user;
	uint32_t number = e->here.region_number, entry = e->here.region->path->entry,
		 next = e->here.region->path->next;
	uint32_t outer = e->here.region->outer;

	uint32_t join = e->here.region->tail_end;

	emit_select_region(e, outer);
	const char *after = label_after(
		e, entry, outer, outer ? emit_after_path_label(e) : label_after_common_code(e));
	if (join)
		copy_end(common_copy_of(e, outer), join, after);
	else
		copy_branch(common_copy_of(e, outer), entry, next, after);
	emit_select_region(e, number);
}

/* Emits the code that replaces the path of region k. */
static void
emit_wanted(Emit *e, const Task_region *k)
{
	uint32_t number = e->here.region_number;

	if (k->lane_loop) {
		emit_expansion_arrival(e, k);
		return;
	}

	emit_select_region(e, (uint32_t)(k - e->x->regions) + 1);
	copy_new_line(e->t);
	tpl_value(e->t, "instead", "%s", emit_wanted_label(e, k));
	tpl_write_section(e->t, "want");
	emit_select_region(e, number);
}

void
emit_common_blocks(void *user)
{
	Emit *e = user;
	const Plan *x = e->x;

	for (uint32_t b = find_next_unit(e, 0, 1); b != UINT32_MAX;
		b = find_next_unit(e, 0, b + 1)) {
		const Task_region *k = plan_region_entered_at(x, b, 0);
		if (k)
			emit_wanted(e, k);
		else
			copy_block(&e->common, b, emit_site_label(e, "b", b),
				label_after(e, b, 0, label_after_common_code(e)));
	}
}

/* ---- lockstep -------------------------------------------------------------------------------- */

static uint32_t
branch_target(const Fn *fn, const Stmt *s)
{
	return fn->cfg->block_of_label[fn_local(fn, fn->m->opnds[ptx_operand(fn->m, s, 0)].sym)];
}

bool
emit_branch_exits_loop(const Emit *e, uint32_t b, uint32_t next, uint32_t *out, bool *negated)
{
	const Fn *fn = e->x->fn;
	uint32_t t = cfg_terminator(fn->cfg, b);
	const Stmt *s = fn_stmt(fn, t);

	if (!t || !s->guard)
		return false;
	const uint32_t *succ = cfg_succ(fn->cfg, b);
	*out = fn->cfg->blocks[b].nsucc < 2 ? next : succ[0] == next ? succ[1] : succ[0];
	bool taken_stays = ptx_op(e->m, s) == OP_BRA && branch_target(fn, s) == next;
	*negated = taken_stays != (s->guard == 1);
	return *out != next;
}

/* Turns a branch that leaves the loop into an update of %~in. */
static void
emit_exit_update(Emit *e, uint32_t b, uint32_t next)
{
	const Plan *x = e->x;
	uint32_t t = cfg_terminator(x->fn->cfg, b), out;
	bool negated;

	if (!emit_branch_exits_loop(e, b, next, &out, &negated))
		return;
	tpl_value(e->t, "p", "%s", emit_chain_register(e, fn_stmt(x->fn, t)->sym));
	tpl_flag(e->t, "negated", negated);
	tpl_flag(e->t, "negated_or_many", negated || x->common.nexits > 1);
	if (x->common.nexits > 1)
		tpl_value(e->t, "k", "%u", emit_exit_number(x, out, out ? 0 : t));
	tpl_write_section(e->t, "stay");
}

void
emit_branch_prefix(void *user)
{
	Emit *e = user;

	BITS_EACH(b, e->here.region->vote_branch.prefix)
		copy_block_body(&e->common, b);
}

/* Turns the branch to the current region's path into %^want. */
static void
emit_want_update(Emit *e)
{
	const Stmt *branch = fn_stmt(e->x->fn, e->here.region->vote_branch.stmt);

	tpl_value(e->t, "p", "%s", emit_chain_register(e, branch->sym));
	tpl_flag(e->t, "negated", (branch->guard == 2) != e->here.region->vote_branch.path_falls_through);
	tpl_write_section(e->t, "wish");
}

/* Does so for all regions to which the branch of block b leads, at most two. Returns false if
 * there is none. */
static bool
emit_want_updates(Emit *e, uint32_t b)
{
	uint32_t number = e->here.region_number;
	bool any = false;

	for (uint32_t i = 1; i <= e->x->nregions; i++) {
		const Task_region *k = &e->x->regions[i - 1];
		if (k->outer || k->vote_branch.block != b)
			continue;
		emit_select_region(e, i);
		emit_want_update(e);
		any = true;
	}
	emit_select_region(e, number);
	return any;
}

/* Copies the blocks of the chain up to the next branch to a path, or from the last one to the
 * header. */
static void
emit_chain(Emit *e)
{
	const Lockstep *l = &e->x->collect->lockstep;

	for (bool branch = false; e->here.chain < l->nchain && !branch; e->here.chain++) {
		uint32_t b = l->chain[e->here.chain];
		copy_block_body(&e->common, b);
		branch = emit_want_updates(e, b);
		if (!branch)
			emit_exit_update(e, b, l->chain[(e->here.chain + 1) % l->nchain]);
	}
}

/* Copies the chain up to the current region's vote; two regions may have the same branch. */
static void
emit_to_vote(Emit *e)
{
	const Lockstep *l = &e->x->collect->lockstep;

	if (e->here.region->outer)
		return;
	if (e->here.chain == 0 || l->chain[e->here.chain - 1] != e->here.region->vote_branch.block)
		emit_chain(e);
	tpl_write_section(e->t, "cut");
}

/* Emits the iterations of a batch, one after the other. */
static void
emit_batch(Emit *e)
{
	for (e->here.batch_index = 1; e->here.batch_index <= e->here.batch; e->here.batch_index++) {
		e->here.chain = 0;
		for (uint32_t number = 1; number <= e->x->nregions; number++) {
			emit_select_region(e, number);
			emit_to_vote(e);
			tpl_value(e->t, "want", "%%^want%u", e->here.batch_index);
			tpl_write_section(e->t, "hold");
		}
		emit_chain(e);
	}
	e->here.batch_index = 0;
}

void
emit_chain_to_branch(void *user)
{
	Emit *e = user;

	if (e->here.batch) {
		emit_batch(e);
	} else {
		emit_select_region(e, 1);
		emit_to_vote(e);
	}
	emit_select_region(e, 0);
}

void
emit_chain_to_header(void *user)
{
	emit_chain(user);
}

/* ---- paths ----------------------------------------------------------------------------------- */

/* Copies the task's last block without the branch at its end, which the owner has executed. */
static void
emit_tail_block(Emit *e, Copy *c, const char *label, const char *after)
{
	copy_new_line(e->t);
	tpl_text(e->t, "$%s:", label);
	copy_block_body(c, e->here.region->tail_end);
	if (strcmp(after, emit_after_path_label(e)) != 0)
		tpl_line(e->t, "\tbra.uni $%s;", emit_after_path_label(e));
}

/* Recomputes the values that are not saved with the current region's task. */
void
emit_derived_values(void *user)
{
	Emit *e = user;

	for (uint32_t i = 0; i < e->here.region->task.nderived; i++)
		copy_line(&e->path, e->here.region->task.derived[i]);
}

/* Emits the path on the task's registers. */
void
emit_path_copy(void *user)
{
	Emit *e = user;
	uint32_t entry = e->here.region->path->entry, number = e->here.region_number;
	uint32_t b = find_next_unit(e, number, 0);
	const Task_region *rows = plan_expansion_in(e->x, number);

	reduction_init_path(e);
	if (b != entry)
		tpl_line(e->t, "\tbra.uni $%s;", emit_path_block_label(e, entry));
	for (; b != UINT32_MAX; b = find_next_unit(e, number, b + 1)) {
		const Task_region *k = plan_region_entered_at(e->x, b, number);
		const char *after = label_after(e, b, number, rows ? "" : emit_after_path_label(e));
		if (k)
			emit_wanted(e, k);
		else if (b == e->here.region->tail_end)
			emit_tail_block(e, &e->path, emit_path_block_label(e, b), after);
		else
			copy_block(&e->path, b, emit_path_block_label(e, b), after);
	}
	if (rows)
		emit_expansion(e, rows);
}

/* ---- votes ----------------------------------------------------------------------------------- */

/* Expands the section of the region's policy, which contains the votes of the following regions. */
static void
emit_vote_section(Emit *e, uint32_t number)
{
	uint32_t before = e->here.region_number;

	emit_select_region(e, number);
	if (before && e->here.lockstep && !e->here.batch)
		emit_to_vote(e);
	tpl_write_section(e->t, e->here.shares_vote ? "grouped" : annot_policies[e->here.region->policy].name);
	emit_select_region(e, before);
}

void
emit_votes(void *user)
{
	Emit *e = user;

	if (e->here.shares_vote)
		emit_shared_vote(e);
	else
		emit_vote_section(e, 1);
}

void
emit_first_run(void *user)
{
	emit_vote_section(user, 1);
}

void
emit_next_vote(void *user)
{
	Emit *e = user;

	emit_vote_section(e, e->here.region_number + 1);
}
