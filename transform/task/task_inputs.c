/* SPDX-License-Identifier: MIT */
/* The inputs of a task (docs/design.md 5.3).
 *
 * Context: the registers that R reads before it writes them, except those that every lane of M
 * holds with the same value in every iteration. Such a value is uniform, and either computed before
 * the begin marker, where every lane of M passed (INPUT_UNIFORM), or a pure function of such
 * values, recomputed for all of M at the entry (INPUT_RECOMPUTED): a lane whose guard skips the
 * loop has not executed the code where the compiler placed the computation, but must help all the
 * same. Special registers of the thread that R reads are context too. Values that can be recomputed
 * from others are not saved (INPUT_DERIVED, compress.c). The owner may store lane invariants once
 * for all its tasks (INPUT_INVARIANT, compress.c). */
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
stmt_is_in_region(const Plan *x, uint32_t stmt)
{
	return bits_has(x->site->blocks, fn_block(x->fn, stmt));
}

/* Whether a loop contains both the annotated loop and this statement. Lanes that arrive together
 * may come from different iterations of it, so a value that is uniform in each iteration may differ
 * between them. */
static bool
stmt_shares_outer_loop(const Plan *x, uint32_t stmt)
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
defs_precede_marker(const Plan *x, const uint32_t *defs, uint32_t n)
{
	if (x->remap)
		return x->remap->is_common(x, defs, n);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t s = x->fn->defuse->defs[defs[i]].stmt;
		if (s == 0 || stmt_is_in_region(x, s) || stmt_shares_outer_loop(x, s))
			return false;
	}
	return n > 0;
}

/* ---- recomputed at the entry ------------------------------------------------------------- */

static bool
is_lane_sreg(const Fn *fn, uint32_t stmt)
{
	return fn_effects(fn, stmt) & EFF_LANE;
}

/* Whether the statement is the only definition of each register that it writes. Otherwise one name
 * at the entry would stand for several values. */
static bool
stmt_is_only_def(const Fn *fn, uint32_t stmt)
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
stmt_is_runnable_at_entry(const Plan *x, uint32_t d)
{
	uint32_t stmt = fn_def(x->fn, d)->stmt;

	return stmt && (slice_def_is_pure(x, d) || slice_is_param_load(x->fn, stmt)) &&
		!is_lane_sreg(x->fn, stmt) && stmt_is_only_def(x->fn, stmt);
}

/* Whether the definition's value lives as long as what is computed from it. It does before a
 * loop. */
static bool
value_is_stable(const Plan *x, uint32_t d)
{
	const Def *def = fn_def(x->fn, d);

	return !x->remap ||
		(stmt_is_only_def(x->fn, def->stmt) &&
			!slice_register_is_declared_inside(x, def->sym));
}

/* Slice rule: from values that every lane has at the entry, or that are recomputed there. */
static Slice_step
edge_is_available_at_entry(void *user, const Slice_edge *e)
{
	const Plan *x = ((const Stmt_slice *)user)->x;
	const Use *u = fn_use(e->fn, e->use);

	if (bits_has(e->fn->uniform->use, e->use))
		return SLICE_NO;
	if (defs_precede_marker(x, e->fn->defuse->reach + u->def, u->ndef) &&
		value_is_stable(x, e->def))
		return SLICE_HAVE;
	return u->ndef == 1 && (e->taken || stmt_is_runnable_at_entry(x, e->def)) ? SLICE_ACCEPT :
										    SLICE_NO;
}

static bool
def_is_recomputable(Plan *x, uint32_t d)
{
	Stmt_slice s = { x, NULL, x->tasks.recomputed, x->tasks.nrecomputed };

	if (slice_has(&s, fn_def(x->fn, d)->stmt))
		return true;
	if (!stmt_is_runnable_at_entry(x, d) || !slice_add(&s, d, edge_is_available_at_entry))
		return false;
	for (uint32_t i = x->tasks.nrecomputed; i < s.n; i++)
		FN_DEFS_OF_STMT(x->fn, x->tasks.recomputed[i], k)
			bits_set(x->tasks.recomputed_syms, fn_local(x->fn, fn_def(x->fn, k)->sym));
	x->tasks.nrecomputed = s.n;
	return true;
}

void
task_input_truncate_recomputed(Plan *x, uint32_t n)
{
	Task_set *t = &x->tasks;

	for (uint32_t i = n; i < t->nrecomputed; i++)
		FN_DEFS_OF_STMT(x->fn, t->recomputed[i], d)
			bits_unset(t->recomputed_syms, fn_local(x->fn, fn_def(x->fn, d)->sym));
	t->nrecomputed = n;
}

uint32_t
task_input_entries(const Plan *x)
{
	return x->remap ? x->remap->npaths : 1;
}

uint32_t
task_input_entry(const Plan *x, const Task_region *k, uint32_t i)
{
	return x->remap ? x->remap->paths[i].begin : k->path->entry;
}

bool
task_input_in_later_iteration(const Plan *x, const Task_region *k, uint32_t block)
{
	return !x->remap && k->lane_loop && bits_has(k->task_blocks, block);
}

/* Whether the definition reaches the cut. */
static bool
def_reaches_entry(const Plan *x, const Task_region *k, uint32_t def)
{
	uint32_t s = fn_def(x->fn, def)->stmt;

	return !s || !task_input_in_later_iteration(x, k, fn_block(x->fn, s));
}

uint32_t
task_input_only_def(const Plan *x, const Task_region *k, uint32_t sym)
{
	uint32_t only = 0;

	for (uint32_t i = 0; i < task_input_entries(x); i++) {
		Reaching r = defuse_reaching(x->fn, task_input_entry(x, k, i), sym);
		for (uint32_t d = 0; d < r.n; d++) {
			if (!def_reaches_entry(x, k, r.at[d]) || r.at[d] == only)
				continue;
			if (only)
				return 0;
			only = r.at[d];
		}
	}
	return only;
}

static bool
register_varies_at_entry(const Plan *x, const Task_region *k, uint32_t sym)
{
	for (uint32_t i = 0; i < task_input_entries(x); i++)
		if (uniform_varies_at(x->fn, task_input_entry(x, k, i), sym))
			return true;
	return false;
}

Task_input
task_input_classify(Plan *x, const Task_region *k, uint32_t sym, bool changed)
{
	if (changed)
		return (Task_input){ sym, INPUT_SAVED, "the path changes it" };
	if (register_varies_at_entry(x, k, sym))
		return (Task_input){ sym, INPUT_SAVED, "it varies from lane to lane" };
	Reaching r = defuse_reaching(x->fn, k->path->entry, sym);
	if (defs_precede_marker(x, r.at, r.n))
		return (Task_input){ sym, INPUT_UNIFORM,
			"it is uniform, and every lane computed it before the loop" };
	uint32_t only = task_input_only_def(x, k, sym);
	if (only && def_is_recomputable(x, only))
		return (Task_input){
			sym, INPUT_RECOMPUTED,
			"it is uniform, but some lanes may not have computed it"
		};
	return (Task_input){ sym, INPUT_SAVED, "it changes from iteration to iteration" };
}

/* ---- slots ------------------------------------------------------------------------------- */

uint32_t
task_slot_bytes(const Module *m, uint32_t sym)
{
	const Sym *y = &m->syms[sym];

	if (y->kind == SYM_SPECIAL)
		return 4;
	return y->type == TYPE_PRED ? 0 : ptx_type_size((Type)y->type);
}

static void
add_lane_invariant(const Plan *x, Task *t, uint32_t sym)
{
	t->invariants[t->ninvariants++] =
		(Context_slot){ .sym = sym, .size = (uint8_t)task_slot_bytes(x->fn->m, sym) };
}

static Verdict
add_slot(const Plan *x, Task *t, uint32_t sym, uint8_t sel, uint32_t pos)
{
	const Sym *y = &x->fn->m->syms[sym];
	uint32_t size = task_slot_bytes(x->fn->m, sym);

	if (y->vec > 1)
		return verdict(x->arena, D_CONTEXT, pos,
			"%s is in a vector register and belongs to a task",
			describe_value(x, sym, 0));
	for (uint32_t i = 0; i < t->nslots; i++)
		if (t->slots[i].sym == sym && t->slots[i].sel == sel)
			return VERDICT_YES;
	t->slots[t->nslots++] = (Context_slot){ .sym = sym, .sel = sel, .size = (uint8_t)size };
	return VERDICT_YES;
}

/* Saves a special register of the thread as a value of the task. */
static Verdict
save_special(const Plan *x, Task_region *k, uint32_t stmt, const Ref *r)
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
save_specials(const Plan *x, Task_region *k)
{
	Verdict v = VERDICT_YES;

	BITS_EACH(b, k->task_blocks)
		FN_BLOCK_STMTS(x->fn, b, s)
			FN_REFS(x->fn, s, r)
				if (!verdict_is_no(v) &&
					!(k->tail_end &&
						bits_has(k->dead, fn_local_stmt(x->fn, s))))
					v = save_special(x, k, s, r);
	return v;
}

bool
task_input_is_reduction(const Task *t, uint32_t local)
{
	for (uint32_t i = 0; i < t->nreductions; i++)
		if (bits_has(t->reductions[i].web, local))
			return true;
	return false;
}

/* Classifies the live-in registers. */
static void
find_registers(Plan *x, Task_region *k, Bits in, Bits defined)
{
	const Fn *fn = x->fn;

	BITS_EACH(i, in) {
		Task_input value = task_input_is_reduction(&k->task, i) ?
			(Task_input){ fn_sym(fn, i), INPUT_REDUCED, "the path only folds values into it" } :
			task_input_classify(x, k, fn_sym(fn, i), bits_has(defined, i));
		k->task.inputs[k->task.ninputs++] = value;
		if (value.kind != INPUT_SAVED)
			continue;
		uint32_t size = task_slot_bytes(fn->m, fn_sym(fn, i));
		k->task.uncompressed += size;
		k->task.uncompressed_preds += !size;
	}
}

static Verdict
save_registers(const Plan *x, Task_region *k)
{
	const Fn *fn = x->fn;
	uint32_t pos = fn_stmt(fn, fn->cfg->blocks[k->path->entry].stmt)->at.pos;
	Task *t = &k->task;
	Verdict v = VERDICT_YES;

	t->slots = arena_array(x->arena, t->ninputs + MOST_OTHERS, sizeof *t->slots);
	t->invariants = arena_array(x->arena, t->ninputs, sizeof *t->invariants);
	for (uint32_t i = 0; i < t->ninputs && !verdict_is_no(v); i++) {
		Input_kind how = t->inputs[i].kind;
		if (how == INPUT_SAVED || how == INPUT_INVARIANT)
			bits_set(t->renamed, fn_local(fn, t->inputs[i].sym));
		if (how == INPUT_SAVED)
			v = add_slot(x, t, t->inputs[i].sym, 0, pos);
		else if (how == INPUT_INVARIANT)
			add_lane_invariant(x, t, t->inputs[i].sym);
	}
	return v;
}

/* Removes the inputs that only lanes that skip the path need, or only the owner. */
static void
tail_inputs(const Plan *x, Task_region *k, Bits in)
{
	bits_and(in, x->fn->live->in[k->path->entry]);
	tail_find_dead_stmts(x, k);
	BITS_EACH(i, in)
		if (!tail_needs_register(x, k, fn_sym(x->fn, i)))
			bits_unset(in, i);
}

void
task_begin(Plan *x, Task_region *k, uint32_t nin, uint32_t ndefined)
{
	const Fn *fn = x->fn;

	k->task = (Task){ .inputs = arena_array(x->arena, nin + 1, sizeof *k->task.inputs),
		.renamed = bits_new(x->arena, fn->f->nsym),
		.slice = arena_array(x->arena, SLICE_MAX, sizeof *k->task.slice),
		.reductions = arena_array(x->arena, ndefined + 1, sizeof *k->task.reductions) };
	if (!x->tasks.recomputed) {
		x->tasks.recomputed_syms = bits_new(x->arena, fn->f->nsym);
		x->tasks.recomputed = arena_array(x->arena, SLICE_MAX, sizeof *x->tasks.recomputed);
	}
}

Verdict
task_make_values(Plan *x, Task_region *k, Bits in, Bits defined)
{
	const Fn *fn = x->fn;
	Verdict v;

	find_registers(x, k, in, defined);
	task_derive_inputs(x, k, defined);
	if (verdict_is_no(v = save_registers(x, k)))
		return v;
	if (task_names_owner(&k->task) && !k->lane_loop)
		k->task.slots[k->task.nslots++] = (Context_slot){ .size = 1 };
	bits_or(k->task.renamed, defined);
	for (uint32_t i = 0; i < k->task.nreductions; i++)
		bits_set(k->task.renamed, fn_local(fn, k->task.reductions[i].in));
	BITS_EACH(i, k->task.renamed)
		if (slice_register_is_declared_inside(x, fn_sym(fn, i)))
			bits_unset(k->task.renamed, i);
	return save_specials(x, k);
}

Verdict
task_make(Plan *x, Task_region *k)
{
	Bits defined, in = region_live_ins(x->fn, k->task_blocks, &defined, x->scratch);
	Verdict v;

	if (k->by_iteration) /* loop-carried registers */
		BITS_EACH(i, defined)
			if (bits_has(x->fn->live->in[k->path->entry], i))
				bits_set(in, i);
	task_begin(x, k, bits_count(in), bits_count(defined));
	v = task_live_outs(x, k, defined);
	if (k->tail_end && !verdict_is_no(v))
		tail_inputs(x, k, in);
	return verdict_is_no(v) ? v : task_make_values(x, k, in, defined);
}
