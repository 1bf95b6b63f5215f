/* SPDX-License-Identifier: MIT */
/* Suggestions. See suggest.h; docs/choosing.md says how they are made.
 *
 * Each candidate is annotated in a text of its own, which is planned as if the programmer had
 * written it, and dropped: so what is told is what would be done. A text has a candidate of each
 * function. What a plan gains speaks of an iteration of the annotated loop; of the kernel that is
 * so much as the loop takes part in its issue slots.
 */
#include <stdlib.h>
#include <string.h>
#include "base/demangle.h"
#include "transform/candidate.h"
#include "transform/output.h"
#include "transform/suggest.h"
#include "transform/suggest_why.h"

enum { TOLD = 10 };             /* sites a function */
/* Part of the slots from which on it is told that a site gains nothing, or cannot be done. */
static const double LARGE = 0.05;

/* What came of a candidate. */
typedef struct {
	const Candidate *c;
	Gain gain;              /* of an iteration of the loop */
	double expected, least, most; /* of the kernel */
	double share;
	bool done, known;       /* there is a plan; it, or why there is none, is known */
	bool ordered;           /* a better one would need another order of sums */
	const char *plan, *refused, *measured;
} Result;

typedef struct {
	const Module *m;
	const Pass_options *opt;
	Arena *arena;
	Candidates all;
	Result *results;        /* by candidate */
	uint32_t *first;        /* by Func: its first candidate; [nfuncs]: how many there are */
	bool reorders;          /* those that need it may change the order of sums */
} Work;

/* ---- plans ----------------------------------------------------------------------------------- */

/* Of the kernel, by how much faster an iteration of the loop is. */
static double
of_kernel(const Candidate *c, double ratio)
{
	return ratio > 0 ? 1 / (1 - c->around * (1 - 1 / ratio)) : 1;
}

static const char *
plan_text(const Report_site *s, Arena *a)
{
	Buf b = { 0 };

	for (uint32_t i = 0; i < s->nparts; i++) {
		const Report_part *k = &s->parts[i];
		buf_printf(&b, "%spolicy(%s)", i ? ", " : "", k->policy);
		if (k->context_bytes)
			buf_printf(&b, ", %u bytes a task", k->context_bytes);
	}
	if (s->shared)
		buf_printf(&b, ", %u bytes of shared memory a block of %u", s->shared, s->threads);
	if (s->retreat)
		buf_puts(&b, ", with retreat");
	const char *text = arena_strndup(a, b.at ? b.at : "", b.n);
	buf_free(&b);
	return text;
}

static const char *
refusal(const Verdict *v, Arena *a)
{
	Buf b = { 0 };

	buf_puts(&b, v->text);
	for (uint32_t i = 0; i < v->nnotes; i++)
		if (v->note[i].pos == DIAG_NOWHERE)
			buf_printf(&b, "; %s", v->note[i].text);
	const char *text = arena_strndup(a, b.at, b.n);
	buf_free(&b);
	return text;
}

/* Does a message ask for another order of floating-point sums? */
static bool
asks_for_order(const char *text)
{
	return text && strstr(text, "'reassociate'");
}

static bool
is_ordered(const Report_site *s)
{
	bool is = asks_for_order(s->why.text) || asks_for_order(s->instead);

	for (uint32_t i = 0; i < s->why.nnotes; i++)
		is |= asks_for_order(s->why.note[i].text);
	return is;
}

static void
judge(const Work *w, Result *r, const Report_site *s)
{
	r->gain = s->gain;
	r->done = s->done;
	r->known = true;
	r->ordered = is_ordered(s);
	if (s->measured)
		r->measured = arena_strndup(w->arena, s->measured, strlen(s->measured));
	if (s->done)
		r->plan = plan_text(s, w->arena);
	else if (s->why.text && s->why.kind != D_NO_GAIN)
		r->refused = refusal(&s->why, w->arena);
	r->expected = of_kernel(r->c, gain_ratio(&s->gain));
	r->least = r->gain.measured ? r->expected : of_kernel(r->c, s->gain.least);
	r->most = r->gain.measured ? r->expected : of_kernel(r->c, s->gain.most);
}

/* Why no loop came to be planned. */
typedef struct { const Work *w; uint32_t round; } Said;

static void
hear(void *user, const Diag *g)
{
	const Said *said = user;
	const Work *w = said->w;

	for (uint32_t f = 1; f < w->m->nfuncs && g->cuda.file; f++) {
		uint32_t i = w->first[f] + said->round;
		Result *r = &w->results[i];
		if (i >= w->first[f + 1] || r->known || r->refused ||
			r->c->at.at.line != g->cuda.line ||
			strcmp(r->c->at.at.file, g->cuda.file) != 0)
			continue;
		const char *text = strstr(g->text, "left as it was: ");
		text = text ? strchr(text, ':') + 2 : g->text;
		r->refused = arena_strndup(w->arena, text, strlen(text));
	}
}

static void
plan_module(const Work *w, uint32_t round, Source *src)
{
	Diags *d = diags_new(src);
	Module *m = ptx_parse(src, d);
	Pass_options opt = *w->opt;
	Output out;

	opt.stop_after = STEP_PLAN + 1u;
	memset(opt.show, 0, sizeof opt.show);
	opt.shown = NULL;
	opt.grid = true;
	opt.validate = false;
	if (m) {
		output_make(m, &opt, NULL, NULL, d, &out);
		for (uint32_t i = 0; i < out.report.sites.n; i++) {
			const Report_site *s = &out.report.sites.at[i];
			uint32_t k = w->first[s->func] + round;
			if (k < w->first[s->func + 1] && !w->results[k].known)
				judge(w, &w->results[k], s);
		}
		diags_each(d, hear, &(Said){ w, round });
		output_release(&out);
	}
	ptx_free(m);
	diags_free(d);
}

/* Is a plan of the candidate to be made? */
static bool
is_open(const Work *w, uint32_t i)
{
	if (w->all.at[i].kind == ADVICE_UNIFORM)
		return false;
	return w->all.at[i].reorders == w->reorders;
}

/* Annotates the candidate of that number of each function. False: there is none any more. */
static bool
plan_round(Work *w, uint32_t round)
{
	Arena *a = arena_new();
	Edits *e = edit_new(a);
	bool any = false, more = false;
	Buf text = { 0 };
	Source src;

	for (uint32_t f = 1; f < w->m->nfuncs; f++) {
		uint32_t i = w->first[f] + round;
		if (i >= w->first[f + 1])
			continue;
		more = true;
		if (is_open(w, i))
			any |= candidate_put(&w->all.at[i], e);
	}
	if (any) {
		edit_apply(e, w->m->src, &text);
		source_from(&src, w->m->src->name, text.at, text.n);
		plan_module(w, round, &src);
		source_release(&src);
		buf_free(&text);
	}
	edit_release(e);
	arena_free(a);
	return more;
}

static void
plan_all(Work *w)
{
	uint32_t round = 0;

	while (plan_round(w, round))
		round++;
}

static bool
is_better(const Result *a, const Result *b)
{
	const double SAME = 1.02;

	return a->done && (!b->done || a->expected > b->expected * SAME);
}

/* What needs another order of a sum, or would be better with it, is planned again with that. */
static void
plan_reordered(Work *w)
{
	Result *before = arena_array(w->arena, w->all.n + 1u, sizeof *before);
	bool any = false;

	for (uint32_t i = 0; i < w->all.n; i++) {
		Result *r = &w->results[i];
		before[i] = *r;
		if (!r->ordered)
			continue;
		any = w->all.at[i].reorders = true;
		*r = (Result){ .c = r->c, .share = r->share };
	}
	w->reorders = true;
	if (any)
		plan_all(w);
	for (uint32_t i = 0; i < w->all.n; i++)
		if (w->all.at[i].reorders && !is_better(&w->results[i], &before[i])) {
			w->all.at[i].reorders = false;
			w->results[i] = before[i];
		}
}

/* ---- of copies of a place, one --------------------------------------------------------------- */

static bool
same_place(const Candidate *a, const Candidate *b)
{
	return a->kind == b->kind && a->at.at.line == b->at.at.line &&
		strcmp(a->at.at.file, b->at.at.file) == 0 && a->at.caller.line == b->at.caller.line;
}

/* Which of two is told? An inner loop's iterations in order are less to promise. */
static bool
better(const Result *a, const Result *b)
{
	if (!a->done && !b->done)
		return a->share > b->share;
	if (a->done && a->c->annot == ANNOT_WHILE && b->c->annot != ANNOT_WHILE)
		return !is_better(b, a);
	return is_better(a, b);
}

static uint32_t
merge(Result *r, uint32_t n)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t k = 0;
		while (k < kept && !same_place(r[k].c, r[i].c))
			k++;
		if (k == kept) {
			r[kept++] = r[i];
			continue;
		}
		double both = r[k].share;
		if (r[k].c->annot == r[i].c->annot && r[k].c->kind == r[i].c->kind)
			both += r[i].share;
		if (better(&r[i], &r[k]))
			r[k] = r[i];
		r[k].share = both;
	}
	return kept;
}

static bool
gains(const Result *r)
{
	return r->done && advice_worth(r->expected);
}

static int
most_first(const void *a, const void *b)
{
	const Result *x = a, *y = b;
	double p = gains(x) ? 1 + x->expected : x->share, q = gains(y) ? 1 + y->expected : y->share;

	return (p < q) - (p > q);
}

/* ---- telling --------------------------------------------------------------------------------- */

static bool
is_told(const Result *r)
{
	if (r->c->kind == ADVICE_UNIFORM || gains(r))
		return true;
	return r->known || r->refused ? r->share >= LARGE : false;
}

/* Is it the test in front of a loop that is told? */
static bool
guards_loop(const Result *x, const Result *r, uint32_t n)
{
	Candidate loop = *x->c;

	loop.kind = ADVICE_LOOP;
	for (uint32_t i = 0; x->c->kind != ADVICE_LOOP && i < n; i++)
		if (same_place(&loop, r[i].c) && is_told(&r[i]))
			return true;
	return false;
}

static void
tell(const Work *w, const Result *r, Buf *out)
{
	const Candidate *c = r->c;
	const Fn *fn = c->fn;
	size_t len;
	const char *name = ptx_name(fn->m, fn->f->sym, &len);
	Advice a = { .kind = c->kind,
		.share = r->share < 1 ? r->share : 1,
		.lanes = -1,
		.efficiency = -1,
		.gain = r->done ? r->expected : 0,
		.least = r->least,
		.most = r->most,
		.at = c->at,
		.function = demangle(w->arena, name, len),
		.refused = r->refused,
		.pragma = annot_kinds[c->annot].words,
		.reorders = c->reorders,
		.in_order = c->annot == ANNOT_WHILE,
		.grid = !c->loop };

	a.why = r->measured             ? r->measured :
		c->kind == ADVICE_LOOP ? "lanes may leave it at different times" :
					  "lanes of a warp may part at it";
	if (gains(r)) {
		a.plan = r->plan;
		a.but = suggest_but(c, w->arena);
		a.confirm = suggest_confirm(c, w->arena);
	}
	if (c->loop)
		a.around = suggest_line_of_loop(c);
	advice_put(&a, out);
}

static uint32_t
tell_function(const Work *w, uint32_t f, bool head, Buf *out)
{
	Result *r = &w->results[w->first[f]];
	uint32_t n = merge(r, w->first[f + 1] - w->first[f]), told = 0;

	if (n)
		qsort(r, n, sizeof *r, most_first);
	for (uint32_t i = 0; i < n && told < TOLD; i++) {
		if (!is_told(&r[i]) || guards_loop(&r[i], r, n))
			continue;
		if (!head && !told)
			advice_head(out);
		tell(w, &r[i], out);
		told++;
	}
	return told;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void
find(Work *w, Arena *tables)
{
	const Effects *effects = effects_build(w->m, w->arena);
	uint32_t id = 1;

	for (uint32_t i = 1; i < w->m->nmarkers; i++)
		id = w->m->markers[i].id >= id ? w->m->markers[i].id + 1 : id;
	for (uint32_t f = 1; f < w->m->nfuncs; f++) {
		const Func *k = &w->m->funcs[f];
		w->first[f] = w->all.n;
		if (k->body && k->nmarkers == 0)
			candidates_find(fn_build(w->m, f, effects, tables), w->arena, &w->all);
		for (uint32_t i = w->first[f]; i < w->all.n; i++, id += 2)
			w->all.at[i].id = id;
	}
	w->first[w->m->nfuncs] = w->all.n;
}

void
suggest(const Module *m, const Pass_options *opt, Buf *out)
{
	Arena *tables = arena_new();
	Pass_options own = *opt;
	Profile places = opt->profile ? *opt->profile : (Profile){ 0 };
	Work w = { .m = m, .opt = &own, .arena = arena_new() };
	uint32_t told = 0;

	places.by_place = true;
	own.profile = opt->profile ? &places : NULL;
	w.first = arena_array(w.arena, m->nfuncs + 1u, sizeof *w.first);
	find(&w, tables);
	w.results = arena_array(w.arena, w.all.n + 1u, sizeof *w.results);
	for (uint32_t i = 0; i < w.all.n; i++)
		w.results[i] = (Result){ .c = &w.all.at[i], .share = w.all.at[i].share };
	plan_all(&w);
	plan_reordered(&w);
	for (uint32_t f = 1; f < m->nfuncs; f++)
		told += tell_function(&w, f, told > 0, out);
	if (!told)
		advice_none(out);
	vec_free(&w.all);
	arena_free(w.arena);
	arena_free(tables);
}
