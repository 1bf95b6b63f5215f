/* SPDX-License-Identifier: MIT */
/* Warns of memory accesses whose order the transformation changes, since aliasing is undecidable
 * here. forward_progress.c covers lanes that wait for each other.
 *
 * The owner of a task continues before the path has run, and executes its next iterations while the
 * task is buffered. So two orders are lost: between writes of the path and accesses in the rest of
 * its iteration, and between reads of the path and writes of any iteration outside the path, which
 * includes memory that each iteration fills for its own path. Memory that the path uses may be
 * freed before the path runs. A fence after the path does not order the path's writes. Accesses to
 * different objects (analysis/memory/underlying_objects.h) and commuting atomic operations are
 * accepted; all others are warned of (docs/design.md 6.7).
 *
 * Atomic additions to one array commute, unless the rest of the iteration uses the result of its
 * own, which may then lack the path's addition. The result of the path's addition may differ, too.
 * If its address is uniform, additions by other threads already have that effect at any time: if
 * `slot = atomicAdd(&n, 1)` in the path is the only addition whose result is used, each slot is
 * still handed out once. A varying address may belong to the iteration alone. atomicAdd(p, 0) and
 * the like are loads. Other atomic operations commute if they are of the same kind and no result is
 * used. */
#include "transform/legality/legality.h"
#include "transform/legality/memory_access_class.h"
#include "transform/plan/plan.h"

/* ---- accesses whose order is lost ------------------------------------------------------------ */

/* Whether the address of the access is uniform. */
static bool
address_is_uniform(const Fn *fn, uint32_t stmt)
{
	FN_READS(fn, stmt, r) {
		uint32_t u = defuse_find_use(fn, stmt, r->sym);
		if (r->opnd && fn->m->opnds[r->opnd - 1].kind == OPND_ADDR && u &&
			bits_has(fn->uniform->use, u))
			return false;
	}
	return true;
}

/* Whether two atomic operations may execute in either order. rest: see order_may_change(). */
static bool
atomics_commute(const Plan *x, const Access *path, const Access *b, bool rest)
{
	static const char *const sorts[] = { "min", "max", "and", "or", "xor" };
	const Module *m = x->fn->m;
	const Stmt *p = fn_stmt(x->fn, path->stmt), *q = fn_stmt(x->fn, b->stmt);
	if (!access_is_atomic(x, path) || !access_is_atomic(x, b) || !path->writes || !b->writes)
		return false;
	if (ptx_has(m, p, "add") && ptx_has(m, q, "add"))
		return !rest || (!fn_is_read(x->fn, b->stmt) &&
			(!fn_is_read(x->fn, path->stmt) || address_is_uniform(x->fn, path->stmt)));
	for (size_t i = 0; i < sizeof sorts / sizeof *sorts; i++)
		if (ptx_has(m, p, sorts[i]) && ptx_has(m, q, sorts[i]))
			return !fn_is_read(x->fn, path->stmt) && !fn_is_read(x->fn, b->stmt);
	return false;
}

/* Whether the access goes to memory that the iteration has allocated itself. */
static bool
base_is_fresh(const Plan *x, const Underlying_objects *b)
{
	bool all = b->n && !b->merged;
	for (uint32_t i = 0; i < b->n && all; i++) {
		uint32_t call = object_malloc_call(b->of[i]);
		all = call && loop_contains(x->fn->loops, x->site->loop,
			cfg_block_of(x->fn->cfg, call));
	}
	return all;
}

/* Whether the relative order of two accesses is lost and matters. rest: b follows the path in the
 * same iteration. */
static bool
order_may_change(const Plan *x, const Access *path, const Access *b, bool rest)
{
	if (path->fence || path->frees ||
		(!rest && base_is_fresh(x, &path->base) && base_is_fresh(x, &b->base)))
		return false;
	if (b->frees)
		return freed_may_alias(&b->base, &path->base);
	bool lost = (path->writes && rest) || (path->reads && b->writes);
	return lost && objects_may_alias(&path->base, &b->base) &&
		!atomics_commute(x, path, b, rest);
}

static void
warn_freed(Plan *x, const Access *b, bool rest)
{
	*vec_push(&x->hints) = verdict_note(
		verdict(x->arena, D_HAZARD, fn_stmt(x->fn, b->stmt)->at.pos,
			"the path uses memory, and %s, which no longer waits for the path, frees memory",
			rest ? "the rest of the iteration" : "the next iteration"),
		x->arena, DIAG_NOWHERE,
		"free it in the path and where the path is not taken, or after the loop; "
		"if it is never what the path uses, say 'independent'");
}

static void
warn_order(Plan *x, const Access *path, const Access *b, bool rest)
{
	bool before = path->writes && rest; /* else the path reads what the other writes */
	*vec_push(&x->hints) = verdict_note(
		verdict(x->arena, D_HAZARD, fn_stmt(x->fn, b->stmt)->at.pos,
			"the path %s memory, and %s, which no longer waits for the path, %s memory",
			before ? "writes" : "reads",
			rest ? "the rest of the iteration" : "the next iteration",
			before && b->reads ? "reads" : "writes"),
		x->arena, DIAG_NOWHERE, "if the two do not share any%s, say 'independent'",
		access_is_atomic(x, path) && access_is_atomic(x, b) ? ", or either order will do" : "");
}

static void
warn_pair(Plan *x, const Access *path, const Access *b, bool rest)
{
	if (b->frees)
		warn_freed(x, b, rest);
	else
		warn_order(x, path, b, rest);
}

/* Accesses of the site's blocks, computed on demand. */
typedef struct { Accesses *of; Bits known; } Access_cache;

static const Accesses *
cached_accesses(const Plan *x, Access_cache *all, uint32_t b)
{
	if (!bits_has(all->known, b)) {
		all->of[b] = (Accesses){ 0 };
		accesses_collect(x, b, &all->of[b]);
	}
	bits_set(all->known, b);
	return &all->of[b];
}

/* Whether the block is in the iteration, excluding its beginning. The path and the code after it
 * are separated by a block with the path's end marker, which is in neither. */
static bool
block_is_in_iteration(const Plan *x, uint32_t b)
{
	return b != plan_header(x) && !region_iteration(x->fn, x->site, b);
}

/* Returns the blocks that follow the region's path in the same iteration. */
static Bits
blocks_after_path(const Plan *x, const Task_region *k)
{
	const Cfg *g = x->fn->cfg;
	Bits rest = bits_new(x->scratch, g->nblocks), within = bits_new(x->scratch, g->nblocks);

	BITS_EACH(b, x->site->blocks)
		if (!task_region_has(k, b) && block_is_in_iteration(x, b))
			bits_set(within, b);
	if (!k->tail_end)
		cfg_flood(g, k->path->next, false, within, rest);
	else
		FN_SUCC(x->fn, k->tail_end, to)
			cfg_flood(g, to, false, within, rest);
	return rest;
}

/* Whether the order between the region's path and block b is checked here. The order with an
 * earlier path is checked from that one. */
static bool
order_is_checked(const Plan *x, const Task_region *k, const Bits *rest, uint32_t b)
{
	const Task_region *other = plan_region_of_block(x, b);

	if (task_region_has(k, b) || bits_has(k->task_blocks, b))
		return false;
	if (bits_has(x->common.blocks, b))
		return true;
	return other && (other > k || !bits_has(rest[other - x->regions], k->path->entry));
}

/* Whether the same warning was given for another case of a switch. */
static bool
was_warned_for_case(const Plan *x, const Task_region *k, const Access *b)
{
	if (!region_switch_of_case(x->fn, k->path))
		return false;
	for (uint32_t i = 0; i < x->hints.n; i++)
		if (x->hints.at[i].kind == D_HAZARD &&
			x->hints.at[i].pos == fn_stmt(x->fn, b->stmt)->at.pos)
			return true;
	return false;
}

/* Warns of the first pair found; there may be more. */
static bool
find_hazard(Plan *x, const Task_region *k, const Accesses *path, const Accesses *others, bool rest)
{
	for (uint32_t i = 0; i < others->n; i++)
		for (uint32_t j = 0; j < path->n; j++)
			if (order_may_change(x, &path->at[j], &others->at[i], rest)) {
				if (was_warned_for_case(x, k, &others->at[i]))
					return true;
				warn_pair(x, &path->at[j], &others->at[i], rest);
				x->hints.at[x->hints.n - 1].at = task_region_marker(x, k)->cuda;
				return true;
			}
	return false;
}

static void
warn_hazard(Plan *x, const Task_region *k, const Bits *rest, Access_cache *all)
{
	Accesses path = {0};
	bool found = false;

	BITS_EACH(b, k->task_blocks) {
		const Accesses *here = cached_accesses(x, all, b);
		for (uint32_t i = 0; i < here->n; i++)
			*vec_push(&path) = here->at[i];
	}
	BITS_EACH(b, x->site->blocks)
		if (!found && order_is_checked(x, k, rest, b))
			found = find_hazard(x, k, &path, cached_accesses(x, all, b),
				bits_has(rest[k - x->regions], b));
	vec_free(&path);
}

/* Compares the rest of the iteration that a task runs with what its owner runs after it. */
Verdict
plan_check_rest_order(const Plan *x, const Task_region *k)
{
	const Cfg *g = x->fn->cfg;
	Bits moved = bits_new(x->scratch, g->nblocks), within = bits_new(x->scratch, g->nblocks);
	Bits stays = bits_new(x->scratch, g->nblocks);
	Accesses first = { 0 }, second = { 0 };
	Verdict v = VERDICT_YES;

	bits_copy(moved, k->task_blocks);
	bits_and_not(moved, k->path->blocks);
	BITS_EACH(b, x->site->blocks)
		if (block_is_in_iteration(x, b))
			bits_set(within, b);
	FN_SUCC(x->fn, k->tail_end, to)
		cfg_flood(g, to, false, within, stays);
	bits_and_not(stays, k->task_blocks);
	BITS_EACH(b, moved)
		accesses_collect(x, b, &first);
	BITS_EACH(b, stays)
		accesses_collect(x, b, &second);
	for (uint32_t i = 0; i < first.n; i++)
		for (uint32_t j = 0; j < second.n && !verdict_is_no(v); j++)
			if (order_may_change(x, &first.at[i], &second.at[j], true))
				v = verdict(x->arena, D_LIVE_OUT,
					fn_stmt(x->fn, first.at[i].stmt)->at.pos,
					"the rest of the iteration uses memory on both sides of where a task would end");
	vec_free(&first);
	vec_free(&second);
	return v;
}

/* ---- loops that promise nothing -------------------------------------------------------------- */

static bool
may_be_seen(const Access *path, const Access *rest)
{
	if (path->fence || rest->fence || path->frees || rest->frees)
		return true;
	return (path->writes || rest->writes) && !accesses_disjoint(path, rest);
}

static Verdict
check_rest_disjoint(const Plan *x, const Task_region *k)
{
	const Bits rest = blocks_after_path(x, k);
	Accesses path = { 0 }, others = { 0 };
	Verdict v = VERDICT_YES;

	BITS_EACH(b, k->task_blocks)
		accesses_collect_proven(x, b, &path);
	BITS_EACH(b, rest)
		if (!bits_has(k->task_blocks, b))
			accesses_collect_proven(x, b, &others);
	for (uint32_t i = 0; i < path.n; i++)
		for (uint32_t j = 0; j < others.n && !verdict_is_no(v); j++)
			if (may_be_seen(&path.at[i], &others.at[j]))
				v = verdict_note(verdict(x->arena, D_HAZARD,
					fn_stmt(x->fn, others.at[j].stmt)->at.pos,
					"the thread uses memory after the path, and the path, which may run later, may use the same memory"),
					x->arena, fn_stmt(x->fn, path.at[i].stmt)->at.pos, "in the path, here");
	vec_free(&path);
	vec_free(&others);
	return v;
}

Verdict
plan_check_rest_disjoint(const Plan *x)
{
	Verdict v = VERDICT_YES;

	for (uint32_t i = 0; i < x->nregions && !verdict_is_no(v); i++)
		v = check_rest_disjoint(x, &x->regions[i]);
	return v;
}

/* ---- look-ahead ------------------------------------------------------------------------------ */

static Verdict
is_read_ahead(const Plan *x, const Access *path, const Access *own)
{
	if (path->fence)
		return access_note_fence(x, path,
			verdict(x->arena, D_HAZARD, fn_stmt(x->fn, path->stmt)->at.pos,
				"a fence or acquire in the path orders the reads of later iterations, and look-ahead runs them earlier"));
	return verdict_note(
		verdict(x->arena, D_HAZARD, fn_stmt(x->fn, own->stmt)->at.pos,
			"the path writes memory, and the test of later iterations, which look-ahead runs earlier, reads memory"),
		x->arena, fn_stmt(x->fn, path->stmt)->at.pos, "written here");
}

static bool
block_has_late_stmt(const Plan *x, uint32_t b)
{
	FN_BLOCK_STMTS(x->fn, b, s)
		if (stmt_is_late(x, s))
			return true;
	return false;
}

Verdict
plan_check_reads_ahead(const Plan *x)
{
	Accesses path = { 0 }, own = { 0 };
	Verdict v = VERDICT_YES;

	BITS_EACH(b, x->fn->loops->loops[x->site->loop].blocks) {
		accesses_collect(x, b, block_is_path_only(x, b) ? &path : &own);
		if (block_has_late_stmt(x, b))
			accesses_collect(x, b, &path);
	}
	for (uint32_t i = 0; i < path.n; i++)
		for (uint32_t j = 0; j < own.n && !verdict_is_no(v); j++)
			if (own.at[j].reads && !stmt_is_late(x, own.at[j].stmt) &&
				(path.at[i].fence ||
					(path.at[i].writes &&
						objects_may_alias(
							&path.at[i].base, &own.at[j].base))))
				v = is_read_ahead(x, &path.at[i], &own.at[j]);
	vec_free(&path);
	vec_free(&own);
	return verdict_is_no(v) ?
		verdict_note(v, x->arena, DIAG_NOWHERE,
			"if no iteration's test reads what the path of an earlier one wrote, say 'independent'; policy 'wait' needs no promise") :
		v;
}

void
plan_warn_hazards(Plan *x)
{
	uint32_t nblocks = x->fn->cfg->nblocks;
	Bits *rest = arena_array(x->arena, x->nregions, sizeof *rest);

	plan_warn_spin_loops(x);
	if (plan_has_proven_clause(x)) /* refused by plan_check_proven(), or of unordered threads */
		return;
	Access_cache all = { xmalloc(nblocks * sizeof *all.of), bits_new(x->arena, nblocks) };
	for (uint32_t i = 0; i < x->nregions; i++)
		rest[i] = blocks_after_path(x, &x->regions[i]);
	for (uint32_t i = 0; i < x->nregions; i++)
		if (!x->regions[i].independent)
			warn_hazard(x, &x->regions[i], rest, &all);
	BITS_EACH(b, all.known)
		vec_free(&all.of[b]);
	xfree(all.of);
}
