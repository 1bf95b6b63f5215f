/* SPDX-License-Identifier: MIT */
/* The inputs of a task (docs/design.md 5.3).
 *
 * Context: the registers that R reads before it writes them, except those that every lane of M
 * holds with the same value in every iteration. Such a value is uniform, and either computed before
 * the begin marker, where every lane of M passed (IN_COMMON), or a pure function of such values,
 * recomputed for all of M at the entry (IN_AGAIN): a lane whose guard skips the loop has not
 * executed the code where the compiler placed the computation, but must help all the same. Special
 * registers of the thread that R reads are context too. Values that can be recomputed from others
 * are not saved (IN_COMPUTED, compress.c); lane invariants may be stored by the owner once for all
 * its tasks (IN_KEPT, likewise). */
#include <stdlib.h>
#include <string.h>
#include "transform/plan/describe_value.h"
#include "transform/plan/plan.h"
#include "transform/task/slice.h"
#include "transform/task/task.h"
#include "transform/task/task_inputs.h"

/* slots for components of special registers and for the owner's lane */
enum { MOST_OTHERS = 17 };

/* ---- origin of values -------------------------------------------------------------------- */

static bool
in_region(const Plan *x, uint32_t stmt)
{
	return bits_has(x->site->blocks, fn_block(x->fn, stmt));
}

/* Whether a loop contains both the annotated loop and this statement. Lanes that arrive together
 * may come from different iterations of it, so a value that is uniform in each iteration may differ
 * between them. */
static bool
in_outer_loop(const Plan *x, uint32_t stmt)
{
	const Loops *l = x->fn->loops;
	for (uint32_t i = l->loop_of[x->site->entry]; i; i = l->loops[i].parent)
		if (bits_has(l->loops[i].blocks, fn_block(x->fn, stmt)))
			return true;
	return false;
}

/* Whether the value was computed before the begin marker, on every path to it, and once for all
 * lanes that arrive together. */
static bool
all_before(const Plan *x, const uint32_t *defs, uint32_t n)
{
	if (x->remap)
		return x->remap->is_common(x, defs, n);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t s = x->fn->defuse->defs[defs[i]].stmt;
		if (s == 0 || in_region(x, s) || in_outer_loop(x, s))
			return false;
	}
	return n > 0;
}

/* ---- recomputed at the entry ------------------------------------------------------------- */

static bool
lane_sreg(const Fn *fn, uint32_t stmt)
{
	return fn_effects(fn, stmt) & EFF_LANE;
}

/* Whether the statement is the only definition of each register that it writes. Otherwise one name
 * at the entry would stand for several values. */
static bool
defines_alone(const Fn *fn, uint32_t stmt)
{
	const Defuse *du = fn->defuse;
	FN_DEFS_OF_STMT(fn, stmt, d) {
		uint32_t i = fn_local(fn, fn_def(fn, d)->sym);
		/* together with the pseudo-definition */
		if (du->defs_of_sym[i + 1] - du->defs_of_sym[i] != 2)
			return false;
	}
	return true;
}

/* Whether the definition's statement can be executed at the entry, once for all lanes. */
static bool
runs_at_entry(const Plan *x, uint32_t d)
{
	uint32_t stmt = fn_def(x->fn, d)->stmt;

	return stmt && (slice_pure(x, d) || slice_param_load(x->fn, stmt)) &&
		!lane_sreg(x->fn, stmt) && defines_alone(x->fn, stmt);
}

/* Whether the definition's value lives as long as what is computed from it. It does before a
 * loop. */
static bool
stays(const Plan *x, uint32_t d)
{
	const Def *def = fn_def(x->fn, d);

	return !x->remap ||
		(defines_alone(x->fn, def->stmt) && !slice_declared_inside(x, def->sym));
}

/* Slice rule: from values that every lane has at the entry, or that are recomputed there. */
static Slice_step
from_entry(void *user, const Slice_edge *e)
{
	const Plan *x = ((const Slice *)user)->x;
	const Use *u = fn_use(e->fn, e->use);

	if (bits_has(e->fn->uniform->use, e->use))
		return SLICE_NO;
	if (all_before(x, e->fn->defuse->reach + u->def, u->ndef) && stays(x, e->def))
		return SLICE_HAVE;
	return u->ndef == 1 && (e->taken || runs_at_entry(x, e->def)) ? SLICE_TAKE : SLICE_NO;
}

static bool
can_compute_again(Plan *x, uint32_t d)
{
	Slice s = { x, NULL, x->again, x->nagain };

	if (slice_has(&s, fn_def(x->fn, d)->stmt))
		return true;
	if (!runs_at_entry(x, d) || !slice_add(&s, d, from_entry))
		return false;
	for (uint32_t i = x->nagain; i < s.n; i++)
		FN_DEFS_OF_STMT(x->fn, x->again[i], k)
			bits_set(x->again_syms, fn_local(x->fn, fn_def(x->fn, k)->sym));
	x->nagain = s.n;
	return true;
}

void
context_again_only(Plan *x, uint32_t n)
{
	for (uint32_t i = n; i < x->nagain; i++)
		FN_DEFS_OF_STMT(x->fn, x->again[i], d)
			bits_unset(x->again_syms, fn_local(x->fn, fn_def(x->fn, d)->sym));
	x->nagain = n;
}

uint32_t
context_entries(const Plan *x)
{
	return x->remap ? x->remap->npaths : 1;
}

uint32_t
context_entry(const Plan *x, const Part *k, uint32_t i)
{
	return x->remap ? x->remap->paths[i]->entry : k->path->entry;
}

bool
context_behind_cut(const Plan *x, const Part *k, uint32_t block)
{
	return !x->remap && k->rounds && bits_has(k->span, block);
}

/* Whether the definition reaches the cut. */
static bool
reaches_cut(const Plan *x, const Part *k, uint32_t def)
{
	uint32_t s = fn_def(x->fn, def)->stmt;

	return !s || !context_behind_cut(x, k, fn_block(x->fn, s));
}

uint32_t
context_only_def(const Plan *x, const Part *k, uint32_t sym)
{
	uint32_t only = 0;

	for (uint32_t i = 0; i < context_entries(x); i++) {
		Reaching r = defuse_reaching(x->fn, context_entry(x, k, i), sym);
		for (uint32_t d = 0; d < r.n; d++) {
			if (!reaches_cut(x, k, r.at[d]) || r.at[d] == only)
				continue;
			if (only)
				return 0;
			only = r.at[d];
		}
	}
	return only;
}

static bool
varies_at_entry(const Plan *x, const Part *k, uint32_t sym)
{
	for (uint32_t i = 0; i < context_entries(x); i++)
		if (uniform_varies_at(x->fn, context_entry(x, k, i), sym))
			return true;
	return false;
}

In
context_classify(Plan *x, const Part *k, uint32_t sym, bool changed)
{
	if (changed)
		return (In){ sym, IN_SAVED, "the path changes it" };
	if (varies_at_entry(x, k, sym))
		return (In){ sym, IN_SAVED, "it varies from lane to lane" };
	Reaching r = defuse_reaching(x->fn, k->path->entry, sym);
	if (all_before(x, r.at, r.n))
		return (In){ sym, IN_COMMON,
			"it is uniform, and every lane computed it before the loop" };
	uint32_t only = context_only_def(x, k, sym);
	if (only && can_compute_again(x, only))
		return (In){
			sym, IN_AGAIN,
			"it is uniform, but some lanes may not have come past where it is computed"
		};
	return (In){ sym, IN_SAVED, "it changes from iteration to iteration" };
}

/* ---- slots ------------------------------------------------------------------------------- */

uint32_t
context_size(const Module *m, uint32_t sym)
{
	const Sym *y = &m->syms[sym];

	if (y->kind == SYM_SPECIAL)
		return 4;
	return y->type == TYPE_PRED ? 0 : ptx_type_size((Type)y->type);
}

static void
add_kept(const Plan *x, Task *t, uint32_t sym)
{
	t->kept[t->nkept++] = (Slot){ .sym = sym, .size = (uint8_t)context_size(x->fn->m, sym) };
}

static Verdict
add_slot(const Plan *x, Task *t, uint32_t sym, uint8_t sel, uint32_t pos)
{
	const Sym *y = &x->fn->m->syms[sym];
	uint32_t size = context_size(x->fn->m, sym);

	if (y->vec > 1)
		return verdict(x->arena, D_CONTEXT, pos,
			"%s is in a vector register and belongs to a task",
			plan_value(x, sym, 0));
	for (uint32_t i = 0; i < t->nslots; i++)
		if (t->slots[i].sym == sym && t->slots[i].sel == sel)
			return VERDICT_YES;
	t->slots[t->nslots++] = (Slot){ .sym = sym, .sel = sel, .size = (uint8_t)size };
	return VERDICT_YES;
}

/* Saves a special register of the thread as a value of the task. */
static Verdict
save_special(const Plan *x, Part *k, uint32_t stmt, const Ref *r)
{
	const Module *m = x->fn->m;
	const Stmt *s = fn_stmt(x->fn, stmt);
	uint8_t sel = m->opnds[r->opnd].sel;

	if (!fn_sreg_has(x->fn, r->sym, SREGF_LANE))
		return VERDICT_YES;
	if (!sel && m->syms[r->sym].aux == SREG_TID)
		return verdict(
			x->arena, D_CONTEXT, s->at.pos, "'%%tid' read as a vector in the path");
	if (ptx_op(m, s) == OP_MOV && ptx_type_size(ptx_insn_type(m, s)) != 4)
		return verdict(x->arena, D_CONTEXT, s->at.pos, "'%.*s' read as 16 bits in the path",
			PTX_NAME(m, r->sym));
	return add_slot(x, &k->task, r->sym, sel, s->at.pos);
}

static Verdict
save_specials(const Plan *x, Part *k)
{
	Verdict v = VERDICT_YES;

	BITS_EACH(b, k->span)
		FN_BLOCK_STMTS(x->fn, b, s)
			FN_REFS(x->fn, s, r)
				if (!verdict_no(v) &&
					!(k->join && bits_has(k->idle, fn_local_stmt(x->fn, s))))
					v = save_special(x, k, s, r);
	return v;
}

bool
context_is_reduced(const Task *t, uint32_t local)
{
	for (uint32_t i = 0; i < t->nsums; i++)
		if (bits_has(t->sums[i].web, local))
			return true;
	return false;
}

/* Classifies the live-in registers. */
static void
find_registers(Plan *x, Part *k, Bits in, Bits defined)
{
	const Fn *fn = x->fn;

	BITS_EACH(i, in) {
		In value = context_is_reduced(&k->task, i) ?
			(In){ fn_sym(fn, i), IN_SLOT, "the path only folds values into it" } :
			context_classify(x, k, fn_sym(fn, i), bits_has(defined, i));
		k->task.in[k->task.nin++] = value;
		if (value.how != IN_SAVED)
			continue;
		uint32_t size = context_size(fn->m, fn_sym(fn, i));
		k->task.uncompressed += size;
		k->task.uncompressed_preds += !size;
	}
}

static Verdict
save_registers(const Plan *x, Part *k)
{
	const Fn *fn = x->fn;
	uint32_t pos = fn_stmt(fn, fn->cfg->blocks[k->path->entry].stmt)->at.pos;
	Task *t = &k->task;
	Verdict v = VERDICT_YES;

	t->slots = arena_array(x->arena, t->nin + MOST_OTHERS, sizeof *t->slots);
	t->kept = arena_array(x->arena, t->nin, sizeof *t->kept);
	for (uint32_t i = 0; i < t->nin && !verdict_no(v); i++) {
		In_how how = t->in[i].how;
		if (how == IN_SAVED || how == IN_KEPT)
			bits_set(t->own, fn_local(fn, t->in[i].sym));
		if (how == IN_SAVED)
			v = add_slot(x, t, t->in[i].sym, 0, pos);
		else if (how == IN_KEPT)
			add_kept(x, t, t->in[i].sym);
	}
	return v;
}

/* Removes the inputs that only lanes that skip the path need, or only the owner. */
static void
needed_by_jump(const Plan *x, Part *k, Bits in)
{
	bits_and(in, x->fn->live->in[k->path->entry]);
	jump_idle(x, k);
	BITS_EACH(i, in)
		if (!jump_needs(x, k, fn_sym(x->fn, i)))
			bits_unset(in, i);
}

void
task_begin(Plan *x, Part *k, uint32_t nin, uint32_t ndefined)
{
	const Fn *fn = x->fn;

	k->task = (Task){ .in = arena_array(x->arena, nin + 1, sizeof *k->task.in),
		.own = bits_new(x->arena, fn->f->nsym),
		.slice = arena_array(x->arena, SLICE_MOST, sizeof *k->task.slice),
		.sums = arena_array(x->arena, ndefined + 1, sizeof *k->task.sums) };
	if (!x->again) {
		x->again_syms = bits_new(x->arena, fn->f->nsym);
		x->again = arena_array(x->arena, SLICE_MOST, sizeof *x->again);
	}
}

Verdict
task_values(Plan *x, Part *k, Bits in, Bits defined)
{
	const Fn *fn = x->fn;
	Verdict v;

	find_registers(x, k, in, defined);
	task_compress(x, k, defined);
	if (verdict_no(v = save_registers(x, k)))
		return v;
	if (task_has_owner(&k->task) && !k->rounds)
		k->task.slots[k->task.nslots++] = (Slot){ .size = 1 };
	bits_or(k->task.own, defined);
	for (uint32_t i = 0; i < k->task.nsums; i++)
		bits_set(k->task.own, fn_local(fn, k->task.sums[i].in));
	BITS_EACH(i, k->task.own)
		if (slice_declared_inside(x, fn_sym(fn, i)))
			bits_unset(k->task.own, i);
	return save_specials(x, k);
}

Verdict
task_make(Plan *x, Part *k)
{
	Bits defined, in = region_inputs(x->fn, k->span, &defined, x->scratch);
	Verdict v;

	if (k->steps) /* loop-carried registers */
		BITS_EACH(i, defined)
			if (bits_has(x->fn->live->in[k->path->entry], i))
				bits_set(in, i);
	task_begin(x, k, bits_count(in), bits_count(defined));
	v = task_live_outs(x, k, defined);
	if (k->join && !verdict_no(v))
		needed_by_jump(x, k, in);
	return verdict_no(v) ? v : task_values(x, k, in, defined);
}
