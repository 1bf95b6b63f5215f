/* SPDX-License-Identifier: MIT */
/* The loops whose annotations promise independent iterations: see independent_loops.h. */
#include "analysis/memory/iteration_dependence.h"
#include "analysis/region/independent_loops.h"
#include "analysis/region/marker_pairs.h"

/* ---- promises -------------------------------------------------------------------------------- */

static const Annot *
annotation(const Fn *fn, const Region *r)
{
	return &fn->m->markers[r->marker].annot;
}

static bool
policy_keeps_order(Annot_policy p)
{
	return p == POLICY_CONVERGE || p == POLICY_WAIT || p == POLICY_MAJORITY ||
		p == POLICY_LIVE || p == POLICY_CYCLE || p == POLICY_FLATTEN || p == POLICY_AHEAD;
}

/* Whether threads keep the order of their iterations under this annotation, if they do (`around`)
 * under the one around it. */
static bool
annotation_keeps_order(const Annot *a, bool around)
{
	if (a->kind == ANNOT_UNIFY || a->kind == ANNOT_ASSIGN)
		return false;
	if (annot_has(a, CLAUSE_PROVEN))
		return true;
	if (annot_has(a, CLAUSE_POLICY) && a->policy != POLICY_AUTO)
		return policy_keeps_order(a->policy);
	return around || a->kind == ANNOT_DELAY || a->kind == ANNOT_PREDICT;
}

/* Whether an annotation in the region may reorder iterations. around: whether the annotation around
 * them keeps the order. *n: incremented by the number of annotations. */
static bool
children_reorder(const Fn *fn, const Region *r, bool around, uint32_t *n)
{
	bool any = false;

	for (const Region *k = r->child; k; k = k->sibling) {
		bool keeps = around;
		if (k->kind == REGION_PATH || k->kind == REGION_INNER_LOOP) {
			keeps = annotation_keeps_order(annotation(fn, k), around);
			any |= !keeps;
			++*n;
		}
		any |= k->kind != REGION_LOOP && children_reorder(fn, k, keeps, n);
	}
	return any;
}

static bool
children_are_proven(const Fn *fn, const Region *r)
{
	bool any = false;

	for (const Region *k = r->child; k; k = k->sibling)
		any |= annot_has(annotation(fn, k), CLAUSE_PROVEN) || children_are_proven(fn, k);
	return any;
}

/* Whether the annotation of a `for` or `assign` loop makes a promise that the compiler may use. */
static bool
site_promises(const Fn *fn, const Region *r)
{
	const Annot *a = annotation(fn, r);
	bool keeps = annotation_keeps_order(a, false);
	uint32_t n = 0;

	if (!r->is_site || fn->m->markers[r->marker].id >= LAYERS_OF_MARKERS ||
		(a->kind != ANNOT_FOR && a->kind != ANNOT_ASSIGN) ||
		annot_has(a, CLAUSE_PROVEN) || children_are_proven(fn, r))
		return false;
	return children_reorder(fn, r, keeps, &n) || a->kind == ANNOT_ASSIGN || (!n && !keeps);
}

/* Whether the function is a kernel that becomes a task loop. *proven: with a clause `proven`. */
static bool
is_task_kernel(const Fn *fn, const Region *kernel, bool *proven)
{
	bool found = false;

	*proven = children_are_proven(fn, kernel);
	for (uint32_t i = 0; i < fn->f->nmarkers; i++) {
		const Marker *k = &fn->m->markers[fn->f->marker + i];
		found |= marker_pair_advice(fn, k);
		*proven |= k->annot.kind == ANNOT_GRID && annot_has(&k->annot, CLAUSE_PROVEN);
	}
	return found;
}

/* Whether the annotation of a `for var` loop makes a promise that the compiler may use. */
static bool
inner_loop_promises(const Fn *fn, const Region *kernel, const Region *r)
{
	const Region *site = region_enclosing_site(r);
	bool keeps = site && annotation(fn, site)->kind == ANNOT_ASSIGN, proven = false;

	if (annotation(fn, r)->kind != ANNOT_FOR_VAR ||
		fn->m->markers[r->marker].id >= LAYERS_OF_MARKERS)
		return false;
	if (site)
		proven = annot_has(annotation(fn, site), CLAUSE_PROVEN) ||
			children_are_proven(fn, site);
	else if (!is_task_kernel(fn, kernel, &proven))
		return false;
	for (const Region *k = r; k != kernel && !proven; k = k->parent) {
		const Annot *a = annotation(fn, k);
		if (annot_has(a, CLAUSE_POLICY) && a->policy != POLICY_AUTO) {
			keeps = policy_keeps_order(a->policy);
			break;
		}
		if (k == site)
			break;
	}
	return !keeps && !proven;
}

/* ---- loops ----------------------------------------------------------------------------------- */

/* State while the loops of a function are found. */
typedef struct {
	const Fn *fn;
	const Region *kernel;
	Arena *arena;
	VEC(Independent_loop) loops;
} Search;

/* Whether the loop has barriers or exchanges between lanes outside of its paths. */
static bool
loop_is_in_step(const Search *x, const Region *r, uint32_t loop)
{
	Bits common = bits_new(x->arena, x->fn->cfg->nblocks);

	bits_copy(common, x->fn->loops->loops[loop].blocks);
	for (const Region *k = r->child; k; k = k->sibling)
		bits_and_not(common, k->blocks);
	BITS_EACH(b, common)
		FN_BLOCK_STMTS(x->fn, b, s)
			if (fn_effects(x->fn, s) & (EFF_CROSS | EFF_BARRIER))
				return true;
	return false;
}

/* Returns the blocks with which an iteration begins: those with iteration markers, or else the
 * header of the loop, whose last execution then counts as an iteration, too. */
static Block_list
iteration_starts(const Search *x, const Region *r)
{
	Block_list l = { arena_array(x->arena, x->fn->cfg->nblocks, sizeof *l.at), 0 };

	BITS_EACH(b, r->blocks)
		if (region_iteration(x->fn, r, b))
			l.at[l.n++] = b;
	if (!l.n && r->loop)
		l.at[l.n++] = x->fn->loops->loops[r->loop].header;
	return l;
}

static void
add_exits(Search *x, Block_list *to, Bits blocks)
{
	const Block_list more = profile_exit_targets(x->fn, blocks, x->arena);
	Block_list all = { arena_array(x->arena, to->n + more.n + 1, sizeof *all.at), 0 };

	for (uint32_t i = 0; i < to->n; i++)
		all.at[all.n++] = to->at[i];
	for (uint32_t i = 0; i < more.n; i++)
		all.at[all.n++] = more.at[i];
	*to = all;
}

/* Adds the loop of a region; false if the compiler left none. */
static bool
add_loop(Search *x, const Region *r, bool outermost)
{
	const Loops *loops = x->fn->loops;
	Independent_loop k = { .region = r, .outermost = outermost };

	k.starts = iteration_starts(x, r);
	k.loop = !r->loop && k.starts.n ? loops->loop_of[k.starts.at[0]] : r->loop;
	if (!k.loop)
		return false;
	k.in_step = loop_is_in_step(x, r, k.loop);
	add_exits(x, &k.exits, r->blocks);
	for (uint32_t i = 0; i < k.starts.n; i++)
		if (loops->loop_of[k.starts.at[i]])
			add_exits(x, &k.exits, loops->loops[loops->loop_of[k.starts.at[i]]].blocks);
	*vec_push(&x->loops) = k;
	return true;
}

/* Adds the loops in a region. outermost: none around it was added. */
static void
add_loops(Search *x, const Region *r, bool outermost)
{
	for (const Region *k = r->child; k; k = k->sibling) {
		bool promises = (k->kind == REGION_LOOP && site_promises(x->fn, k)) ||
			(k->kind == REGION_INNER_LOOP && inner_loop_promises(x->fn, x->kernel, k));
		bool added = promises && !x->fn->m->markers[k->marker].wrong &&
			add_loop(x, k, outermost);
		add_loops(x, k, outermost && !added);
	}
}

Independent_loops
independent_loops_find(const Fn *fn, Arena *a)
{
	Diags *quiet = diags_new(NULL);
	const Regions *all = region_build(fn, quiet, a);
	Search x = { .fn = fn, .kernel = &all->kernel, .arena = a };

	add_loops(&x, x.kernel, true);
	Independent_loops found = { arena_array(a, x.loops.n + 1, sizeof *found.at), x.loops.n };
	for (uint32_t i = 0; i < x.loops.n; i++)
		found.at[i] = x.loops.at[i];
	vec_free(&x.loops);
	diags_free(quiet);
	return found;
}

bool
independent_loop_marks(const Fn *fn, uint32_t loop, uint32_t stmt, Arena *a)
{
	const Module *m = fn->m;
	const Stmt *s = fn_stmt(fn, stmt);

	if (s->kind != STMT_INSN)
		return false;
	return ptx_op(m, s) == OP_ST ? iteration_stores_constant(fn, loop, stmt, a) :
				       ptx_op(m, s) == OP_LD && ptx_has(m, s, "nc");
}
