/* SPDX-License-Identifier: MIT */
/* What is beyond what ptxccc can know: whether lanes wait for each other, and which memory is
 * whose.
 *
 * The owner of a task goes on without waiting for the path, and fills the iteration after it while
 * the task is still on the stack. So the order is lost between what the path writes and what the
 * rest of its iteration reads or writes, and between what the path reads and what any iteration
 * writes outside of it: memory that each iteration fills for its own path, too. Memory that the
 * path uses may be freed before the path runs. A fence behind the path does not hold for what the
 * path writes. Accesses to different arrays (analysis/base.h), and atomic operations that commute,
 * are let pass; of others there is a warning. (docs/design.md 6.7)
 *
 * Atomic additions of one array commute, unless the rest of the iteration looks at what its own
 * finds: it may find a sum without the path's. What the path's own finds may differ, but only as it
 * may for other threads' additions, which come at any time, too: where `slot = atomicAdd(&n, 1)` in
 * the path is the only one, or nobody looks at the others, each slot is still given out once.
 * atomicAdd(p, 0) and its like are loads. Other atomic operations commute if they are of one sort
 * and nobody looks at what either finds.
 *
 * A loop that lanes leave by a flag in memory, which a lane sets when it leaves, or in the path,
 * would not see it in time: refused.
 */
#include "analysis/base.h"
#include "analysis/slice.h"
#include "transform/plan.h"

/* ---- accesses -------------------------------------------------------------------------------- */

/* A statement that reads, writes or frees memory, or a fence. */
typedef struct { uint32_t stmt; bool reads, writes, frees, fence; Base base; } Access;
typedef VEC(Access) Accesses;

static const Base any = { .space = SPACE_GENERIC };

/* Is it a fence, or has it one in it? */
static bool
fences(const Module *m, const Stmt *s)
{
	Op op = ptx_op(m, s);
	return op == OP_MEMBAR || op == OP_FENCE || ptx_has(m, s, "release") ||
		ptx_has(m, s, "acq_rel") || ptx_has(m, s, "sc");
}

static bool
is_zero(const Module *m, uint32_t opnd)
{
	const Opnd *o = &m->opnds[opnd];
	uint64_t value;
	bool real;
	return o->kind == OPND_IMM && ptx_imm(m, o, &value, &real) && value == 0;
}

static bool
same_value(const Module *m, uint32_t a, uint32_t b)
{
	const Opnd *x = &m->opnds[a], *y = &m->opnds[b];
	if (x->kind == OPND_SYM && y->kind == OPND_SYM)
		return x->sym == y->sym;
	return is_zero(m, a) && is_zero(m, b);
}

/* Does an atomic operation leave in memory what it finds: atomicAdd(p, 0), atomicCAS(p, x, x)? */
static bool
only_loads(const Module *m, const Stmt *s)
{
	if (ptx_op(m, s) != OP_ATOM)
		return false;
	if (ptx_has(m, s, "cas"))
		return same_value(m, ptx_operand(m, s, 2), ptx_operand(m, s, 3));
	return (ptx_has(m, s, "add") || ptx_has(m, s, "or") || ptx_has(m, s, "xor")) &&
		is_zero(m, ptx_operand(m, s, 2));
}

static Access
access_of(const Plan *x, uint32_t s)
{
	const Fn *fn = x->fn;
	const Stmt *st = fn_stmt(fn, s);
	uint32_t eff = effects_stmt(fn->m, fn->effects, s);
	Access a = { .stmt = s, .reads = eff & EFF_READ, .base = any };

	a.writes = eff & EFF_WRITE && !only_loads(fn->m, st);
	if (ptx_op(fn->m, st) != OP_CALL)
		a.base = base_of(fn, s, x->arena);
	return a;
}

/* Of the runtime's own functions, such as vprintf, only those that free memory count. */
static void
find_call(const Plan *x, uint32_t s, Accesses *to)
{
	const Fn *fn = x->fn;
	uint32_t callee = effects_callee(fn->m, s);
	if (effects_frees(fn->m, callee))
		*vec_push(to) = (Access){
			.stmt = s, .frees = true, .base = base_freed(fn, s, x->arena) };
	else if (effects_stmt(fn->m, fn->effects, s) & (EFF_READ | EFF_WRITE) &&
		!effects_is_runtime(fn->m, callee))
		*vec_push(to) = access_of(x, s);
}

static void
find_accesses(const Plan *x, uint32_t b, Accesses *to)
{
	const Fn *fn = x->fn;
	FN_BLOCK_STMTS(fn, b, s) {
		const Stmt *st = fn_stmt(fn, s);
		if (st->kind != STMT_INSN)
			continue;
		if (fences(fn->m, st)) /* for the path's writes, too, one would think */
			*vec_push(to) = (Access){
				.stmt = s, .reads = true, .fence = true, .base = any };
		if (ptx_op(fn->m, st) == OP_CALL)
			find_call(x, s, to);
		else if (effects_stmt(fn->m, fn->effects, s) & (EFF_READ | EFF_WRITE))
			*vec_push(to) = access_of(x, s);
	}
}

static bool
is_atomic(const Plan *x, const Access *a)
{
	return ptx_flags(x->fn->m, fn_stmt(x->fn, a->stmt)) & OPF_ATOMIC;
}

/* ---- loops that are left when memory changes ------------------------------------------------- */

/* Does it look whether memory has changed? Not one that counts: what it finds is its own. */
static bool
looks(const Plan *x, uint32_t stmt)
{
	const Module *m = x->fn->m;
	const Stmt *s = fn_stmt(x->fn, stmt);
	if (!(effects_stmt(m, x->fn->effects, stmt) & EFF_SPIN))
		return false;
	if (ptx_op(m, s) != OP_ATOM ||
		(!ptx_has(m, s, "add") && !ptx_has(m, s, "inc") && !ptx_has(m, s, "dec")))
		return true;
	return is_zero(m, ptx_operand(m, s, 2));
}

/* From what the loop computes. */
static Slice_step
from_loop(void *user, const Slice_edge *e)
{
	const uint32_t *loop = user;
	uint32_t s = fn_def(e->fn, e->def)->stmt;
	bool inside = s && loop_contains(e->fn->loops, *loop, fn_block(e->fn, s));

	return inside ? SLICE_TAKE : SLICE_HAVE;
}

/* Does every round of the loop that goes on write this register anew, for the next? */
static bool
stepped(const Fn *fn, uint32_t loop, uint32_t def)
{
	uint32_t header = fn->loops->loops[loop].header,
		 block = fn_block(fn, fn_def(fn, def)->stmt);

	FN_PRED(fn, header, latch)
		if (loop_contains(fn->loops, loop, latch) &&
			!dom_dominates(fn->dom, block, latch))
			return false;
	return bits_has(fn->live->in[header], fn_local(fn, fn_def(fn, def)->sym));
}

/* Does a register that a statement reads come from one that each round of the loop writes anew? */
static bool
new_each_round(const Fn *fn, uint32_t stmt, uint32_t sym, uint32_t loop)
{
	Stmts from = { 0 };
	bool found = false;

	FN_REACH(fn, defuse_use(fn, stmt, sym), d) {
		uint32_t s = fn_def(fn, d)->stmt;
		if (s && loop_contains(fn->loops, loop, fn_block(fn, s)))
			slice_back(fn, s, from_loop, &loop, &from);
	}
	for (uint32_t i = 0; i < from.n; i++)
		FN_DEFS_OF_STMT(fn, from.at[i], d)
			found |= stepped(fn, loop, d);
	vec_free(&from);
	return found;
}

/* The register of an operand, of an address too; 0: it has none. */
static uint32_t
register_of(const Fn *fn, const Stmt *s, uint32_t k)
{
	const Opnd *o = &fn->m->opnds[ptx_operand(fn->m, s, k)];

	while ((o->kind == OPND_ADDR || o->kind == OPND_SUM) && o->tree > 1)
		o++;
	return o->kind == OPND_SYM && fn_is_reg(fn, o->sym) ? o->sym : 0;
}

/* Does each round look at another place, as a search does, or compare with what the last one found,
 * as an update by compare-and-swap does? Such a loop waits for nobody. */
static bool
moves_on(const Fn *fn, uint32_t stmt, uint32_t loop)
{
	enum { CAS_COMPARE = 2 };
	const Stmt *s = fn_stmt(fn, stmt);
	bool moves = false;

	for (uint32_t k = 0; k < s->nopnd; k++) {
		bool address = fn->m->opnds[ptx_operand(fn->m, s, k)].kind == OPND_ADDR;
		bool compare = k == CAS_COMPARE && ptx_has(fn->m, s, "cas");
		uint32_t sym = address || compare ? register_of(fn, s, k) : 0;
		moves |= sym && new_each_round(fn, stmt, sym, loop);
	}
	return moves;
}

/* Finds the accesses of a loop that look at memory and that what a statement reads comes from. */
static void
find_looks(const Plan *x, uint32_t stmt, uint32_t loop, Accesses *to)
{
	Stmts from = { 0 };

	slice_back(x->fn, stmt, from_loop, &loop, &from);
	for (uint32_t i = 0; i < from.n; i++)
		if (looks(x, from.at[i]))
			*vec_push(to) = access_of(x, from.at[i]);
	vec_free(&from);
}

static bool
leaves(const Plan *x, uint32_t b, uint32_t loop)
{
	FN_SUCC(x->fn, b, to)
		if (!loop_contains(x->fn->loops, loop, to))
			return true;
	return false;
}

/* May the loop that a block leaves be waiting? */
static bool
waits(const Plan *x, uint32_t terminator, uint32_t loop)
{
	Accesses seen = { 0 };
	bool found = false;

	find_looks(x, terminator, loop, &seen);
	for (uint32_t i = 0; i < seen.n; i++)
		found |= !moves_on(x->fn, seen.at[i].stmt, loop);
	vec_free(&seen);
	return found;
}

/* Those inside the annotated loop. */
void
plan_spins(Plan *x)
{
	const Fn *fn = x->fn;
	const Loops *l = fn->loops;

	BITS_EACH(b, x->site->blocks) {
		uint32_t inner = l->loop_of[b], t = cfg_terminator(fn->cfg, b);
		if (!t || !inner || inner == x->site->loop ||
			!loop_contains(l, x->site->loop, l->loops[inner].header) ||
			!leaves(x, b, inner) || !waits(x, t, inner))
			continue;
		*vec_push(&x->hints) = verdict(x->arena, D_SPIN, fn_stmt(fn, t)->at.pos,
			"a loop here polls memory: if it waits for another lane of its warp, "
			"that lane may be waiting for this one");
		return;
	}
}

/* Does one of some looks go to an array that is written on the way out of the loop, or by the path?
 * Both come late: what stands on a way out is run when all lanes have left, a task when the warp
 * has enough of them. */
static bool
written_late(const Plan *x, const Accesses *seen)
{
	Accesses late = {0};
	bool found = false;
	BITS_EACH(b, x->site->blocks)
		if (plan_in_path(x, b) || !loop_contains(x->fn->loops, x->site->loop, b))
			find_accesses(x, b, &late);
	for (uint32_t i = 0; i < late.n; i++)
		for (uint32_t k = 0; k < seen->n; k++)
			found |= late.at[i].writes &&
				base_meets(&late.at[i].base, &seen->at[k].base);
	vec_free(&late);
	return found;
}

Verdict
plan_ends(Plan *x)
{
	const Fn *fn = x->fn;
	Verdict v = VERDICT_YES;

	BITS_EACH(b, x->site->blocks) {
		uint32_t t = cfg_terminator(fn->cfg, b);
		Accesses seen = {0};
		if (verdict_no(v) || !t || !loop_contains(fn->loops, x->site->loop, b) ||
			plan_in_path(x, b) || !leaves(x, b, x->site->loop))
			continue;
		find_looks(x, t, x->site->loop, &seen);
		if (seen.n && written_late(x, &seen))
			v = verdict_note(
				verdict(x->arena, D_SPIN, fn_stmt(fn, t)->at.pos,
					"the loop is left when memory changes, and the path or a lane that leaves the loop may change it"),
				x->arena, DIAG_NOWHERE,
				"both happen later in a collected loop: the other lanes would go on, perhaps for ever");
		vec_free(&seen);
	}
	return v;
}

/* ---- accesses whose order is lost ------------------------------------------------------------ */

/* Does anything read what the statement defines? */
static bool
result_used(const Plan *x, uint32_t stmt)
{
	FN_DEFS_OF_STMT(x->fn, stmt, d)
		if (fn_is_used(x->fn, d))
			return true;
	return false;
}

/* Two atomic operations that may come in either order. rest: as below. */
static bool
commute(const Plan *x, const Access *path, const Access *b, bool rest)
{
	static const char *const sorts[] = { "min", "max", "and", "or", "xor" };
	const Module *m = x->fn->m;
	const Stmt *p = fn_stmt(x->fn, path->stmt), *q = fn_stmt(x->fn, b->stmt);
	if (!is_atomic(x, path) || !is_atomic(x, b) || !path->writes || !b->writes)
		return false;
	if (ptx_has(m, p, "add") && ptx_has(m, q, "add"))
		return !rest || !result_used(x, b->stmt);
	for (size_t i = 0; i < sizeof sorts / sizeof *sorts; i++)
		if (ptx_has(m, p, sorts[i]) && ptx_has(m, q, sorts[i]))
			return !result_used(x, path->stmt) && !result_used(x, b->stmt);
	return false;
}

/* Does it go to memory that the iteration has allocated itself, another in each iteration? */
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

/* rest: b is reached from behind the path in the same iteration. */
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
		"free it in the path and on the ways past it, or behind the loop; "
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
		is_atomic(x, path) && is_atomic(x, b) ? ", or either order will do" : "");
}

static void
tell(Plan *x, const Access *path, const Access *b, bool rest)
{
	if (b->frees)
		tell_freed(x, b, rest);
	else
		tell_order(x, path, b, rest);
}

/* The accesses of the site's blocks. */
typedef struct { Accesses *of; Bits known; } Known;

static const Accesses *
accesses_of(const Plan *x, Known *all, uint32_t b)
{
	if (!bits_has(all->known, b)) {
		all->of[b] = (Accesses){ 0 };
		find_accesses(x, b, &all->of[b]);
	}
	bits_set(all->known, b);
	return &all->of[b];
}

/* The blocks that come behind the part's path in the same iteration. */
static Bits
behind(const Plan *x, const Part *k)
{
	const Cfg *g = x->fn->cfg;
	Bits rest = bits_new(x->scratch, g->nblocks), within = bits_new(x->scratch, g->nblocks);

	BITS_EACH(b, x->site->blocks)
		if (b != plan_header(x) && !part_has(k, b) &&
			!region_iteration(x->fn, x->site, b) &&
			(bits_has(x->own, b) || plan_in_path(x, b)))
			bits_set(within, b);
	if (!k->join)
		cfg_flood(g, k->path->next, false, within, rest);
	else
		FN_SUCC(x->fn, k->join, to)
			cfg_flood(g, to, false, within, rest);
	return rest;
}

/* Is the order between the part's path and block b looked at? That with a path before this one is,
 * from there. */
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

/* Was the same said of another case of a switch? */
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

/* The first pair that is found is told; there may be more. */
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

/* What a task runs of the rest of the iteration, and what its owner runs of it behind that. */
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
		if (b != plan_header(x) && !region_iteration(x->fn, x->site, b) &&
			(bits_has(x->own, b) || plan_in_path(x, b)))
			bits_set(within, b);
	FN_SUCC(x->fn, k->join, to)
		cfg_flood(g, to, false, within, stays);
	bits_and_not(stays, k->span);
	BITS_EACH(b, moved)
		find_accesses(x, b, &first);
	BITS_EACH(b, stays)
		find_accesses(x, b, &second);
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

/* ---- lanes that look ahead ------------------------------------------------------------------- */

static Verdict
read_ahead(const Plan *x, const Access *path, const Access *own)
{
	if (path->fence)
		return verdict(x->arena, D_HAZARD, fn_stmt(x->fn, path->stmt)->at.pos,
			"a fence in the path orders what later iterations read, and they are looked at before");
	return verdict_note(
		verdict(x->arena, D_HAZARD, fn_stmt(x->fn, own->stmt)->at.pos,
			"the path writes memory, and the test of later iterations, which are looked at before, reads memory"),
		x->arena, fn_stmt(x->fn, path->stmt)->at.pos, "written here");
}

Verdict
plan_reads_ahead(const Plan *x)
{
	Accesses path = { 0 }, own = { 0 };
	Verdict v = VERDICT_YES;

	FN_BLOCKS(x->fn, b)
		if (loop_contains(x->fn->loops, x->site->loop, b))
			find_accesses(x, b, bound_beyond(x, b) ? &path : &own);
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
