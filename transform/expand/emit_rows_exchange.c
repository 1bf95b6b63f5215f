/* SPDX-License-Identifier: MIT */
/* Emits the exchange between lanes in an expanded loop: a row's trip count, the values that a
 * helper fetches from the owner, reductions, and the search for a lane. Pieces of rows.tpl; see
 * emit_expand.h. */
#include "transform/emit/emit.h"
#include "transform/expand/emit_expand.h"
#include "transform/plan/plan.h"
#include "transform/task/reduction.h"

static uint32_t
register_bytes(const Emit *e, uint32_t sym)
{
	return ptx_type_size((Type)e->m->syms[sym].type);
}

/* ---- trip count of a row --------------------------------------------------------------------- */

static const char *
loop_bound_text(const Emit *e)
{
	const Opnd *o = &e->m->opnds[expand_lane_loop(e)->trips->bound];

	return o->kind == OPND_SYM ? expand_owner_register(e, o->sym) :
		arena_strndup(e->arena, e->m->src->text + o->at.pos, o->at.end - o->at.pos);
}

void
expand_define_count(Emit *e)
{
	static const char *const cmps[] = {
		[TRIPS_LT] = "lt",
		[TRIPS_LE] = "le",
		[TRIPS_GT] = "gt",
		[TRIPS_GE] = "ge",
		[TRIPS_NE] = "ne",
	};
	const Trip_count *t = expand_lane_loop(e)->trips;
	const Induction *i = &t->steps[t->tested.step];
	const char *index = expand_owner_register(e, i->sym);
	uint64_t step = (uint64_t)(i->step < 0 ? -i->step : i->step), shift = 0;

	while (UINT64_C(1) << shift < step)
		shift++;
	tpl_value(e->t, "index", "%s", index);
	tpl_value(e->t, "from", "%s",
		!t->tested.plus       ? index :
			t->bytes == 8 ? "%~wide_from" :
					"%~from");
	tpl_value(e->t, "ahead", "%lld", (long long)t->tested.plus);
	tpl_value(e->t, "bound", "%s", loop_bound_text(e));
	tpl_value(e->t, "cmp", "%s.%c%u", cmps[t->cmp], t->is_signed ? 's' : 'u', 8 * t->bytes);
	tpl_value(e->t, "step", "%llu", (unsigned long long)step);
	tpl_value(e->t, "shift", "%llu", (unsigned long long)shift);
	tpl_flag(e->t, "tested_before_step", t->tested.plus != 0);
	tpl_flag(e->t, "up", i->step > 0);
	tpl_flag(e->t, "step_not_one", step != 1);
	tpl_flag(e->t, "strict", t->cmp == TRIPS_LT || t->cmp == TRIPS_GT);
	tpl_flag(e->t, "inclusive", t->cmp == TRIPS_LE || t->cmp == TRIPS_GE);
	tpl_flag(e->t, "rounds_up", t->cmp != TRIPS_NE);
	tpl_flag(e->t, "shifts", UINT64_C(1) << shift == step);
	tpl_flag(e->t, "bottom", !t->top);
}

/* ---- values of a row, from its owner --------------------------------------------------------- */

static void
emit_shuffle(Emit *e, const char *to, const char *from)
{
	tpl_line(e->t, "\tshfl.sync.idx.b32 %s, %s, <whose>, 31, <mask>;", to, from);
}

static void
emit_wide_shuffle(Emit *e, const char *to, const char *from)
{
	tpl_line(e->t, "\tmov.b64 {%%~lo, %%~hi}, %s;", from);
	emit_shuffle(e, "%~lo", "%~lo");
	emit_shuffle(e, "%~hi", "%~hi");
	tpl_line(e->t, "\tmov.b64 %s, {%%~lo, %%~hi};", to);
}

/* Shuffles a predicate or a narrow value as a word. */
static void
emit_narrow_shuffle(Emit *e, const Context_slot *s, const char *to, const char *from)
{
	if (s->size == 0)
		tpl_line(e->t, "\tselp.b32 %%~lo, 1, 0, %s;", from);
	else if (s->size == 2)
		tpl_line(e->t, "\tmov.b32 %%~lo, {%s, %s};", from, from);
	else
		tpl_line(e->t, "\tcvt.u32.u8 %%~lo, %s;", from);
	emit_shuffle(e, "%~lo", "%~lo");
	if (s->size == 0)
		tpl_line(e->t, "\tsetp.ne.u32 %s, %%~lo, 0;", to);
	else if (s->size == 2)
		tpl_line(e->t, "\tmov.b32 {%s, %%~half}, %%~lo;", to);
	else
		tpl_line(e->t, "\tcvt.u8.u32 %s, %%~lo;", to);
}

/* Recomputes the values that depend on the row's index (along), or the others. */
static void
emit_computed(Emit *e, bool along)
{
	const Task *task = &e->here.region->task;

	for (uint32_t i = 0; i < task->nderived; i++)
		if (bits_has(expand_lane_loop(e)->stepped, i) == along)
			copy_line(&e->path, task->derived[i]);
}

void
expand_fetch(void *user)
{
	Emit *e = user;
	const Task *task = &e->here.region->task;

	for (uint32_t i = 0; i < task->nslots; i++) {
		const Context_slot *s = &task->slots[i];
		const char *to = emit_region_register(e, e->here.region, s->sym, s->sel),
			   *from = expand_owner_register(e, s->sym);
		if (e->m->syms[s->sym].kind == SYM_SPECIAL) {
			task_read_special(e, s);
			from = to;
		}
		if (s->size == 4)
			emit_shuffle(e, to, from);
		else if (s->size == 8)
			emit_wide_shuffle(e, to, from);
		else
			emit_narrow_shuffle(e, s, to, from);
	}
	emit_computed(e, false);
}

void
expand_load_bound(void *user)
{
	Emit *e = user;
	const Trip_count *t = expand_lane_loop(e)->trips;

	for (uint32_t i = 0; i < t->nreloads && !t->bound_is_loaded; i++)
		copy_line(&e->original_loop, t->reloads[i]);
}

void
expand_fetch_count(void *user)
{
	Emit *e = user;

	if (expand_lane_loop(e)->trips->bytes == 4)
		emit_shuffle(e, "%~left", "%~n");
	else
		emit_wide_shuffle(e, "%~wide_left", "%~wide_n");
}

/* Whether the induction variable is recomputed from the index. */
static bool
induction_follows_index(const Emit *e, uint32_t sym)
{
	const Task *task = &e->here.region->task;

	BITS_EACH(i, expand_lane_loop(e)->stepped)
		FN_DEFS_OF_STMT(e->x->fn, task->derived[i], d)
			if (fn_def(e->x->fn, d)->sym == sym)
				return true;
	return false;
}

/* Whether a helper has the owner's value, fetched or recomputed. */
static bool
helper_has_value(const Emit *e, uint32_t sym)
{
	Input_kind how = task_input_kind(&e->here.region->task, sym);

	return how == INPUT_SAVED || how == INPUT_DERIVED;
}

/* Advances the task's induction variables by the number of steps in register `many`: below 2^31
 * or, if `any`, any unsigned 32-bit number. */
static void
advance_inductions(Emit *e, const char *many, bool any)
{
	const Trip_count *t = expand_lane_loop(e)->trips;

	for (uint32_t i = 0; i < t->nsteps; i++) {
		const Induction *n = &t->steps[i];
		const char *own = emit_region_register(e, e->here.region, n->sym, 0);
		bool wide = register_bytes(e, n->sym) == 8;
		if (!helper_has_value(e, n->sym) || induction_follows_index(e, n->sym))
			continue;
		if (any && wide && n->step < 0) {
			tpl_line(e->t, "\tcvt.u64.u32 %%~wide_from, %s;", many);
			tpl_line(e->t, "\tmad.lo.s64 %s, %%~wide_from, %lld, %s;", own,
				(long long)n->step, own);
			continue;
		}
		tpl_line(e->t, "\tmad.%s32 %s, %s, %lld, %s;",
			!wide ? "lo.s" : any ? "wide.u" : "wide.s", own, many, (long long)n->step,
			own);
	}
}

void
expand_at_lane(void *user)
{
	advance_inductions(user, "%~lane", false);
}

/* Advances induction variables to the next pass; by one step less if the iteration itself makes
 * a step. */
static void
advance_pass(Emit *e, bool all)
{
	const Trip_count *t = expand_lane_loop(e)->trips;

	for (uint32_t i = 0; i < t->nsteps; i++) {
		const Induction *n = &t->steps[i];
		const char *own = emit_region_register(e, e->here.region, n->sym, 0);
		bool made =
			bits_has(expand_lane_loop(e)->executed, fn_local_stmt(e->x->fn, n->stmt));
		if (!helper_has_value(e, n->sym) || (!all && induction_follows_index(e, n->sym)))
			continue;
		if (e->here.whole_warp)
			tpl_line(e->t, "\tadd.s%u %s, %s, %lld;", 8 * register_bytes(e, n->sym), own, own,
				(long long)n->step * (WARP - made));
		else
			tpl_line(e->t, "\tmad.%s.s32 %s, %s, %lld, %s;",
				register_bytes(e, n->sym) == 4 ? "lo" : "wide", own,
				made ? "%~last" : "%~size", (long long)n->step, own);
	}
}

void
expand_at_next(void *user)
{
	advance_pass(user, true);
}

void
expand_index_next(void *user)
{
	advance_pass(user, false);
}

void
expand_stepped_values(void *user)
{
	emit_computed(user, true);
}

void
expand_at_iteration(void *user)
{
	const Emit *e = user;
	bool rests = e->here.whole_warp && expand_lane_loop(e)->packs;

	advance_inductions(user, rests ? "%~try" : "%~bit", rests);
}

/* Expands the section for 1, 2, 4, 8, 16, or in reverse order. */
static void
emit_doubling_steps(Emit *e, const char *section, bool down)
{
	for (uint32_t d = 1; d < WARP; d *= 2) {
		tpl_value(e->t, "d", "%u", down ? WARP / 2 / d : d);
		tpl_value(e->t, "below", "%%~below%u", d);
		tpl_write_section(e->t, section);
	}
}

/* ---- reductions ------------------------------------------------------------------------------ */

/* Fetches another lane's value of the current reduction to the word <other>. */
static void
emit_shuffle_partner(Emit *e, const char *how, const char *from)
{
	const char *own = emit_region_register(e, e->here.region, e->here.reduction->in, 0);

	if (ptx_type_size(e->here.reduction->type) == 4) {
		tpl_line(e->t, "\tshfl.sync.%s.b32 %%~lo, %s, %s, <mask>;", how, own, from);
		return;
	}
	tpl_line(e->t, "\tmov.b64 {%%~lo, %%~hi}, %s;", own);
	tpl_line(e->t, "\tshfl.sync.%s.b32 %%~lo, %%~lo, %s, <mask>;", how, from);
	tpl_line(e->t, "\tshfl.sync.%s.b32 %%~hi, %%~hi, %s, <mask>;", how, from);
	tpl_line(e->t, "\tmov.b64 %%~wide_other, {%%~lo, %%~hi};");
}

void
expand_from_below(void *user)
{
	const Emit *e = user;

	emit_shuffle_partner(user, e->here.whole_warp ? "up" : "idx", e->here.whole_warp ? "<d>, 0" : "<below>, 31");
}

void
expand_from_last(void *user)
{
	emit_shuffle_partner(user, "idx", "<source>, 31");
}

/* Combines the lanes' partial results, and stores them to the rows' owners. */
void
expand_fold(void *user)
{
	Emit *e = user;
	const Here outer = e->here;

	for (uint32_t i = 0; i < e->here.region->task.nreductions; i++) {
		const Reduction *r = e->here.reduction = &e->here.region->task.reductions[i];
		tpl_value(e->t, "op", "%s", reduction_fold(r, e->arena));
		tpl_value(e->t, "mine", "%s", emit_region_register(e, e->here.region, r->in, 0));
		tpl_value(e->t, "other", ptx_type_size(r->type) == 4 ? "%%~lo" : "%%~wide_other");
		tpl_value(e->t, "result", "%s", expand_owner_register(e, r->in));
		emit_doubling_steps(e, "scan", false);
		tpl_write_section(e->t, "take");
	}
	e->here = outer;
}

void
expand_identities(void *user)
{
	Emit *e = user;

	for (uint32_t i = 0; i < e->here.region->task.nreductions; i++) {
		const Reduction *r = &e->here.region->task.reductions[i];
		tpl_line(e->t, "\tmov.b%u %s, 0x%llx;", 8 * ptx_type_size(r->type),
			emit_region_register(e, e->here.region, r->in, 0),
			(unsigned long long)reduction_identity(r));
	}
}

/* Copies the reduction to the register that holds it after the loop, if it is not the one at the
 * loop's header. */
static void
forward_reduction(Emit *e)
{
	for (uint32_t i = 0; i < e->here.region->task.nreductions; i++) {
		const Reduction *r = &e->here.region->task.reductions[i];
		if (r->in != r->out)
			tpl_line(e->t, "\t@%%~row mov.b%u %s, %s;", 8 * ptx_type_size(r->type),
				expand_owner_register(e, r->out), expand_owner_register(e, r->in));
	}
}

/* ---- after a row ----------------------------------------------------------------------------- */

/* Whether the definition precedes a test at the top, and so executes once more than the trip
 * count. */
static bool
def_precedes_test(const Emit *e, uint32_t def)
{
	const Trip_count *t = expand_lane_loop(e)->trips;

	return t->top &&
		trip_count_test_is_at_top(t, fn_block(e->x->fn, fn_def(e->x->fn, def)->stmt));
}

/* Computes the final value of a definition in the loop, from the owner's induction variable and
 * the trip count. */
static void
emit_live_out(Emit *e, uint32_t def)
{
	const Trip_count *t = expand_lane_loop(e)->trips;
	const char *to = expand_owner_register(e, fn_def(e->x->fn, def)->sym);
	Trip_value v = { 0 };
	bool known = trip_count_value(t, def, &v);
	const Induction *i = &t->steps[v.step];
	uint32_t bits = 8 * register_bytes(e, i->sym);
	const char *n = bits == 32 ? "%~n" : "%~wide_n";
	long long more = v.plus - (def_precedes_test(e, def) ? 0 : i->step);

	ASSERT(known);
	if (bits == 32 && t->bytes == 8)
		tpl_line(e->t, "\tcvt.u32.u64 %s, %%~wide_n;", n = "%~lo");
	if (bits == 64 && t->bytes == 4)
		tpl_line(e->t, "\tcvt.u64.u32 %s, %%~n;", n = "%~wide_left");
	tpl_line(e->t, "\t@%%~row mad.lo.s%u %s, %s, %lld, %s;", bits, to, n, (long long)i->step,
		expand_owner_register(e, i->sym));
	if (more)
		tpl_line(e->t, "\t@%%~row add.s%u %s, %s, %lld;", bits, to, to, more);
}

/* For a row without iterations, only definitions before the test have executed. */
void
expand_empty_live_outs(void *user)
{
	Emit *e = user;

	for (uint32_t i = 0; i < expand_lane_loop(e)->nlive_outs; i++)
		if (def_precedes_test(e, expand_lane_loop(e)->live_outs[i]))
			emit_live_out(e, expand_lane_loop(e)->live_outs[i]);
	forward_reduction(e);
}

void
expand_live_outs(void *user)
{
	Emit *e = user;

	for (uint32_t i = 0; i < expand_lane_loop(e)->nlive_outs; i++)
		emit_live_out(e, expand_lane_loop(e)->live_outs[i]);
	forward_reduction(e);
}

/* ---- steps over the lanes -------------------------------------------------------------------- */

void
expand_sums(void *user)
{
	emit_doubling_steps(user, "sum", false);
}

void
expand_search(void *user)
{
	emit_doubling_steps(user, "probe", true);
}

void
expand_nths(void *user)
{
	emit_doubling_steps(user, "nth", true);
}

void
expand_below(void *user)
{
	Emit *e = user;

	for (uint32_t d = 1; d < WARP / 2; d *= 2) {
		tpl_value(e->t, "below", "%%~below%u", d);
		tpl_value(e->t, "farther", "%%~below%u", 2 * d);
		tpl_write_section(e->t, "twice");
	}
}
