/* SPDX-License-Identifier: MIT */
/* Task loops while they are being decided on. See task_loop_set.h. */
#include <string.h>
#include "transform/plan/plan.h"
#include "transform/rewrite/launch_control.h"
#include "transform/rewrite/task_loop_set.h"
#include "validate/validate.h"

#define EACH_LOOP(l, f) \
	for (uint32_t f = 1; (l)->of && f < (l)->m->nfuncs; f++) \
		if ((l)->of[f].requested)

void
task_loop_set_collect(Task_loop_set *l, const Module *m, Pass_options *opt, Arena *a)
{
	*l = (Task_loop_set){ .m = m, .now = m, .opt = opt, .arena = a };
	l->of = task_loop_collect(m, opt, a);
	opt->funcs.strays_reported = l->strays_reported =
		arena_array(a, m->nfuncs, sizeof *l->strays_reported);
}

/* ---- text ------------------------------------------------------------------------------------ */

static void
drop_text(Task_loop_set *l)
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
task_loop_set_release(Task_loop_set *l)
{
	drop_text(l);
}

static void
refuse_kernel_loop(Task_loop_set *l, uint32_t f, const Verdict *why)
{
	l->of[f].enabled = false;
	l->of[f].why = verdict_copy(why, l->arena);
}

static bool
parse_text(Task_loop_set *l)
{
	task_loop_write(l->m, l->opt, l->of, l->edits);
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
task_loop_set_write(Task_loop_set *l)
{
	Verdict bug = verdict(l->arena, D_BUG, DIAG_NOWHERE,
		"the text of its task loop has a fault: a bug in ptxccc, please report it");
	bool any = false;

	drop_text(l);
	EACH_LOOP(l, f) {
		any |= l->of[f].enabled;
		l->strays_reported[f] = !l->of[f].enabled && verdict_is_no(l->of[f].why);
	}
	if (!any)
		return;
	l->edits = edit_new(l->arena);
	if (parse_text(l)) {
		l->now = l->made;
		return;
	}
	drop_text(l);
	EACH_LOOP(l, f)
		if (l->of[f].enabled)
			refuse_kernel_loop(l, f, &bug);
}

uint32_t
task_loop_set_origin(void *user, uint32_t pos)
{
	const Task_loop_set *l = user;

	if (l->edits)
		pos = edit_origin(l->edits, pos);
	return l->under ? l->under(l->under_user, pos) : pos;
}

void
task_loop_set_use_origin(Task_loop_set *l, Diag_origin *under, void *user)
{
	l->under = under;
	l->under_user = user;
}

void
task_loop_set_map_places(Task_loop_set *l, Diags *d)
{
	diags_set_origin(d, task_loop_set_origin, l);
}

/* ---- validation ------------------------------------------------------------------------------ */

bool
task_loop_set_validate(Task_loop_set *l)
{
	bool ok = true;

	EACH_LOOP(l, f) {
		if (!l->of[f].enabled || !l->opt->validate)
			continue;
		Valid_grid v = validate_grid(l->m, l->now, f, l->of[f].calls->effects);
		if (v.valid == VALID_YES && l->opt->debug.show[STEP_VERIFY])
			buf_printf(l->opt->debug.dump, "validate: task loop of %.*s: yes\n",
				PTX_NAME(l->m, l->m->funcs[f].sym));
		if (v.valid == VALID_YES)
			continue;
		Verdict why = verdict(l->arena, D_BUG, DIAG_NOWHERE,
			"the text of its task loop is %s, at its line %u: %s: a bug in ptxccc, please report it",
			v.valid == VALID_NO ? "wrong" : "not known to be right", v.line, v.why);
		refuse_kernel_loop(l, f, &why);
		ok = false;
	}
	return ok;
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
verdict_of(Task_loop_set *l, const Report_site *s)
{
	Verdict v = s ? s->why : VERDICT_YES;

	if (v.kind == D_COUNT || !v.text)
		return VERDICT_YES;
	if (v.pos != DIAG_NOWHERE)
		v.pos = task_loop_set_origin(l, v.pos);
	for (uint32_t i = 0; i < v.nnotes; i++)
		if (v.note[i].pos != DIAG_NOWHERE)
			v.note[i].pos = task_loop_set_origin(l, v.note[i].pos);
	return v;
}

/* Whether the kernel's paths are collected, and all lanes of a warp are in the same iteration of
 * its task loop at each vote (docs/proofs/grid.md, G8). */
static bool
lanes_stay_together(const Report *r, uint32_t func)
{
	const Report_site *loop = site_of(r, func);
	bool ok = loop && loop->done;

	for (uint32_t i = 0; i < r->sites.n; i++) {
		const Report_site *s = &r->sites.at[i];
		for (uint32_t k = 0; k < s->nregions; k++)
			ok &= s->func != func || !s->done ||
				(!s->code.waits && !s->regions[k].by_iteration &&
					strncmp(s->regions[k].policy, "expand", 6) != 0);
	}
	return ok;
}

bool
task_loop_set_drop_useless(Task_loop_set *l, const Report *r)
{
	bool again = false;

	EACH_LOOP(l, f) {
		const Report_site *s = site_of(r, f);
		if (!l->of[f].enabled)
			continue;
		if (l->of[f].claims && !lanes_stay_together(r, f)) {
			l->of[f].claims = false;
			l->of[f].unclaimed = "no path is collected so that threads stay in one iteration";
			again = true;
		} else if (!s || !s->done) {
			Verdict why = verdict_of(l, s);
			refuse_kernel_loop(l, f, &why);
			if (s && s->path.file)
				l->of[f].path = report_copy_place(l->arena, s->path);
			if (s && s->lead)
				l->of[f].message_prefix = s->lead;
			if (s) {
				l->of[f].left = arena_zalloc(l->arena, sizeof *l->of[f].left);
				report_copy_choice(l->of[f].left, s, l->arena);
			}
			l->of[f].planned = true;
			again = true;
		} else if (s->code.shared != l->of[f].shared) {
			l->of[f].shared = s->code.shared;
			again = true;
		}
	}
	return again;
}

/* The number of blocks, a literal in the text, might change the register count back and forth,
 * so the number of corrections is limited. */
bool
task_loop_set_update_blocks(Task_loop_set *l, const Kernel_registers *of)
{
	enum { TRIES = 4 };
	bool again = false;

	EACH_LOOP(l, f) {
		Task_loop *k = &l->of[f];
		uint32_t used = of[f].used, target = l->m->target;
		if (!k->enabled || !used || used == k->registers || k->tries == TRIES)
			continue;
		again |= occupancy_of(target, used, k->shared).warps !=
			occupancy_of(target, k->registers, k->shared).warps;
		k->registers = used;
		k->tries++;
	}
	return again;
}

/* ---- cluster launch control ------------------------------------------------------------------ */

/* Whether the text has placeholders (launch_control.h). */
static bool
has_placeholders(const Task_loop_set *l)
{
	bool any = false;

	EACH_LOOP(l, f)
		any |= l->of[f].enabled && l->of[f].claims;
	return any;
}

Edits *
task_loop_set_finish(const Task_loop_set *l, const Buf *text, Buf *out)
{
	Source src;

	if (!has_placeholders(l))
		return NULL;
	source_from(&src, l->m->src->name, text->at, text->n);
	Diags *d = diags_new(&src);
	Module *made = ptx_parse(&src, d);
	Edits *e = edit_new(l->arena);
	if (made)
		launch_control_write(made, l->m, l->of, l->opt->debug.omit, e);
	edit_apply(e, &src, out);
	ptx_free(made);
	diags_free(d);
	source_release(&src);
	return e;
}

bool
task_loop_set_is_finished(const Buf *text, const Module *out, Buf *why)
{
	Source src;

	source_from(&src, out->src->name, text->at, text->n);
	Diags *d = diags_new(&src);
	Module *made = ptx_parse(&src, d);
	Valid_grid v = made ? validate_launch_control(made, out) : (Valid_grid){ VALID_YES, 0, 0 };
	if (v.valid != VALID_YES)
		buf_printf(why, "line %u: %s", v.line, v.why);
	ptx_free(made);
	diags_free(d);
	source_release(&src);
	return v.valid == VALID_YES;
}

/* ---- reporting ------------------------------------------------------------------------------- */

static void
hint_grid_size(const Task_loop_set *l, uint32_t f, Report *r)
{
	Buf b = { 0 };

	task_loop_describe_blocks(l->m, l->opt, &l->of[f], f, &b);
	for (uint32_t i = 0; i < r->sites.n; i++)
		if (r->sites.at[i].func == f && r->sites.at[i].grid)
			r->sites.at[i].code.blocks = arena_strndup(r->arena, b.at, b.n);
	buf_free(&b);
}

void
task_loop_set_report(const Task_loop_set *l, Report *r, Diags *d)
{
	EACH_LOOP(l, f) {
		const Task_loop *k = &l->of[f];
		if (k->enabled) {
			hint_grid_size(l, f, r);
			continue;
		}
		if (!verdict_is_no(k->why))
			continue;
		Report_site *s = vec_push(&r->sites);
		*s = (Report_site){ .func = f,
			.loop = report_copy_place(r->arena, k->at),
			.path = report_copy_place(r->arena, k->path),
			.number = k->id,
			.grid = true,
			.why = verdict_copy(&k->why, r->arena) };
		if (k->left)
			report_copy_choice(s, k->left, r->arena);
		verdict_report(&k->why, d, k->planned ? k->path : k->at, k->message_prefix);
		if (k->planned)
			diag_note(d, DIAG_NOWHERE,
				"the kernel has no task loop then: no path of it can be collected");
	}
}
