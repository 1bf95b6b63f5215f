/* SPDX-License-Identifier: MIT */
/* The loops whose annotations promise independent iterations.
 *
 *	for, assign     yes, see below
 *	for var         yes, also in a kernel with `grid`, but not in a loop with `assign`, whose
 *	                policies keep the order of inner iterations
 *	while           no: its iterations run in order. Those of the loop around it are checked
 *	grid            no: its iterations are threads, which the race check compares
 *
 * A promise is checked if the compiler may use it (docs/annotations.md):
 *
 *	- not with `proven`, at the loop or at one of its paths
 *	- not under policies with which each thread runs its own iterations in order: converge,
 *	  wait, majority, live, cycle, flatten, ahead. A loop keeps this order if all annotations
 *	  inside it have such a policy, by a clause or by their kind (`delay`, `predict`), or, if
 *	  there are none, the loop itself. `assign` and `unify` reorder iterations under every
 *	  policy
 *	- not in text that was transformed, whose markers are `done`
 *	- not in layers, which are only counted
 *
 * Stores of marks, which store one value in all iterations, and ld.global.nc are determined here,
 * too.
 */
#include <stdlib.h>
#include <stdio.h>
#include "analysis/analyse.h"
#include "analysis/memory/iteration_dependence.h"
#include "analysis/region/marker_pairs.h"
#include "analysis/region/profile_points.h"
#include "simt/checks/checks.h"
#include "simt/decode/promised_loops.h"

void sim_check_promises(Sim *s) { s->promises.check = true; }

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

	if (annotation(fn, r)->kind != ANNOT_FOR_VAR)
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
	Opcode *h;
	const Fn *fn;
	const Region *kernel;
	Arena *arena;
} Search;

static void
add_places(Search *x, Block_list l, Run *run, uint32_t loop)
{
	for (uint32_t i = 0; i < l.n; i++)
		*vec_push(&x->h->added.promised) = (Promised_place){ l.at[i], loop, run };
}

/* Whether the loop has barriers or exchanges between lanes outside of its paths. */
static bool
loop_is_in_step(const Search *x, const Region *r, uint32_t loop)
{
	Bits common = bits_new(x->arena, x->fn->cfg->nblocks);
	const Effects *e = x->h->sim->effects;

	bits_copy(common, x->fn->loops->loops[loop].blocks);
	for (const Region *k = r->child; k; k = k->sibling)
		bits_and_not(common, k->blocks);
	BITS_EACH(b, common)
		FN_BLOCK_STMTS(x->fn, b, s)
			if (effects_stmt(x->fn->m, e, s) & (EFF_CROSS | EFF_BARRIER))
				return true;
	return false;
}

static uint32_t
marker_block(const Search *x, const Region *r)
{
	return fn_block(x->fn, x->fn->m->markers[r->marker].stmt);
}

static void
add_paths(Search *x, const Region *r, uint32_t loop)
{
	for (const Region *k = r->child; k; k = k->sibling) {
		uint32_t entry = marker_block(x, k);
		add_places(x, (Block_list){ &entry, 1 }, promise_path, loop);
		add_places(x, profile_exit_targets(x->fn, k->blocks, x->arena), promise_path_end,
			loop);
	}
}

static bool
is_mark(Search *x, uint32_t loop, uint32_t stmt)
{
	const Module *m = x->fn->m;
	const Stmt *s = fn_stmt(x->fn, stmt);

	if (s->kind != STMT_INSN)
		return false;
	return ptx_op(m, s) == OP_ST ? iteration_stores_constant(x->fn, loop, stmt, x->arena) :
				       ptx_op(m, s) == OP_LD && ptx_has(m, s, "nc");
}

static void
find_marks(Search *x, uint32_t loop)
{
	BITS_EACH(b, x->fn->loops->loops[loop].blocks)
		FN_BLOCK_STMTS(x->fn, b, s)
			if (is_mark(x, loop, s))
				bits_set(x->h->added.marks, ptx_local_stmt(x->h->f, s));
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

/* Adds the loop of a region; false if the compiler left none. outer: whether no loop around it was
 * added. */
static bool
add_loop(Search *x, const Region *r, bool outer)
{
	const Loops *loops = x->fn->loops;
	Promises *p = &x->h->sim->promises;
	uint32_t id = p->loops.n, entry = marker_block(x, r);
	Block_list begins = iteration_starts(x, r);
	uint32_t loop = !r->loop && begins.n ? loops->loop_of[begins.at[0]] : r->loop;

	if (!loop)
		return false;
	*vec_push(&p->loops) = (Promised_loop){ r->marker, loop_is_in_step(x, r, loop) };
	add_places(x, (Block_list){ &entry, 1 }, promise_outside, id);
	add_places(x, begins, promise_iteration, id);
	add_places(x, profile_exit_targets(x->fn, r->blocks, x->arena), promise_outside, id);
	for (uint32_t i = 0; i < begins.n; i++) {
		uint32_t around = loops->loop_of[begins.at[i]];
		Bits blocks = loops->loops[around].blocks;
		if (around)
			add_places(x, profile_exit_targets(x->fn, blocks, x->arena),
				promise_outside, id);
	}
	if (p->loops.at[id].in_step)
		add_paths(x, r, id);
	if (outer)
		find_marks(x, loop);
	return true;
}

/* Adds the loops in a region. outer: none around it was added. */
static void
add_loops(Search *x, const Region *r, bool outer)
{
	for (const Region *k = r->child; k; k = k->sibling) {
		bool promises = (k->kind == REGION_LOOP && site_promises(x->fn, k)) ||
			(k->kind == REGION_INNER_LOOP && inner_loop_promises(x->fn, x->kernel, k));
		bool added = promises && !x->fn->m->markers[k->marker].wrong &&
			add_loop(x, k, outer);
		add_loops(x, k, outer && !added);
	}
}

void
promised_loops_find(Opcode *h)
{
	Sim *s = h->sim;

	h->added.promised.n = 0;
	h->added.marks = bits_new(s->arena, h->f->nstmt + 1);
	if (!s->promises.check || !h->f->nmarkers)
		return;
	if (!s->effects)
		s->effects = effects_build(s->m, s->arena);
	Search x = { .h = h, .arena = arena_new() };
	Diags *quiet = diags_new(NULL);
	x.fn = fn_build(s->m, h->p->codes.at[h->code].func, s->effects, x.arena);
	const Regions *all = region_build(x.fn, quiet, x.arena);
	x.kernel = &all->kernel;
	add_loops(&x, x.kernel, true);
	diags_free(quiet);
	arena_free(x.arena);
}

void
promised_loops_decode_block(Opcode *h, uint32_t block)
{
	for (uint32_t i = 0; i < h->added.promised.n; i++) {
		const Promised_place *p = &h->added.promised.at[i];
		uint32_t marker = h->sim->promises.loops.at[p->loop].marker;
		if (p->block == block)
			*vec_push(&h->p->insts) = (Inst){ .run = p->run,
				.stmt = h->m->markers[marker].stmt,
				.imm = p->loop };
	}
}
