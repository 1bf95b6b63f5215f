/* SPDX-License-Identifier: MIT */
/* Emits the exchange between lanes in an expanded loop: a row's trip count, the values that a
 * helper fetches from the owner, reductions, and the search for a lane. Pieces of rows.tpl; see
 * emit_expand.h. */
#include "transform/emit/emit.h"
#include "transform/expand/emit_expand.h"
#include "transform/plan/plan.h"
#include "transform/task/reduction.h"

static uint32_t
bytes_of(const Emit *e, uint32_t sym)
{
	return ptx_type_size((Type)e->m->syms[sym].type);
}

/* ---- trip count of a row --------------------------------------------------------------------- */

static const char *
bound_text(const Emit *e)
{
	const Opnd *o = &e->m->opnds[expand_rounds(e)->trips->bound];

	return o->kind == OPND_SYM ? expand_name(e, o->sym) :
		arena_strndup(e->arena, e->m->src->text + o->at.pos, o->at.end - o->at.pos);
}

void
expand_tell_count(Emit *e)
{
	static const char *const cmps[] = {
		[TRIPS_LT] = "lt",
		[TRIPS_LE] = "le",
		[TRIPS_GT] = "gt",
		[TRIPS_GE] = "ge",
		[TRIPS_NE] = "ne",
	};
	const Trips *t = expand_rounds(e)->trips;
	const Induction *i = &t->steps[t->tested.step];
	const char *index = expand_name(e, i->sym);
	uint64_t step = (uint64_t)(i->step < 0 ? -i->step : i->step), shift = 0;

	while (UINT64_C(1) << shift < step)
		shift++;
	tpl_value(e->t, "index", "%s", index);
	tpl_value(e->t, "from", "%s",
		!t->tested.plus       ? index :
			t->bytes == 8 ? "%~wide_from" :
					"%~from");
	tpl_value(e->t, "ahead", "%lld", (long long)t->tested.plus);
	tpl_value(e->t, "bound", "%s", bound_text(e));
	tpl_value(e->t, "cmp", "%s.%c%u", cmps[t->cmp], t->is_signed ? 's' : 'u', 8 * t->bytes);
	tpl_value(e->t, "step", "%llu", (unsigned long long)step);
	tpl_value(e->t, "shift", "%llu", (unsigned long long)shift);
	tpl_flag(e->t, "is_ahead", t->tested.plus != 0);
	tpl_flag(e->t, "up", i->step > 0);
	tpl_flag(e->t, "strides", step != 1);
	tpl_flag(e->t, "strict", t->cmp == TRIPS_LT || t->cmp == TRIPS_GT);
	tpl_flag(e->t, "inclusive", t->cmp == TRIPS_LE || t->cmp == TRIPS_GE);
	tpl_flag(e->t, "rounds_up", t->cmp != TRIPS_NE);
	tpl_flag(e->t, "shifts", UINT64_C(1) << shift == step);
	tpl_flag(e->t, "bottom", !t->top);
}

/* ---- values of a row, from its owner --------------------------------------------------------- */

static void
shuffle(Emit *e, const char *to, const char *from)
{
	tpl_line(e->t, "\tshfl.sync.idx.b32 %s, %s, <whose>, 31, <mask>;", to, from);
}

static void
shuffle_wide(Emit *e, const char *to, const char *from)
{
	tpl_line(e->t, "\tmov.b64 {%%~lo, %%~hi}, %s;", from);
	shuffle(e, "%~lo", "%~lo");
	shuffle(e, "%~hi", "%~hi");
	tpl_line(e->t, "\tmov.b64 %s, {%%~lo, %%~hi};", to);
}

/* Shuffles a predicate or a narrow value as a word. */
static void
shuffle_narrow(Emit *e, const Slot *s, const char *to, const char *from)
{
	if (s->size == 0)
		tpl_line(e->t, "\tselp.b32 %%~lo, 1, 0, %s;", from);
	else if (s->size == 2)
		tpl_line(e->t, "\tmov.b32 %%~lo, {%s, %s};", from, from);
	else
		tpl_line(e->t, "\tcvt.u32.u8 %%~lo, %s;", from);
	shuffle(e, "%~lo", "%~lo");
	if (s->size == 0)
		tpl_line(e->t, "\tsetp.ne.u32 %s, %%~lo, 0;", to);
	else if (s->size == 2)
		tpl_line(e->t, "\tmov.b32 {%s, %%~half}, %%~lo;", to);
	else
		tpl_line(e->t, "\tcvt.u8.u32 %s, %%~lo;", to);
}

/* Recomputes the values that depend on the row's index (along), or the others. */
static void
compute(Emit *e, bool along)
{
	const Task *task = &e->k->task;

	for (uint32_t i = 0; i < task->ncomputed; i++)
		if (bits_has(expand_rounds(e)->along, i) == along)
			copy_line(&e->path, task->computed[i]);
}

void
expand_fetch(void *user)
{
	Emit *e = user;
	const Task *task = &e->k->task;

	for (uint32_t i = 0; i < task->nslots; i++) {
		const Slot *s = &task->slots[i];
		const char *to = emit_own(e, e->k, s->sym, s->sel), *from = expand_name(e, s->sym);
		if (e->m->syms[s->sym].kind == SYM_SPECIAL) {
			task_read_special(e, s);
			from = to;
		}
		if (s->size == 4)
			shuffle(e, to, from);
		else if (s->size == 8)
			shuffle_wide(e, to, from);
		else
			shuffle_narrow(e, s, to, from);
	}
	compute(e, false);
}

void
expand_fetch_count(void *user)
{
	Emit *e = user;

	if (expand_rounds(e)->trips->bytes == 4)
		shuffle(e, "%~left", "%~n");
	else
		shuffle_wide(e, "%~wide_left", "%~wide_n");
}

/* Whether the induction variable is recomputed from the index. */
static bool
goes_along(const Emit *e, uint32_t sym)
{
	const Task *task = &e->k->task;

	BITS_EACH(i, expand_rounds(e)->along)
		FN_DEFS_OF_STMT(e->x->fn, task->computed[i], d)
			if (fn_def(e->x->fn, d)->sym == sym)
				return true;
	return false;
}

/* Whether a helper has the owner's value, fetched or recomputed. */
static bool
is_had(const Emit *e, uint32_t sym)
{
	In_how how = task_how(&e->k->task, sym);

	return how == IN_SAVED || how == IN_COMPUTED;
}

/* Advances the task's induction variables by the number of steps in register `many`: below 2^31
 * or, if `any`, any unsigned 32-bit number. */
static void
go_on(Emit *e, const char *many, bool any)
{
	const Trips *t = expand_rounds(e)->trips;

	for (uint32_t i = 0; i < t->nsteps; i++) {
		const Induction *n = &t->steps[i];
		const char *own = emit_own(e, e->k, n->sym, 0);
		bool wide = bytes_of(e, n->sym) == 8;
		if (!is_had(e, n->sym) || goes_along(e, n->sym))
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
	go_on(user, "%~lane", false);
}

/* Advances induction variables to the next pass; by one step less if the iteration itself makes
 * a step. */
static void
next_lap(Emit *e, bool all)
{
	const Trips *t = expand_rounds(e)->trips;

	for (uint32_t i = 0; i < t->nsteps; i++) {
		const Induction *n = &t->steps[i];
		const char *own = emit_own(e, e->k, n->sym, 0);
		bool made = bits_has(expand_rounds(e)->runs, fn_local_stmt(e->x->fn, n->stmt));
		if (!is_had(e, n->sym) || (!all && goes_along(e, n->sym)))
			continue;
		if (e->whole)
			tpl_line(e->t, "\tadd.s%u %s, %s, %lld;", 8 * bytes_of(e, n->sym), own, own,
				(long long)n->step * (WARP - made));
		else
			tpl_line(e->t, "\tmad.%s.s32 %s, %s, %lld, %s;",
				bytes_of(e, n->sym) == 4 ? "lo" : "wide", own,
				made ? "%~last" : "%~size", (long long)n->step, own);
	}
}

void
expand_at_next(void *user)
{
	next_lap(user, true);
}

void
expand_index_next(void *user)
{
	next_lap(user, false);
}

void
expand_along(void *user)
{
	compute(user, true);
}

void
expand_at_iteration(void *user)
{
	const Emit *e = user;
	bool rests = e->whole && expand_rounds(e)->rests;

	go_on(user, rests ? "%~try" : "%~bit", rests);
}

/* Expands the section for 1, 2, 4, 8, 16, or in reverse order. */
static void
put_doubling(Emit *e, const char *section, bool down)
{
	for (uint32_t d = 1; d < WARP; d *= 2) {
		tpl_value(e->t, "d", "%u", down ? WARP / 2 / d : d);
		tpl_value(e->t, "below", "%%~below%u", d);
		tpl_put(e->t, section);
	}
}

/* ---- reductions ------------------------------------------------------------------------------ */

/* Fetches another lane's value of the current reduction to the word <other>. */
static void
shuffle_other(Emit *e, const char *how, const char *from)
{
	const char *own = emit_own(e, e->k, e->sum->in, 0);

	if (ptx_type_size(e->sum->type) == 4) {
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

	shuffle_other(user, e->whole ? "up" : "idx", e->whole ? "<d>, 0" : "<below>, 31");
}

void
expand_from_last(void *user)
{
	shuffle_other(user, "idx", "<source>, 31");
}

/* Combines the lanes' partial results, and stores them to the rows' owners. */
void
expand_fold(void *user)
{
	Emit *e = user;

	for (uint32_t i = 0; i < e->k->task.nsums; i++) {
		const Reduction *r = e->sum = &e->k->task.sums[i];
		tpl_value(e->t, "op", "%s", reduction_fold(r, e->arena));
		tpl_value(e->t, "mine", "%s", emit_own(e, e->k, r->in, 0));
		tpl_value(e->t, "other", ptx_type_size(r->type) == 4 ? "%%~lo" : "%%~wide_other");
		tpl_value(e->t, "result", "%s", expand_name(e, r->in));
		put_doubling(e, "scan", false);
		tpl_put(e->t, "take");
	}
}

void
expand_identities(void *user)
{
	Emit *e = user;

	for (uint32_t i = 0; i < e->k->task.nsums; i++) {
		const Reduction *r = &e->k->task.sums[i];
		tpl_line(e->t, "\tmov.b%u %s, 0x%llx;", 8 * ptx_type_size(r->type),
			emit_own(e, e->k, r->in, 0), (unsigned long long)reduction_identity(r));
	}
}

/* Copies the reduction to the register that holds it after the loop, if it is not the one at the
 * loop's header. */
static void
hand_on(Emit *e)
{
	for (uint32_t i = 0; i < e->k->task.nsums; i++) {
		const Reduction *r = &e->k->task.sums[i];
		if (r->in != r->out)
			tpl_line(e->t, "\t@%%~row mov.b%u %s, %s;", 8 * ptx_type_size(r->type),
				expand_name(e, r->out), expand_name(e, r->in));
	}
}

/* ---- after a row ----------------------------------------------------------------------------- */

/* Whether the definition precedes a test at the top, and so executes once more than the trip
 * count. */
static bool
before_test(const Emit *e, uint32_t def)
{
	const Trips *t = expand_rounds(e)->trips;

	return t->top && trips_is_top(t, fn_block(e->x->fn, fn_def(e->x->fn, def)->stmt));
}

/* Computes the final value of a definition in the loop, from the owner's induction variable and
 * the trip count. */
static void
put_end(Emit *e, uint32_t def)
{
	const Trips *t = expand_rounds(e)->trips;
	const char *to = expand_name(e, fn_def(e->x->fn, def)->sym);
	Trips_value v = { 0 };
	bool known = trips_value(t, def, &v);
	const Induction *i = &t->steps[v.step];
	uint32_t bits = 8 * bytes_of(e, i->sym);
	const char *n = bits == 32 ? "%~n" : "%~wide_n";
	long long more = v.plus - (before_test(e, def) ? 0 : i->step);

	ASSERT(known);
	if (bits == 32 && t->bytes == 8)
		tpl_line(e->t, "\tcvt.u32.u64 %s, %%~wide_n;", n = "%~lo");
	if (bits == 64 && t->bytes == 4)
		tpl_line(e->t, "\tcvt.u64.u32 %s, %%~n;", n = "%~wide_left");
	tpl_line(e->t, "\t@%%~row mad.lo.s%u %s, %s, %lld, %s;", bits, to, n, (long long)i->step,
		expand_name(e, i->sym));
	if (more)
		tpl_line(e->t, "\t@%%~row add.s%u %s, %s, %lld;", bits, to, to, more);
}

/* For a row without iterations, only definitions before the test have executed. */
void
expand_ends_at_once(void *user)
{
	Emit *e = user;

	for (uint32_t i = 0; i < expand_rounds(e)->nends; i++)
		if (before_test(e, expand_rounds(e)->ends[i]))
			put_end(e, expand_rounds(e)->ends[i]);
	hand_on(e);
}

void
expand_ends(void *user)
{
	Emit *e = user;

	for (uint32_t i = 0; i < expand_rounds(e)->nends; i++)
		put_end(e, expand_rounds(e)->ends[i]);
	hand_on(e);
}

/* ---- steps over the lanes -------------------------------------------------------------------- */

void
expand_sums(void *user)
{
	put_doubling(user, "sum", false);
}

void
expand_search(void *user)
{
	put_doubling(user, "probe", true);
}

void
expand_nths(void *user)
{
	put_doubling(user, "nth", true);
}

void
expand_below(void *user)
{
	Emit *e = user;

	for (uint32_t d = 1; d < WARP / 2; d *= 2) {
		tpl_value(e->t, "below", "%%~below%u", d);
		tpl_value(e->t, "farther", "%%~below%u", 2 * d);
		tpl_put(e->t, "twice");
	}
}
