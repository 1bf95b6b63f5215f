/* SPDX-License-Identifier: MIT */
/* Task loops while they are being decided on. See task_loop_set.h. */
#include "transform/plan/plan.h"
#include "transform/rewrite/task_loop_set.h"

#define EACH_LOOP(l, f) \
	for (uint32_t f = 1; (l)->of && f < (l)->m->nfuncs; f++) \
		if ((l)->of[f].asked)

void
taskloops_find(Taskloops *l, const Module *m, Pass_options *opt, Arena *a)
{
	*l = (Taskloops){ .m = m, .now = m, .opt = opt, .arena = a };
	l->of = grid_find(m, opt, a);
	opt->strays_told = l->strays_told = arena_array(a, m->nfuncs, sizeof *l->strays_told);
}

/* ---- text ------------------------------------------------------------------------------------ */

static void
drop(Taskloops *l)
{
	ptx_free(l->made);
	source_release(&l->src);
	buf_free(&l->text);
	if (l->edits)
		edit_release(l->edits);
	l->made = NULL;
	l->edits = NULL;
	l->now = l->m;
	l->src = (Source){ 0 };
}

void
taskloops_release(Taskloops *l)
{
	drop(l);
}

static void
no_loop(Taskloops *l, uint32_t f, const Verdict *why)
{
	l->of[f].on = false;
	l->of[f].why = verdict_copy(why, l->arena);
}

static bool
parse(Taskloops *l)
{
	grid_put(l->m, l->opt, l->of, l->edits);
	edit_apply(l->edits, l->m->src, &l->text);
	source_from(&l->src, l->m->src->name, l->text.at, l->text.n);
	Diags *d = diags_new(&l->src);
	l->made = ptx_parse(&l->src, d);
	diags_free(d);
	if (l->made)
		ptx_number_like(l->made, l->m);
	return l->made != NULL;
}

void
taskloops_make(Taskloops *l)
{
	Verdict bug = verdict(l->arena, D_BUG, DIAG_NOWHERE,
		"the text of its task loop has a fault: a bug in ptxccc, please report it");
	bool any = false;

	drop(l);
	EACH_LOOP(l, f) {
		any |= l->of[f].on;
		l->strays_told[f] = !l->of[f].on && verdict_no(l->of[f].why);
	}
	if (!any)
		return;
	l->edits = edit_new(l->arena);
	if (parse(l)) {
		l->now = l->made;
		return;
	}
	drop(l);
	EACH_LOOP(l, f)
		if (l->of[f].on)
			no_loop(l, f, &bug);
}

static uint32_t
origin(void *user, uint32_t pos)
{
	const Taskloops *l = user;

	if (l->edits)
		pos = edit_origin(l->edits, pos);
	return l->under ? l->under(l->under_user, pos) : pos;
}

void
taskloops_under(Taskloops *l, Diag_origin *under, void *user)
{
	l->under = under;
	l->under_user = user;
}

void
taskloops_speak(Taskloops *l, Diags *d)
{
	diags_through(d, origin, l);
}

/* ---- evaluation ------------------------------------------------------------------------------ */

static const Report_site *
site_of(const Report *r, uint32_t func)
{
	for (uint32_t i = 0; i < r->sites.n; i++)
		if (r->sites.at[i].func == func && r->sites.at[i].grid)
			return &r->sites.at[i];
	return NULL;
}

/* Returns the site's verdict, with input positions, or yes if it is reported already or will be
 * reported for the original kernel. */
static Verdict
verdict_of(Taskloops *l, const Report_site *s)
{
	Verdict v = s ? s->why : VERDICT_YES;

	if (v.kind == D_COUNT || !v.text)
		return VERDICT_YES;
	if (v.pos != DIAG_NOWHERE)
		v.pos = origin(l, v.pos);
	for (uint32_t i = 0; i < v.nnotes; i++)
		if (v.note[i].pos != DIAG_NOWHERE)
			v.note[i].pos = origin(l, v.note[i].pos);
	return v;
}

bool
taskloops_judge(Taskloops *l, const Report *r)
{
	bool again = false;

	EACH_LOOP(l, f) {
		const Report_site *s = site_of(r, f);
		if (!l->of[f].on)
			continue;
		if (!s || !s->done) {
			Verdict why = verdict_of(l, s);
			no_loop(l, f, &why);
			if (s && s->path.file)
				l->of[f].path = report_place(l->arena, s->path);
			if (s && s->lead)
				l->of[f].lead = s->lead;
			l->of[f].planned = true;
			again = true;
		} else if (s->shared != l->of[f].shared) {
			l->of[f].shared = s->shared;
			again = true;
		}
	}
	return again;
}

/* The number of blocks, a literal in the text, might change the register count back and forth,
 * so the number of corrections is limited. */
bool
taskloops_registers(Taskloops *l, const Registers *of)
{
	enum { TRIES = 4 };
	bool again = false;

	EACH_LOOP(l, f) {
		Task_loop *k = &l->of[f];
		uint32_t used = of[f].used, target = l->m->target;
		if (!k->on || !used || used == k->registers || k->tries == TRIES)
			continue;
		again |= occupancy_of(target, used, k->shared).warps !=
			occupancy_of(target, k->registers, k->shared).warps;
		k->registers = used;
		k->tries++;
	}
	return again;
}

/* ---- reporting ------------------------------------------------------------------------------- */

static void
tell_blocks(const Taskloops *l, uint32_t f, Report *r)
{
	Buf b = { 0 };

	grid_blocks(l->m, l->opt, &l->of[f], f, &b);
	for (uint32_t i = 0; i < r->sites.n; i++)
		if (r->sites.at[i].func == f && r->sites.at[i].grid)
			r->sites.at[i].blocks = arena_strndup(r->arena, b.at, b.n);
	buf_free(&b);
}

void
taskloops_tell(const Taskloops *l, Report *r, Diags *d)
{
	EACH_LOOP(l, f) {
		const Task_loop *k = &l->of[f];
		if (k->on) {
			tell_blocks(l, f, r);
			continue;
		}
		if (!verdict_no(k->why))
			continue;
		*vec_push(&r->sites) = (Report_site){ .func = f,
			.loop = report_place(r->arena, k->at),
			.path = report_place(r->arena, k->path),
			.number = k->id,
			.grid = true,
			.why = verdict_copy(&k->why, r->arena) };
		verdict_report(&k->why, d, k->planned ? k->path : k->at, k->lead);
		if (k->planned)
			diag_note(d, DIAG_NOWHERE,
				"the kernel has no task loop then: no path of it can be collected");
	}
}
