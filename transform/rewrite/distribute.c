/* SPDX-License-Identifier: MIT */
/* Branch distribution (Han and Abdelrahman, GPGPU-4 2011, section 3.2; docs/design.md 6.13), and
 * common calls (Damani and others, CGO 2020, section 4.4): predicted statements that call the same
 * function are arms as well, even if other code is around them (common_calls.h). Of more than two,
 * the call that two have in common stays an annotated statement, and is melded with the next one in
 * the next text.
 *
 *   needs:    cfg loop live effects region
 *   refuses:  what meld.c refuses: operations between lanes, ends of threads, arms whose graphs
 *             cannot be aligned, no gain
 *   correct because: docs/proofs/distribute.md, D1 to D6
 *
 *   cost:     a select where operands differ, moves for places that are live-in or live-out;
 *             registers: at most one place for two registers of the arms
 *   before / after: docs/transformation.md */
#include "analysis/analyse.h"
#include "analysis/cost/static_cost.h"
#include "analysis/region/common_calls.h"
#include "transform/cost/profile_lookup.h"
#include "transform/emit/mark_done.h"
#include "transform/legality/rounding.h"
#include "transform/plan/plan.h"
#include "transform/rewrite/distribute.h"
#include "transform/rewrite/meld.h"
#include "transform/text/unique_names.h"

static bool
region_has_arms(const Region *r)
{
	for (const Region *c = r->child; c; c = c->sibling)
		if (c->kind == REGION_ARM || region_has_arms(c))
			return true;
	return false;
}

/* Returns the else arm of a then arm, or NULL if the compiler removed it. Guards are numbered
 * consecutively; among copies of the else arm it is the one with the latest common dominator.
 * Arms that one iteration can both execute do not belong together: unrolling leaves such copies
 * where the branch is decided. */
static const Region *
find_else_arm(const Fn *fn, const Region *r, Bits taken)
{
	const Marker *k = &fn->m->markers[r->marker];
	const Region *found = NULL;
	uint32_t last = 0;

	for (const Region *o = r->parent->child; o; o = o->sibling) {
		const Marker *l = &fn->m->markers[o->marker];
		if (o->kind != REGION_ARM || l->id != k->id + 1 || l->cuda.line != k->cuda.line ||
			bits_has(taken, o->marker))
			continue;
		uint32_t at = dom_common(fn->dom, r->entry, o->entry);
		if ((found && dom_dominates(fn->dom, at, last)) || !regions_are_exclusive(fn, r, o))
			continue;
		found = o;
		last = at;
	}
	return found;
}

typedef struct {
	const Module *m;
	const Pass_options *opt;
	Edits *edits;
	Arena *arena;           /* for reports */
	const Effects *effects;
	uint32_t number;
	Bits taken;             /* markers of the regions melded in this text, or closed */
	const Meld_outcomes *told; /* of earlier texts */
	Meld_outcomes melded, left;
} Meld_pass;

/* Least speedup of melding that was not requested. */
static const double LEAST_OF_PROVEN = 1.1;

/* Predicts the gain from the profile. Without melding, a warp executes each arm for which it has
 * lanes. With melding it executes both at once: at least as often as it reaches the more
 * frequent arm, and as often as 32 lanes need one of them. */
static Verdict
profile_says_profitable(const Meld_pass *w, const Fn *fn, const Meld *x, double *saved)
{
	double before = 0, both = 0, warps = 0, lanes = 0;

	if (profile_lookup_melds(w->opt, fn, x->arm[0].region))
		return VERDICT_YES;
	for (uint32_t i = 0; i < 2; i++) {
		const Region *arm = x->arm[i].region;
		const Execution_counts *f = pass_frequency(w->opt, fn, arm);
		if (!f)
			return verdict(w->arena, D_NO_GAIN, DIAG_NOWHERE,
				"with 'proven' only a profile's gain counts, and there is none of it");
		double n = run_cost_of_blocks(fn, arm->blocks, arm->entry).issue,
		       come = (double)f->warps;
		before += come * n;
		both += n;
		warps = come > warps ? come : warps;
		lanes += (double)f->lanes;
	}
	warps = lanes / WARP > warps ? lanes / WARP : warps;
	double after = warps * both * (double)x->after / (double)x->before;
	*saved = before > after ? before - after : 0;
	if (warps > 0 && before >= LEAST_OF_PROVEN * after)
		return VERDICT_YES;
	warps = warps > 0 ? warps : 1;
	return verdict(w->arena, D_NO_GAIN, DIAG_NOWHERE,
		"the expected gain is too small: melded, the arms would take %.0f issue slots of a warp instead of %.0f, by the profile",
		after / warps, before / warps);
}

/* Whether melding keeps floating-point results bit by bit, if that is required. */
static Verdict
melding_keeps_rounding(const Meld_pass *w, const Fn *fn, const Region *r, const Meld *x)
{
	const Annot *a = &fn->m->markers[r->marker].annot;
	Verdict v = rounding_of_plain(w->opt, fn, annot_has(a, CLAUSE_PROVEN), w->arena);
	uint32_t product = 0;

	if (!verdict_is_no(v) && rounding_is_exact(w->opt, annot_has(a, CLAUSE_PROVEN)))
		product = meld_breaks_contraction(x, fn->arena);
	return product ? contraction_may_differ(fn, product, w->arena) : v;
}

static Meld_outcome
describe_arms(const Meld_pass *w, const Meld *x, double saved, Verdict why)
{
	return (Meld_outcome){ .func = x->fn->func,
		.marker = { x->arm[0].region->marker, x->arm[1].region->marker },
		.total = x->total,
		.both = x->both,
		.before = x->before,
		.after = x->after,
		.saved = saved,
		.open = x->open != NULL,
		.why = verdict_copy(&why, w->arena) };
}

/* Whether a text that melds the region was refused before. */
static bool
was_refused(const Meld_pass *w, const Region *r)
{
	for (uint32_t i = 0; i < w->told->n; i++)
		if (w->told->at[i].marker[0] == r->marker && verdict_is_no(w->told->at[i].why))
			return true;
	return false;
}

/* Melds the arms that start with region r, if r is the first of two arms without nested ones.
 * Regions that are melded already are skipped; in the next text they are marked as done. */
static void
meld_arms(Meld_pass *w, const Fn *fn, const Region *r)
{
	const Region *other =
		region_has_arms(r) || bits_has(w->taken, r->marker) || was_refused(w, r) ? NULL :
		r->kind == REGION_ARM     ? find_else_arm(fn, r, w->taken) :
					    common_call_partner(fn, r, w->taken);
	Meld x;
	double saved = 0;

	if (!other || region_has_arms(other))
		return;
	Verdict why = meld_make(&x, fn, r, other, fn->arena);
	if (annot_is_off(&fn->m->markers[r->marker].annot))
		why = verdict_off(w->arena);
	if (!verdict_is_no(why) && annot_has(&fn->m->markers[r->marker].annot, CLAUSE_PROVEN) &&
		w->opt->auto_mode != AUTO_ALWAYS)
		why = profile_says_profitable(w, fn, &x, &saved);
	if (!verdict_is_no(why))
		why = melding_keeps_rounding(w, fn, r, &x);
	if (!verdict_is_no(why)) {
		bits_set(w->taken, r->marker);
		bits_set(w->taken, other->marker);
		if (r->kind == REGION_PATH && common_call_continues(fn, r, other))
			x.open = meld_call_row(&x);
		meld_write(&x, w->number++, w->opt, w->edits);
	}
	*vec_push(verdict_is_no(why) ? &w->left : &w->melded) = describe_arms(w, &x, saved, why);
	meld_release(&x);
}

static void
meld_regions(Meld_pass *w, const Fn *fn, const Region *r)
{
	for (const Region *c = r->child; c; c = c->sibling) {
		meld_arms(w, fn, c);
		if (!bits_has(w->taken, c->marker))
			meld_regions(w, fn, c);
	}
}

/* Whether the statement consists of melded calls, and is annotated for a further one. */
static bool
region_is_open(const Meld_pass *w, const Region *r)
{
	bool open = false;

	for (uint32_t i = 0; i < w->told->n; i++)
		open |= w->told->at[i].open && w->told->at[i].marker[0] == r->marker;
	return open;
}

/* Marks such statements as done. */
static void
close_regions(Meld_pass *w, const Fn *fn, const Region *r)
{
	for (const Region *c = r->child; c; c = c->sibling) {
		close_regions(w, fn, c);
		if (!region_is_open(w, c))
			continue;
		uint32_t id = fn->m->markers[c->marker].id;
		Bits ends = bits_new(fn->arena, fn->cfg->nblocks);
		bits_set(w->taken, c->marker);
		marker_queue_done(w->m, &w->m->markers[c->marker], w->edits);
		BITS_EACH(b, c->blocks)
			FN_SUCC(fn, b, s)
				if (s && !bits_has(c->blocks, s))
					bits_set(ends, s);
		BITS_EACH(b, ends) {
			const Marker *k = region_marker_at(fn, b);
			if (k && k->end && k->id == id)
				marker_queue_done(w->m, k, w->edits);
		}
	}
}

/* Whether the function has an annotation that is not done or excluded. */
static bool
function_is_annotated(const Meld_pass *w, uint32_t func)
{
	const Func *f = &w->m->funcs[func];

	if (w->opt->funcs.refused && w->opt->funcs.refused[func])
		return false;
	for (uint32_t i = f->marker; i < f->marker + f->nmarkers; i++)
		if ((w->m->markers[i].annot.kind == ANNOT_DISTRIBUTE ||
			    w->m->markers[i].annot.kind == ANNOT_PREDICT) &&
			!w->m->markers[i].end && !w->m->markers[i].done &&
			(!w->m->markers[i].wrong || annot_is_off(&w->m->markers[i].annot)))
			return true;
	return false;
}

static void
visit_function(Meld_pass *w, uint32_t func, void visit(Meld_pass *, const Fn *, const Region *))
{
	Diags *quiet = diags_new(NULL); /* other passes report it */
	Arena *a = arena_new();
	const Fn *known = profile_lookup_tables(w->opt->measured.lookup, w->m, func);
	const Fn *fn = known ? known : fn_build(w->m, func, w->effects, a);

	visit(w, fn, &region_build(fn, quiet, a)->kernel);
	arena_free(a);
	diags_free(quiet);
}

/* Visits the annotated functions. */
static void
visit_functions(
	Meld_pass *w, Arena *tables, void visit(Meld_pass *, const Fn *, const Region *))
{
	for (uint32_t i = 1; i < w->m->nfuncs; i++) {
		if (!function_is_annotated(w, i))
			continue;
		if (!w->effects) {
			w->effects = effects_build(w->m, tables);
			w->number = unique_first_number(w->m);
		}
		visit_function(w, i, visit);
	}
}

/* Adds the outcomes of this text. A text without melding is the last one, unless it closes
 * statements; then only outcomes of these are final. */
static void
tell_outcomes(Meld_pass *w, Meld_outcomes *told)
{
	const Meld_outcomes *tell = w->melded.n ? &w->melded : &w->left;
	bool all = w->melded.n || !bits_any(w->taken);

	for (uint32_t i = 0; i < tell->n; i++)
		if (all || bits_has(w->taken, tell->at[i].marker[0]) ||
			bits_has(w->taken, tell->at[i].marker[1]))
			*vec_push(told) = tell->at[i];
	for (uint32_t i = told->n; !w->melded.n && i-- > 0;)
		if (told->at[i].open && bits_has(w->taken, told->at[i].marker[0])) {
			told->at[i].open = false;
			bits_unset(w->taken, told->at[i].marker[0]);
		}
}

bool
distribute_run(const Module *m, const Pass_options *opt, Arena *a, Meld_outcomes *told, Edits *e)
{
	Meld_pass w = { .m = m, .opt = opt, .edits = e, .arena = a, .told = told };
	Arena *tables = arena_new();

	w.taken = bits_new(tables, m->nmarkers + 1);
	visit_functions(&w, tables, meld_regions);
	if (!w.melded.n)
		visit_functions(&w, tables, close_regions);
	bool any = bits_any(w.taken);
	tell_outcomes(&w, told);
	vec_free(&w.melded);
	vec_free(&w.left);
	arena_free(tables);
	return any;
}
