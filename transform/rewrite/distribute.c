/* SPDX-License-Identifier: MIT */
/* Branch distribution (Han and Abdelrahman, GPGPU-4 2011, section 3.2; docs/design.md 6.13), and
 * common calls (Damani and others, CGO 2020): two predicted statements that call the same
 * function are arms as well, even if other code is around them.
 *
 *   needs:    cfg loop live effects region
 *   refuses:  what meld.c refuses: operations between lanes, ends of threads, arms of different
 *             shapes, no gain
 *   correct because (labels and sections are those of distribute.tpl):
 *
 * - A lane reaches `meld` from the begin marker of the arm that it takes, with %^then set
 *   accordingly. Nodes correspond as graphs, and at each branch a lane takes the edge that its
 *   own arm's branch takes (`branch`). So it visits the pairs of its own arm's nodes, in order.
 * - In a pair, each arm's instructions are in their original order. A lane executes the common
 *   ones with its own operands, and those of its own arm. Of the other arm it executes
 *   side-effect-free instructions only whose results are dead in its own arm (predication.c);
 *   the others are predicated by %^then or skipped.
 * - A piece of one arm (cfg_match.c) is a node, or all nodes up to its join. The other arm's
 *   lanes reach its first node only, and execute none of it: they branch to its end (`node`,
 *   alone), or pass through predicated instructions.
 * - A place stands for one register of each arm. It is set at `take` if the register is live
 *   into the arm, and copied back at `leave` if it is live after it. A register without a place
 *   is written by lanes of an arm that writes it in the original, and otherwise by lanes that do
 *   not read it.
 * - Whether the lanes of both arms execute together is irrelevant.
 *
 *   cost:     a select where operands differ, moves for places that are live-in or live-out;
 *             registers: at most one place for two registers of the arms
 *   before / after: docs/transformation.md */
#include "analysis/analyse.h"
#include "analysis/cost/static_cost.h"
#include "transform/cost/profile_lookup.h"
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

/* Whether one iteration of the innermost loop around both can execute block a and later block b. */
static bool
block_reaches(const Fn *fn, uint32_t a, uint32_t b, Arena *arena)
{
	uint32_t loop = fn->loops->loop_of[dom_common(fn->dom, a, b)];
	Bits within = bits_new(arena, fn->cfg->nblocks), seen = bits_new(arena, fn->cfg->nblocks);

	FN_BLOCKS(fn, k)
		if (!loop || k == a || k != fn->loops->loops[loop].header)
			bits_set(within, k);
	cfg_flood(fn->cfg, a, false, within, seen);
	return bits_has(seen, b);
}

static bool
regions_are_exclusive(const Fn *fn, const Region *a, const Region *b)
{
	return !dom_dominates(fn->dom, a->entry, b->entry) &&
		!dom_dominates(fn->dom, b->entry, a->entry) &&
		!block_reaches(fn, a->entry, b->entry, fn->arena) &&
		!block_reaches(fn, b->entry, a->entry, fn->arena);
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

/* ---- common calls: predicted statements that call the same function -------------------------- */

/* Returns the function that a predicted statement calls first. 0: it calls none, or indirectly,
 * or r is no predicted statement. */
static uint32_t
first_call_of_prediction(const Fn *fn, const Region *r)
{
	const Marker *k = &fn->m->markers[r->marker];

	if (r->kind != REGION_PATH || k->annot.kind != ANNOT_PREDICT ||
		r->entry != fn_block(fn, k->stmt))
		return 0;
	FN_BLOCKS(fn, b) {
		if (!bits_has(r->blocks, b))
			continue;
		FN_BLOCK_STMTS(fn, b, s)
			if (fn_stmt(fn, s)->kind == STMT_INSN &&
				ptx_op(fn->m, fn_stmt(fn, s)) == OP_CALL)
				return effects_callee(fn->m, s);
	}
	return 0;
}

/* Whether every lane that reaches the branch around a and b executes one of them in that
 * iteration. If some lanes pass by, the lanes of the two sides reconverge after the branch only,
 * so they would still execute the call one side after the other. */
static bool
regions_are_all_sides(const Fn *fn, const Region *a, const Region *b)
{
	uint32_t branch = dom_common(fn->dom, a->entry, b->entry);
	uint32_t loop = fn->loops->loop_of[branch];
	Bits within = bits_new(fn->arena, fn->cfg->nblocks);
	Bits seen = bits_new(fn->arena, fn->cfg->nblocks);

	FN_BLOCKS(fn, k)
		if (k != a->entry && k != b->entry && (!loop || loop_contains(fn->loops, loop, k)))
			bits_set(within, k);
	cfg_flood(fn->cfg, branch, false, within, seen);
	BITS_EACH(k, seen) {
		uint32_t successors = 0;
		FN_SUCC(fn, k, s) {
			successors += s != 0;
			if (!s || (loop && (s == fn->loops->loops[loop].header ||
						   !loop_contains(fn->loops, loop, s))))
				return false;
		}
		if (!successors)
			return false;
	}
	return true;
}

/* Returns the next statement in the same loop that calls the same function on the other side of a
 * branch, or NULL. */
static const Region *
find_matching_call(const Fn *fn, const Region *r, Bits taken)
{
	uint32_t callee = first_call_of_prediction(fn, r);

	for (const Region *o = r->sibling; callee && o; o = o->sibling)
		if (first_call_of_prediction(fn, o) == callee && !bits_has(taken, o->marker) &&
			fn->loops->loop_of[o->entry] == fn->loops->loop_of[r->entry] &&
			regions_are_exclusive(fn, r, o) && regions_are_all_sides(fn, r, o))
			return o;
	return NULL;
}

typedef struct {
	const Module *m;
	const Pass_options *opt;
	Edits *edits;
	Arena *arena;           /* for reports */
	const Effects *effects;
	uint32_t number;
	Bits taken;             /* markers of the regions melded in this text */
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
		.why = verdict_copy(&why, w->arena) };
}

/* Melds the arms that start with region r, if r is the first of two arms without nested ones.
 * Regions that are melded already are skipped; in the next text they are marked as done. */
static void
meld_arms(Meld_pass *w, const Fn *fn, const Region *r)
{
	const Region *other = region_has_arms(r) || bits_has(w->taken, r->marker) ? NULL :
		r->kind == REGION_ARM     ? find_else_arm(fn, r, w->taken) :
					    find_matching_call(fn, r, w->taken);
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
		meld_regions(w, fn, c);
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
meld_function(Meld_pass *w, uint32_t func)
{
	Diags *quiet = diags_new(NULL); /* other passes report it */
	Arena *a = arena_new();
	const Fn *known = profile_lookup_tables(w->opt->measured.lookup, w->m, func);
	const Fn *fn = known ? known : fn_build(w->m, func, w->effects, a);

	meld_regions(w, fn, &region_build(fn, quiet, a)->kernel);
	arena_free(a);
	diags_free(quiet);
}

bool
distribute_run(const Module *m, const Pass_options *opt, Arena *a, Meld_outcomes *told, Edits *e)
{
	Meld_pass w = { .m = m, .opt = opt, .edits = e, .arena = a };
	Arena *tables = arena_new();

	w.taken = bits_new(tables, m->nmarkers + 1);
	for (uint32_t i = 1; i < m->nfuncs; i++) {
		if (!function_is_annotated(&w, i))
			continue;
		if (!w.effects) {
			w.effects = effects_build(m, tables);
			w.number = unique_first_number(m);
		}
		meld_function(&w, i);
	}
	bool any = w.melded.n > 0;
	const Meld_outcomes *tell = any ? &w.melded : &w.left;
	for (uint32_t i = 0; i < tell->n; i++)
		*vec_push(told) = tell->at[i];
	vec_free(&w.melded);
	vec_free(&w.left);
	arena_free(tables);
	return any;
}
