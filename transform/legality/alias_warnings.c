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
is_common(const Fn *fn, uint32_t stmt)
{
	FN_READS(fn, stmt, r) {
		uint32_t u = defuse_use(fn, stmt, r->sym);
		if (r->opnd && fn->m->opnds[r->opnd - 1].kind == OPND_ADDR && u &&
			bits_has(fn->uniform->use, u))
			return false;
	}
	return true;
}

/* Whether two atomic operations may execute in either order. rest: see order_lost(). */
static bool
commute(const Plan *x, const Access *path, const Access *b, bool rest)
{
	static const char *const sorts[] = { "min", "max", "and", "or", "xor" };
	const Module *m = x->fn->m;
	const Stmt *p = fn_stmt(x->fn, path->stmt), *q = fn_stmt(x->fn, b->stmt);
	if (!access_is_atomic(x, path) || !access_is_atomic(x, b) || !path->writes || !b->writes)
		return false;
	if (ptx_has(m, p, "add") && ptx_has(m, q, "add"))
		return !rest || (!fn_is_read(x->fn, b->stmt) &&
			(!fn_is_read(x->fn, path->stmt) || is_common(x->fn, path->stmt)));
	for (size_t i = 0; i < sizeof sorts / sizeof *sorts; i++)
		if (ptx_has(m, p, sorts[i]) && ptx_has(m, q, sorts[i]))
			return !fn_is_read(x->fn, path->stmt) && !fn_is_read(x->fn, b->stmt);
	return false;
}

/* Whether the access goes to memory that the iteration has allocated itself. */
static bool
fresh(const Plan *x, const Base *b)
{
	bool all = b->n && !b->merged;
	for (uint32_t i = 0; i < b->n && all; i++) {
		uint32_t call = base_malloc(b->of[i]);
		all = call && loop_contains(x->fn->loops, x->site->loop,
			cfg_block_of(x->fn->cfg, call));
	}
	return all;
}

/* Whether the relative order of two accesses is lost and matters. rest: b follows the path in the
 * same iteration. */
static bool
order_lost(const Plan *x, const Access *path, const Access *b, bool rest)
{
	if (path->fence || path->frees || (!rest && fresh(x, &path->base) && fresh(x, &b->base)))
		return false;
	if (b->frees)
		return base_freed_meets(&b->base, &path->base);
	bool lost = (path->writes && rest) || (path->reads && b->writes);
	return lost && base_meets(&path->base, &b->base) && !commute(x, path, b, rest);
}

static void
tell_freed(Plan *x, const Access *b, bool rest)
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
tell_order(Plan *x, const Access *path, const Access *b, bool rest)
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
tell(Plan *x, const Access *path, const Access *b, bool rest)
{
	if (b->frees)
		tell_freed(x, b, rest);
	else
		tell_order(x, path, b, rest);
}

/* Accesses of the site's blocks, computed on demand. */
typedef struct { Accesses *of; Bits known; } Known;

static const Accesses *
accesses_of(const Plan *x, Known *all, uint32_t b)
{
	if (!bits_has(all->known, b)) {
		all->of[b] = (Accesses){ 0 };
		accesses_find(x, b, &all->of[b]);
	}
	bits_set(all->known, b);
	return &all->of[b];
}

/* Whether the block is in the iteration, excluding its beginning. The path and the code after it
 * are separated by a block with the path's end marker, which is in neither. */
static bool
in_iteration(const Plan *x, uint32_t b)
{
	return b != plan_header(x) && !region_iteration(x->fn, x->site, b);
}

/* Returns the blocks that follow the region's path in the same iteration. */
static Bits
behind(const Plan *x, const Part *k)
{
	const Cfg *g = x->fn->cfg;
	Bits rest = bits_new(x->scratch, g->nblocks), within = bits_new(x->scratch, g->nblocks);

	BITS_EACH(b, x->site->blocks)
		if (!part_has(k, b) && in_iteration(x, b))
			bits_set(within, b);
	if (!k->join)
		cfg_flood(g, k->path->next, false, within, rest);
	else
		FN_SUCC(x->fn, k->join, to)
			cfg_flood(g, to, false, within, rest);
	return rest;
}

/* Whether the order between the region's path and block b is checked here. The order with an
 * earlier path is checked from that one. */
static bool
compared(const Plan *x, const Part *k, const Bits *rest, uint32_t b)
{
	const Part *other = plan_part_of(x, b);

	if (part_has(k, b) || bits_has(k->span, b))
		return false;
	if (bits_has(x->own, b))
		return true;
	return other && (other > k || !bits_has(rest[other - x->parts], k->path->entry));
}

/* Whether the same warning was given for another case of a switch. */
static bool
told_of_case(const Plan *x, const Part *k, const Access *b)
{
	if (!region_switch(x->fn, k->path))
		return false;
	for (uint32_t i = 0; i < x->hints.n; i++)
		if (x->hints.at[i].kind == D_HAZARD &&
			x->hints.at[i].pos == fn_stmt(x->fn, b->stmt)->at.pos)
			return true;
	return false;
}

/* Warns of the first pair found; there may be more. */
static bool
hazard(Plan *x, const Part *k, const Accesses *path, const Accesses *others, bool rest)
{
	for (uint32_t i = 0; i < others->n; i++)
		for (uint32_t j = 0; j < path->n; j++)
			if (order_lost(x, &path->at[j], &others->at[i], rest)) {
				if (told_of_case(x, k, &others->at[i]))
					return true;
				tell(x, &path->at[j], &others->at[i], rest);
				x->hints.at[x->hints.n - 1].at = part_marker(x, k)->cuda;
				return true;
			}
	return false;
}

static void
warn_hazard(Plan *x, const Part *k, const Bits *rest, Known *all)
{
	Accesses path = {0};
	bool found = false;

	BITS_EACH(b, k->span) {
		const Accesses *here = accesses_of(x, all, b);
		for (uint32_t i = 0; i < here->n; i++)
			*vec_push(&path) = here->at[i];
	}
	BITS_EACH(b, x->site->blocks)
		if (!found && compared(x, k, rest, b))
			found = hazard(x, k, &path, accesses_of(x, all, b),
				bits_has(rest[k - x->parts], b));
	vec_free(&path);
}

/* Compares the rest of the iteration that a task runs with what its owner runs after it. */
Verdict
plan_rest_order(const Plan *x, const Part *k)
{
	const Cfg *g = x->fn->cfg;
	Bits moved = bits_new(x->scratch, g->nblocks), within = bits_new(x->scratch, g->nblocks);
	Bits stays = bits_new(x->scratch, g->nblocks);
	Accesses first = { 0 }, second = { 0 };
	Verdict v = VERDICT_YES;

	bits_copy(moved, k->span);
	bits_and_not(moved, k->path->blocks);
	BITS_EACH(b, x->site->blocks)
		if (in_iteration(x, b))
			bits_set(within, b);
	FN_SUCC(x->fn, k->join, to)
		cfg_flood(g, to, false, within, stays);
	bits_and_not(stays, k->span);
	BITS_EACH(b, moved)
		accesses_find(x, b, &first);
	BITS_EACH(b, stays)
		accesses_find(x, b, &second);
	for (uint32_t i = 0; i < first.n; i++)
		for (uint32_t j = 0; j < second.n && !verdict_no(v); j++)
			if (order_lost(x, &first.at[i], &second.at[j], true))
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
	return (path->writes || rest->writes) && !access_apart(path, rest);
}

static Verdict
part_rest_apart(const Plan *x, const Part *k)
{
	const Bits rest = behind(x, k);
	Accesses path = { 0 }, others = { 0 };
	Verdict v = VERDICT_YES;

	BITS_EACH(b, k->span)
		accesses_find_proven(x, b, &path);
	BITS_EACH(b, rest)
		if (!bits_has(k->span, b))
			accesses_find_proven(x, b, &others);
	for (uint32_t i = 0; i < path.n; i++)
		for (uint32_t j = 0; j < others.n && !verdict_no(v); j++)
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
plan_rest_apart(const Plan *x)
{
	Verdict v = VERDICT_YES;

	for (uint32_t i = 0; i < x->nparts && !verdict_no(v); i++)
		v = part_rest_apart(x, &x->parts[i]);
	return v;
}

/* ---- look-ahead ------------------------------------------------------------------------------ */

static Verdict
read_ahead(const Plan *x, const Access *path, const Access *own)
{
	if (path->fence)
		return verdict(x->arena, D_HAZARD, fn_stmt(x->fn, path->stmt)->at.pos,
			"a fence in the path orders the reads of later iterations, and look-ahead runs them earlier");
	return verdict_note(
		verdict(x->arena, D_HAZARD, fn_stmt(x->fn, own->stmt)->at.pos,
			"the path writes memory, and the test of later iterations, which look-ahead runs earlier, reads memory"),
		x->arena, fn_stmt(x->fn, path->stmt)->at.pos, "written here");
}

Verdict
plan_reads_ahead(const Plan *x)
{
	Accesses path = { 0 }, own = { 0 };
	Verdict v = VERDICT_YES;

	BITS_EACH(b, x->fn->loops->loops[x->site->loop].blocks)
		accesses_find(x, b, bound_beyond(x, b) ? &path : &own);
	for (uint32_t i = 0; i < path.n; i++)
		for (uint32_t j = 0; j < own.n && !verdict_no(v); j++)
			if (own.at[j].reads &&
				(path.at[i].fence ||
					(path.at[i].writes &&
						base_meets(&path.at[i].base, &own.at[j].base))))
				v = read_ahead(x, &path.at[i], &own.at[j]);
	vec_free(&path);
	vec_free(&own);
	return verdict_no(v) ?
		verdict_note(v, x->arena, DIAG_NOWHERE,
			"if no iteration's test reads what the path of an earlier one wrote, say 'independent'; policy 'wait' needs no promise") :
		v;
}

void
plan_hints(Plan *x)
{
	uint32_t nblocks = x->fn->cfg->nblocks;
	Known all = { xmalloc(nblocks * sizeof *all.of), bits_new(x->arena, nblocks) };
	Bits *rest = arena_array(x->arena, x->nparts, sizeof *rest);

	plan_spins(x);
	for (uint32_t i = 0; i < x->nparts; i++)
		rest[i] = behind(x, &x->parts[i]);
	for (uint32_t i = 0; i < x->nparts; i++)
		if (!x->parts[i].independent)
			warn_hazard(x, &x->parts[i], rest, &all);
	BITS_EACH(b, all.known)
		vec_free(&all.of[b]);
	xfree(all.of);
}
