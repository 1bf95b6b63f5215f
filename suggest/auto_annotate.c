/* SPDX-License-Identifier: MIT */
/* Selects annotations for functions without any. See auto_annotate.h.
 *
 * With a profile, the candidates that it expects to gain come first: of those that do not conflict,
 * the set that saves most issue slots. The other annotations are for the report, and for choices
 * that ccc-tune measured: branches whose arms may be melded; then what needs no promise (proven.c),
 * by expected gain; then what needs a promise. */
#include <stdlib.h>
#include <string.h>
#include "analysis/analyse.h"
#include "suggest/auto_annotate.h"
#include "suggest/candidate_stmts.h"
#include "suggest/loop_choice.h"
#include "suggest/suggest_plan.h"
#include "transform/cost/profile_lookup.h"

typedef struct {
	const Suggestion *of;
	Suggestion_sort sort;
	bool measured;                  /* a profile expects that it gains */
} Pick;
typedef VEC(Pick) Picks;

static int
most_first(const void *a, const void *b)
{
	const Pick *x = a, *y = b;

	if (x->sort == MELDED)
		return x->of->share > y->of->share ? -1 : x->of->share < y->of->share;
	if (x->of->expected != y->of->expected)
		return x->of->expected > y->of->expected ? -1 : 1;
	return x->of->c->first < y->of->c->first ? -1 : x->of->c->first > y->of->c->first;
}

/* Whether there are statements for the annotation and, unless arms are to be melded, for the one of
 * the enclosing loop or kernel. */
static bool
site_is_annotatable(const Candidate *c)
{
	return c->in.site && (!c->in.missing || c->annot == ANNOT_DISTRIBUTE);
}

/* ---- candidates of a function ---------------------------------------------------------------- */

static void
add_picks(const Suggestions *w, uint32_t func, Picks *to)
{
	uint32_t n = to->n;

	for (uint32_t i = w->first[func]; i < w->first[func + 1]; i++)
		if (w->of[i].done)
			*vec_push(to) = (Pick){ &w->of[i], w->sort, false };
	if (to->n > n)
		qsort(to->at + n, to->n - n, sizeof *to->at, most_first);
}

/* Sets the candidate that saves most of those in each loop. */
static void
note_measured(const Suggestions *w, uint32_t func, Pick *best)
{
	for (uint32_t i = w->first[func]; i < w->first[func + 1]; i++) {
		const Suggestion *s = &w->of[i];
		Pick *own = &best[s->c->loop];
		if (s->done && site_is_annotatable(s->c) &&
			s->saved > (own->of ? own->of->saved : 0))
			*own = (Pick){ s, w->sort, true };
	}
}

/* Adds the candidates that save most by the profile. Candidates conflict if a loop around one of
 * them is, or contains, that around the other. */
static void
add_measured_picks(const Suggestions *melds, const Suggestions *proven, uint32_t func, Picks *to)
{
	if (proven->first[func] == proven->first[func + 1])
		return;
	const Loops *l = proven->all.at[proven->first[func]].fn->loops;
	Arena *tmp = arena_new();
	Pick *best = arena_array(tmp, l->nloops, sizeof *best);
	double *saved = arena_array(tmp, l->nloops, sizeof *saved);

	note_measured(melds, func, best);
	note_measured(proven, func, best);
	for (uint32_t i = 0; i < l->nloops; i++)
		saved[i] = best[i].of ? best[i].of->saved : 0;
	Bits chosen = loop_choice(l, saved, tmp);
	BITS_EACH(i, chosen)
		*vec_push(to) = best[i];
	arena_free(tmp);
}

/* Whether one candidate's enclosing loop also encloses the other. Without an enclosing loop it is
 * the kernel's task loop. */
static bool
loops_nest(const Candidate *a, const Candidate *b)
{
	const Loops *l = a->fn->loops;

	return !a->loop || !b->loop || loop_contains(l, a->loop, l->loops[b->loop].header) ||
		loop_contains(l, b->loop, l->loops[a->loop].header);
}

static uint32_t
stmt_number(const Source_stmt *s)
{
	return s ? s->number : 0;
}

/* Writes where a candidate's annotation goes. alone: nothing around it is to be annotated. */
static void
write_annotation(const Candidate *c, Annot_kind kind, bool alone, Buf *out)
{
	bool outer = kind != ANNOT_DISTRIBUTE && !alone;

	buf_printf(out, "%s %u %s %u %u\n", annot_kinds[kind].marker, c->in.site->number,
		kind == ANNOT_DISTRIBUTE ? "head" : source_part_names[c->in.part],
		outer && c->loop ? c->in.around->number : 0,
		outer && !c->loop ? stmt_number(c->in.kernel) : 0);
}

/* Reports a place, once, that would be annotated if it had a statement. */
static void
write_missing(const Suggestion *s, Buf *out)
{
	const Candidate *c = s->c;
	const char *what = c->kind == ADVICE_LOOP ? "loop" : "branch";
	Buf line = { 0 };

	buf_printf(&line, "missing %s:%u\t%s not annotated: %s\n", c->at.at.file, c->at.at.line,
		what, c->in.missing);
	bool known = c->at.at.file != c->fn->m->src->name;
	if (known && advice_worth(s->expected) && (!out->n || !strstr(out->at, line.at)))
		buf_add(out, line.at, line.n);
	buf_free(&line);
}

/* Writes the calls through which the candidate's function was inlined, as lines of its record. */
static void
write_calls(const Candidate *c, Buf *out)
{
	Arena *tmp = arena_new();
	const Inline_calls calls = candidate_calls(c, tmp);

	for (uint32_t i = 0; i < calls.n; i++) {
		buf_puts(out, " 0 inlined ");
		profile_put_place(calls.at[i], out);
		buf_putc(out, '\n');
	}
	arena_free(tmp);
}

/* Writes the record of the candidate (part 0), or of the common code of its enclosing loop (1),
 * each line after the number of the part. The arms of a branch have one record, so their gain
 * cannot be derived from it again: it has a choice. */
static void
write_record(const Pick *p, const Profile *profile, int part, Buf *out)
{
	const Candidate *c = p->of->c;
	const Annot_kind kind = part ? ANNOT_FOR : c->annot;
	const Cuda_pos at = { .file = c->at.at.file, .line = c->at.at.line, .col = c->first };
	Arena *tmp = arena_new();
	Execution_counts f;
	Buf text = { 0 };
	size_t len;
	const char *name = ptx_name(c->fn->m, c->fn->f->sym, &len);

	if (profile_find_candidate(profile, annot_kinds[kind].marker, at,
		    arena_strndup(tmp, name, len), &f))
		profile_put_counts(&f, &text);
	if (p->measured && kind == ANNOT_DISTRIBUTE)
		buf_printf(&text, "choice %s %s\n", CHOICE_MELD, VERSION);
	for (const char *s = text.n ? text.at : "", *end; *s; s = end + 1) {
		end = strchr(s, '\n');
		buf_printf(out, " %d %.*s\n", part, (int)(end - s), s);
	}
	buf_free(&text);
	arena_free(tmp);
}

static void
write_pick(const Pick *p, const Profile *profile, Buf *out)
{
	const Annot_kind kind = p->of->c->annot;

	write_annotation(p->of->c, kind, false, out);
	if (profile)
		write_calls(p->of->c, out);
	for (int part = 0; profile && part < (kind == ANNOT_DISTRIBUTE ? 1 : 2); part++)
		write_record(p, profile, part, out);
}

/* Whether one annotation is for both: their statement is in a function that is inlined twice. */
static bool
share_annotation(const Candidate *a, const Candidate *b)
{
	return a->first != b->first && a->in.site && a->in.site->number == b->in.site->number &&
		a->in.part == b->in.part && a->annot == b->annot;
}

/* Writes the records of a candidate that shares the annotation of one in the list. */
static void
write_copy(const Picks *kept, const Pick *p, const Profile *profile, Buf *out)
{
	for (uint32_t k = 0; k < kept->n; k++) {
		if (!share_annotation(p->of->c, kept->at[k].of->c))
			continue;
		write_annotation(p->of->c, p->of->c->annot, true, out);
		write_calls(p->of->c, out);
		write_record(p, profile, 0, out);
		return;
	}
}

static bool
conflicts(const Picks *kept, const Candidate *c)
{
	for (uint32_t k = 0; k < kept->n; k++)
		if (loops_nest(c, kept->at[k].of->c))
			return true;
	return false;
}

static void
write_function(const Picks *of, const Profile *profile, Buf *out)
{
	Picks kept = { 0 };

	for (uint32_t i = 0; i < of->n; i++) {
		const Candidate *c = of->at[i].of->c;
		if (conflicts(&kept, c))
			continue;
		if (!site_is_annotatable(c)) {
			write_missing(of->at[i].of, out);
			continue;
		}
		write_pick(&of->at[i], profile, out);
		*vec_push(&kept) = of->at[i];
	}
	for (uint32_t i = 0; profile && i < of->n; i++)
		write_copy(&kept, &of->at[i], profile, out);
	vec_free(&kept);
}

/* ---- driver ---------------------------------------------------------------------------------- */

enum { NSORTS = PROMISED + 1 };

/* Plans the candidates of each sort, whatever they gain. */
static void
plan_all(Suggestions *w, const Module *m, const Pass_options *opt)
{
	Pass_options plain = *opt;

	plain.measured.profile = NULL;
	plain.auto_mode = AUTO_ALWAYS;
	for (int i = 0; i < NSORTS; i++)
		suggestions_make(&w[i], m, &plain, (Suggestion_sort)i);
}

static void
release_all(Suggestions *w, int n)
{
	for (int i = 0; i < n; i++)
		suggestions_release(&w[i]);
}

bool
auto_asks_prover(const Pass_options *opt)
{
	return opt->measured.profile && profile_counts(opt->measured.profile) &&
		opt->prover.prove && opt->fp != FP_RELAXED;
}

void
auto_find_settled(const Suggestions *exact, const Module *m, const Pass_options *opt,
	Suggestions *relaxed, Bits settled)
{
	Pass_options any = *opt;

	any.fp = FP_RELAXED;
	suggestions_make(relaxed, m, &any, PROVEN);
	for (uint32_t f = 1; f < m->nfuncs; f++) {
		bool more = false;
		for (uint32_t i = exact->first[f]; i < exact->first[f + 1]; i++)
			more |= relaxed->of[i].done &&
				(!exact->of[i].done || relaxed->of[i].saved > exact->of[i].saved);
		if (more && opt->prover.prove(opt->prover.user, m, f))
			bits_set(settled, f);
	}
}

void
auto_annotate(const Module *m, const Pass_options *opt, Buf *out)
{
	Suggestions all[NSORTS], gain[PROVEN + 1], relaxed;
	bool measured = opt->measured.profile && profile_counts(opt->measured.profile),
	     asks = auto_asks_prover(opt);
	Arena *a = arena_new();
	Bits settled = bits_new(a, m->nfuncs);

	plan_all(all, m, opt);
	for (int i = 0; measured && i <= PROVEN; i++)
		suggestions_make(&gain[i], m, opt, (Suggestion_sort)i);
	if (asks)
		auto_find_settled(&gain[PROVEN], m, opt, &relaxed, settled);
	for (uint32_t f = 1; f < m->nfuncs && all[PROVEN].stmts.known; f++) {
		Picks picks = { 0 };
		if (measured)
			add_measured_picks(&gain[MELDED],
				bits_has(settled, f) ? &relaxed : &gain[PROVEN], f, &picks);
		for (int i = 0; i < NSORTS; i++)
			add_picks(&all[i], f, &picks);
		write_function(&picks, opt->measured.profile, out);
		vec_free(&picks);
	}
	if (measured)
		release_all(gain, PROVEN + 1);
	if (asks)
		suggestions_release(&relaxed);
	release_all(all, NSORTS);
	arena_free(a);
}

/* Adds the candidate unless its counts are those of one in the list. */
static void
add_layer(Candidates *to, const Candidate *c)
{
	for (uint32_t i = 0; i < to->n; i++)
		if (to->at[i].first == c->first &&
			(to->at[i].annot == ANNOT_DISTRIBUTE) == (c->annot == ANNOT_DISTRIBUTE))
			return;
	*vec_push(to) = *c;
}

bool
auto_annotate_queue_layers(const Module *m, const Pass_options *opt, Edits *e)
{
	Suggestions all[NSORTS];
	uint32_t id = LAYERS_OF_MARKERS;
	bool any = false;

	plan_all(all, m, opt);
	for (uint32_t f = 1; f < m->nfuncs; f++) {
		Candidates layers = { 0 };
		for (int i = 0; i < NSORTS; i++)
			for (uint32_t k = all[i].first[f]; k < all[i].first[f + 1]; k++)
				if (all[i].of[k].done &&
					(!all[i].stmts.known ||
						site_is_annotatable(&all[i].all.at[k])))
					add_layer(&layers, &all[i].all.at[k]);
		for (uint32_t i = 0; i < layers.n; i++, id += 2)
			layers.at[i].id = id;
		any |= layers.n && candidates_annotate(layers.at, layers.n, e);
		vec_free(&layers);
	}
	release_all(all, NSORTS);
	return any;
}

void
auto_annotate_layers(const Module *m, const Pass_options *opt, Buf *out)
{
	Arena *a = arena_new();
	Edits *e = edit_new(a);

	if (auto_annotate_queue_layers(m, opt, e))
		edit_apply(e, m->src, out);
	edit_release(e);
	arena_free(a);
}
