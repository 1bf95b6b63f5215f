/* SPDX-License-Identifier: MIT */
/* Fills units from the passes' report; see describe.h. A transformed loop has an entry for each
 * of its task regions; any other loop has one entry. */
#include <stdio.h>
#include <string.h>
#include "base/annot.h"
#include "base/demangle.h"
#include "lib/describe.h"

/* ---- functions ------------------------------------------------------------------------------- */

/* Returns the template arguments of an instance's name, "<4, float>"; NULL if it is not an
 * instance. */
static const char *
template_arguments(const char *name)
{
	const char *s = strrchr(name, '>') ? strchr(name, '<') : NULL;

	return s && strncmp(name, "operator", 8) != 0 ? s : NULL;
}

static Unit_site
of_function(const Module *m, uint32_t func, Arena *a)
{
	size_t len;
	const char *name = ptx_name(m, m->funcs[func].sym, &len);
	Unit_site s = { .function = arena_strndup(a, name, len), .entry = m->funcs[func].entry };

	s.kernel = demangle(a, name, len);
	s.instance = template_arguments(s.kernel);
	return s;
}

/* ---- why not --------------------------------------------------------------------------------- */

static bool
same_place(Cuda_pos a, const ptxccc_diagnostic *d)
{
	return a.file && d->file && a.line == d->line && strcmp(a.file, d->file) == 0;
}

/* Returns the diagnostic that says why a site was not transformed; NULL if there is none. */
static const ptxccc_diagnostic *
diagnostic_of_site(const Unit_site *s, const ptxccc_diagnostic *told, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if ((same_place(s->loop, &told[i]) || same_place(s->path, &told[i])) &&
			strstr(told[i].text, s->reason))
			return &told[i];
	return NULL;
}

static Cuda_pos
place_of_note(const ptxccc_diagnostic *d, const char *text)
{
	for (size_t i = 0; d && i < d->nnotes; i++)
		if (strcmp(d->note[i].text, text) == 0)
			return (Cuda_pos){ d->note[i].at.file, d->note[i].at.line,
				d->note[i].at.column };
	return (Cuda_pos){ 0 };
}

static void
describe_refusal(
	Unit_site *s, const Verdict *why, const ptxccc_diagnostic *told, uint32_t n, Arena *a)
{
	Buf remedy = { 0 };

	s->reason = why->text ? why->text : "not asked for";
	if (!why->text)
		return;
	const ptxccc_diagnostic *d = diagnostic_of_site(s, told, n);
	s->kind = diag_name(why->kind);
	if (d)
		s->fault = (Cuda_pos){ d->at.file, d->at.line, d->at.column };
	for (uint32_t i = 0; i < why->nnotes; i++) {
		if (why->note[i].pos != DIAG_NOWHERE)
			*vec_push(&s->notes) = (Unit_note){ why->note[i].text,
				place_of_note(d, why->note[i].text) };
		else
			buf_printf(&remedy, "%s%s", remedy.n ? "; " : "", why->note[i].text);
	}
	if (remedy.n)
		s->remedy = arena_strndup(a, remedy.at, remedy.n);
	buf_free(&remedy);
}

/* ---- sites ----------------------------------------------------------------------------------- */

static Unit_value
unit_value(const Report_value *v)
{
	return (Unit_value){ v->name, v->type, v->bytes, v->at };
}

static Unit_option
describe_option(const Report_option *o)
{
	return (Unit_option){ o->policy, o->before, o->after, o->worth, o->least, o->most,
		o->measured };
}

static uint32_t
to_hundredths(double x)
{
	return (uint32_t)(x + 0.5);
}

/* Sets the expected speedup of a loop's plan. */
static void
describe_expected(Unit_site *u, const Speedup *g)
{
	if (g->after <= 0)
		return;
	u->slots_before = to_hundredths(g->before);
	u->slots = to_hundredths(g->after);
	u->expected = to_hundredths(100 * speedup_ratio(g));
	u->by_profile = g->measured;
	if (g->measured)
		return;
	u->least = to_hundredths(100 * g->least);
	u->most = to_hundredths(100 * g->most);
	u->question = g->question;
}

/* Describes a loop with one of its task regions, or without any. */
static Unit_site
describe_loop(const Report_site *s, const Report_region *k, const Module *m, Arena *a)
{
	Unit_site u = of_function(m, s->func, a);

	u.loop = s->loop;
	u.path = k ? k->path : s->path;
	u.done = s->done;
	u.found = s->found;
	u.measured = k ? k->measured : s->profile.measured;
	u.key = s->profile.key;
	u.choice = s->profile.choice;
	if (k == s->regions || !k)
		for (uint32_t i = 0; i < s->noptions; i++)
			*vec_push(&u.options) = describe_option(&s->options[i]);
	if (!k || k == s->regions)
		describe_expected(&u, &s->gain);
	if (!k)
		return u;
	u.inside = k->inside;
	u.task_loop = s->code.blocks;
	u.policy = k->policy;
	u.validated = s->validated;
	u.steps = k->by_iteration;
	u.drawn = k->is_drawn;
	u.unified = k->unified;
	u.flow = s->code.waits ? "bound" : k->jump ? "jump" : "fork";
	u.walk = s->code.waits ? "bound" : s->code.lockstep ? "lockstep" : "apart";
	u.shares_vote = s->code.shares_vote;
	u.stops = s->code.stops;
	u.meets = s->code.meeting_label;
	u.meets_full = s->code.meeting_label_full;
	u.context_bytes = k->context_bytes;
	u.uncompressed = k->uncompressed ? k->uncompressed : k->context_bytes;
	u.shared = s->code.shared;
	u.threads = s->code.threads;
	u.chosen_threads = s->code.chosen_threads;
	u.reductions = k->reductions;
	u.warpwide = k->warpwide;
	u.stay = k->stay;
	u.recomputed = s->code.recomputed;
	u.owner_slice = k->owner_slice;
	u.instead = s->instead;
	u.retreat = k == s->regions ? s->code.fallback : NULL;
	u.registers_before = s->resources.before.registers;
	u.registers = s->resources.after.registers;
	u.spilled_before = s->resources.before.spilled;
	u.spilled = s->resources.after.spilled;
	u.block = s->resources.block;
	u.warps_before = s->resources.before.warps;
	u.warps = s->resources.after.warps;
	u.registers_unheld = s->resources.unheld.registers;
	u.warps_unheld = s->resources.unheld.warps;
	for (uint32_t i = 0; i < k->ncontext; i++)
		*vec_push(&u.context) = unit_value(&k->context[i]);
	for (uint32_t i = 0; i < k->ninvariants; i++)
		*vec_push(&u.kept) = unit_value(&k->invariants[i]);
	return u;
}

static Unit_site
describe_branch(const Report_branch *b, const Module *m, Arena *a)
{
	Unit_site u = of_function(m, b->func, a);

	u.branch = true;
	u.loop = b->at;
	u.done = b->done;
	u.arms = b->total;
	u.both = b->both;
	u.slots = (uint32_t)b->after;
	u.slots_before = (uint32_t)b->before;
	return u;
}

static Unit_site
describe_remap(const Report_remap *r, const Module *m, Arena *a)
{
	Unit_site u = of_function(m, r->func, a);

	u.remap = true;
	u.loop = r->at;
	u.done = r->done;
	u.paths = r->paths;
	u.keys = r->keys;
	if (!r->done)
		return u;
	u.policy = r->policy;
	u.flow = u.walk = "remap";
	u.meets = r->meeting_label;
	u.come = r->arrival;
	u.context_bytes = u.uncompressed = r->context_bytes;
	u.shared = r->shared;
	u.threads = r->threads;
	for (uint32_t i = 0; i < r->ncontext; i++)
		*vec_push(&u.context) = unit_value(&r->context[i]);
	for (uint32_t i = 0; i < r->nresults; i++)
		*vec_push(&u.results) = (Unit_value){ r->results[i].name, r->results[i].type,
			r->results[i].bytes, r->results[i].at };
	return u;
}

static Unit_site
describe_recursion(const Report_recursion *r, const Module *m, Arena *a)
{
	Unit_site u = of_function(m, r->func, a);

	u.loop = r->at;
	u.done = r->done;
	u.flow = u.walk = "recursion";
	if (!r->done)
		return u;
	u.policy = annot_policies[POLICY_STACK].name;
	u.context_bytes = u.uncompressed = r->task_bytes;
	u.meets = r->meeting_label;
	u.shared = r->shared;
	u.threads = r->threads;
	return u;
}

void
describe(const Report *r, const Module *m, const ptxccc_diagnostic *told, uint32_t ntold, Unit *u)
{
	Arena *a = r->arena;
	char arch[16];

	snprintf(arch, sizeof arch, "sm_%u", m->target);
	*u = (Unit){ .source = m->src->name, .arch = arena_strndup(a, arch, strlen(arch)) };
	for (uint32_t i = 0; i < r->sites.n; i++) {
		const Report_site *s = &r->sites.at[i];
		for (uint32_t k = 0; s->done && k < s->nregions; k++) {
			*vec_push(&u->sites) = describe_loop(s, &s->regions[k], m, a);
			u->sites.at[u->sites.n - 1].further = k > 0;
		}
		if (s->done)
			continue;
		Unit_site left = describe_loop(s, NULL, m, a);
		describe_refusal(&left, &s->why, told, ntold, a);
		*vec_push(&u->sites) = left;
	}
	for (uint32_t i = 0; i < r->branches.n; i++) {
		Unit_site b = describe_branch(&r->branches.at[i], m, a);
		if (!b.done)
			describe_refusal(&b, &r->branches.at[i].why, told, ntold, a);
		*vec_push(&u->sites) = b;
	}
	for (uint32_t i = 0; i < r->remaps.n; i++) {
		Unit_site k = describe_remap(&r->remaps.at[i], m, a);
		if (!k.done)
			describe_refusal(&k, &r->remaps.at[i].why, told, ntold, a);
		*vec_push(&u->sites) = k;
	}
	for (uint32_t i = 0; i < r->recursions.n; i++) {
		Unit_site k = describe_recursion(&r->recursions.at[i], m, a);
		if (!k.done)
			describe_refusal(&k, &r->recursions.at[i].why, told, ntold, a);
		*vec_push(&u->sites) = k;
	}
}
