/* SPDX-License-Identifier: MIT */
/* Finds where a program's lanes diverge, what that costs, and what to do: advice.h.
 * docs/emulator.md explains the columns.
 *
 * A site is an arm of a branch, or a loop that lanes leave at different times. Its cost is the
 * issue slots of its blocks. Its loss is the share of these that belongs to lanes which are active
 * in front of the site but inactive in it, because they took the other edge or have left the loop;
 * minus what full warps lose by diverging inside (full_warp_estimate.c). Nested sites share a loss,
 * and it is not counted twice.
 *
 * The gain follows from the loss and from the cost of collecting, about ROUND slots each time a
 * warp reaches the site, as in transform/cost/cost_collect.c. For a loop whose trip count is known
 * at its entry, expansion adds WINDOW slots for 32 iterations, or LAP if a row has more, which the
 * warp then executes as a lane loop; trip counts are assumed to be exponentially distributed.
 * Otherwise each iteration is a task: 32 of them cost ROUND plus WORD for each loop-carried
 * register, and a share TAIL of the slots remains, because the longest lanes finish alone.
 *
 * The number of global memory sectors does not change: each costs SECTOR slots, MISSED more on an
 * L1 miss (cache_model.c), an atomic UPDATE, and one with a used result EXCHANGE; atomics to the
 * same line are serialized. A launch takes at least as long as its critical lane (critical_lane.c):
 * expansion divides that by 32, but its loads no longer overlap as in an unrolled loop; iterations
 * as tasks prolong it; collecting a path does not change it. The time is the root of the sum of the
 * four squares, as there. A gain that is too small (base/advice.h) is reported as none. Latency is
 * not modelled: a kernel that waits for memory gains less, so sites with many sectors per
 * instruction are reported as such.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "analysis/analyse.h"
#include "analysis/region/branch_arm.h"
#include "analysis/cost/static_cost.h"
#include "analysis/loops/trip_count.h"
#include "base/advice.h"
#include "base/demangle.h"
#include "simt/report/advice.h"
#include "simt/report/critical_lane.h"
#include "simt/report/full_warp_estimate.h"

enum {
	ROUND = 20,             /* slots of a round's votes, pushes and pops */
	WINDOW = 30, LAP = 5,
	SMALL = 200,            /* smaller sites are omitted, in slots of 10000 of the module */
	TOLD = 20               /* maximum number of rows of a module's table */
};
static const double SECTORS = 1.5, SECTOR = 1.3, MISSED = 5.7, UPDATE = 11, EXCHANGE = 22,
		    WORD = 1.5, TAIL = 1.0 / 8;

typedef struct {
	Advice_kind kind;
	const Fn *fn;
	uint32_t block;         /* with the branch; or the loop's header */
	uint32_t loop;          /* the loop itself, or the one around an arm; 0: none */
	Bits blocks;            /* of the arm or the loop */
	double slots;           /* issue slots of its blocks */
	uint64_t visits;        /* times that a warp reached it */
	uint64_t branches, divergent;
	uint64_t sectors;
	double active_before, active; /* mean number of active lanes before it and in it */
	double lost, expanded;  /* slots lost, and slots that expansion adds */
	/* if a loop's trip count is unknown at its entry: relative slowdown of its critical lane;
	 * otherwise 0 */
	double slowdown;
	double remaining_loss;  /* lost slots that are not recovered, because lanes diverge again */
	Diag_place at;          /* in the CUDA source; file NULL: unknown */
	uint32_t line;          /* in the PTX */
} Advice_site;

typedef struct {
	const Sim *s;
	const Fn *fn;
	Arena *arena, *tables;  /* tables: lifetime of the functions' analyses */
	VEC(const Fn *) fns;
	double all;             /* slots of the module */
	double memory;          /* cost of its memory accesses */
	double last;            /* cost of the critical lanes of its functions */
	double line;            /* cost of atomic operations that collide in a line */
	VEC(Advice_site) sites;
} Advice_builder;

/* ---- counts ---------------------------------------------------------------------------------- */

static Sim_counts
blocks_slots(const Advice_builder *w, Bits blocks)
{
	Sim_counts all = { 0 };

	BITS_EACH(b, blocks) {
		Sim_counts c = block_is_profiled(w->s, w->fn, b);
		sim_counts_add(&all, &c);
	}
	return all;
}

static double
active_lanes(const Advice_builder *w, uint32_t block, uint64_t *visits)
{
	return block_lane_count(w->s, w->fn, block, visits);
}

/* The cost of a sector of a statement's accesses. */
static double
sector_cost(const Fn *fn, uint32_t stmt)
{
	if (!(ptx_flags(fn->m, fn_stmt(fn, stmt)) & OPF_ATOMIC))
		return SECTOR;
	return fn_is_read(fn, stmt) ? EXCHANGE : UPDATE;
}

/* The cost of the function's memory accesses. */
static double
memory_cost(const Advice_builder *w)
{
	double sum = 0;

	FN_STMTS(w->fn, i)
		sum += (double)w->s->stats.so_far[i].global_sectors * sector_cost(w->fn, i) +
			(double)w->s->stats.near[i].missed * MISSED;
	return sum;
}

/* The cost of its atomic operations, as in transform/cost/cost_model.c: the L2 cache serializes
 * those to the same line, during which all schedulers could issue. */
static double
line_contention_cost(const Advice_builder *w)
{
	double sum = 0;

	FN_STMTS(w->fn, i) {
		const Cache_counts *n = &w->s->stats.near[i];
		if (n->compared)
			sum += (double)n->atomics * (double)n->same / (double)n->compared;
	}
	return COST_SAME_LINE * COST_SCHEDULERS * sum;
}

/* ---- sites ----------------------------------------------------------------------------------- */

static void
find_source_place(Advice_site *x)
{
	const Module *m = x->fn->m;
	uint32_t col, stmt = x->kind == ADVICE_LOOP ? fn_loop_stmt(x->fn, x->loop) :
						      cfg_terminator(x->fn->cfg, x->block);

	source_position(m->src, m->stmts[stmt].at.pos, &x->line, &col);
	if (!ptx_cuda_pos(m, stmt, &x->at.at))
		x->at = (Diag_place){ 0 };
	else if (!ptx_cuda_caller(m, stmt, &x->at.caller))
		x->at.caller = (Cuda_pos){ 0 };
}

/* Whether the site belongs in the table: it does if it loses something; a uniform branch in a loop
 * also does, to say that annotating it is useless. */
static bool
site_is_listed(const Advice_builder *w, const Advice_site *x)
{
	double share = x->slots / w->all, lost = x->lost / w->all;

	return x->kind == ADVICE_UNIFORM ? x->loop && share >= 0.1 : lost >= 0.02;
}

/* The number of loop-carried registers. */
static uint32_t
loop_carried_registers(const Advice_builder *w, uint32_t loop)
{
	const Fn *fn = w->fn;
	const Loop *l = &fn->loops->loops[loop];
	Bits seen = bits_new(w->arena, fn->live->nsyms);

	BITS_EACH(b, l->blocks)
		FN_BLOCK_STMTS(fn, b, i)
			FN_DEFS_OF_STMT(fn, i, d) {
				uint32_t reg = ptx_local_sym(fn->f, fn_def(fn, d)->sym);
				if (bits_has(fn->live->in[l->header], reg))
					bits_set(seen, reg);
			}
	return bits_count(seen);
}

/* Computes the cost of spreading a loop's iterations over the lanes; `entered` is the number of
 * iterations by warps. In a lane loop, all lanes execute the same row and diverge no more than
 * before. */
static void
set_expansion_cost(const Advice_builder *w, Advice_site *x, uint64_t entered)
{
	double trips = x->active * (double)entered, rows = x->active_before * (double)x->visits,
	       is_long = pow(trips > rows ? 1 - rows / trips : 0, LANES);

	if (!trip_count_is_known(trip_count_analyse(w->fn, x->loop, w->arena))) {
		double added = ROUND + WORD * loop_carried_registers(w, x->loop);
		x->expanded = trips / LANES * added + TAIL * x->slots;
		x->slowdown = added * (double)entered / x->slots;
		return;
	}
	x->expanded = trips / LANES * (is_long * LAP + (1 - is_long) * WINDOW);
	x->remaining_loss *= 1 - is_long;
}

static void
add_site(Advice_builder *w, Advice_site x, Bits blocks, uint32_t first)
{
	uint64_t entered;
	Sim_counts c = blocks_slots(w, blocks);

	x.fn = w->fn;
	BITS_EACH(b, blocks)
		x.slots += block_issue_count(w->s, w->fn, b);
	x.sectors = c.global_sectors;
	x.active = active_lanes(w, first, &entered);
	if (!entered || x.active_before <= 0 || x.slots * 10000 < SMALL * w->all)
		return;
	x.lost = x.active < x.active_before ? x.slots * (1 - x.active / x.active_before) : 0;
	if (x.lost > 0)
		x.remaining_loss = x.lost - x.slots + full_warp_slots(
			&(Warp_code){ w->s, w->fn, blocks, first, x.active_before });
	if (x.kind == ADVICE_LOOP)
		set_expansion_cost(w, &x, entered);
	find_source_place(&x);
	if (!site_is_listed(w, &x))
		return;
	x.blocks = bits_new(w->arena, w->fn->cfg->nblocks);
	bits_copy(x.blocks, blocks);
	*vec_push(&w->sites) = x;
}

static void
consider_branch(Advice_builder *w, uint32_t block)
{
	const Fn *fn = w->fn;
	uint32_t last = cfg_terminator(fn->cfg, block), loop = fn->loops->loop_of[block];
	const Sim_counts *c = &w->s->stats.so_far[last];
	Advice_site x = { .block = block,
		.loop = loop,
		.branches = c->branches,
		.divergent = c->divergent };

	x.active_before = active_lanes(w, block, &x.visits);
	x.kind = c->divergent ? ADVICE_BRANCH : ADVICE_UNIFORM;
	FN_SUCC(fn, block, s)
		if (s && fn->cfg->blocks[s].npred == 1 && s != fn->dom->ipdom[block])
			add_site(w, x, arm_blocks(w->fn, s, fn->dom->ipdom[block], w->arena), s);
}

/* A loop that lanes leave at different times is a site; they enter it from its header's
 * dominator. */
static void
consider_loop(Advice_builder *w, uint32_t loop)
{
	const Fn *fn = w->fn;
	const Loop *l = &fn->loops->loops[loop];
	Advice_site x = { .kind = ADVICE_LOOP, .block = l->header, .loop = loop };

	x.active_before = active_lanes(w, fn->dom->idom[l->header], &x.visits);
	BITS_EACH(b, l->blocks) {
		uint32_t last = cfg_terminator(fn->cfg, b);
		if (fn->loops->loop_of[b] != loop || !last || !branch_exits_or_repeats_loop(fn, b))
			continue;
		x.branches += w->s->stats.so_far[last].branches;
		x.divergent += w->s->stats.so_far[last].divergent;
	}
	if (x.divergent)
		add_site(w, x, l->blocks, l->header);
}

static void
analyse_function(Advice_builder *w)
{
	const Fn *fn = w->fn;

	FN_BLOCKS(fn, b) {
		uint32_t last = cfg_terminator(fn->cfg, b);
		if (fn->cfg->blocks[b].nsucc == 2 && last && w->s->stats.so_far[last].branches &&
			!branch_exits_or_repeats_loop(fn, b))
			consider_branch(w, b);
	}
	for (uint32_t i = 1; i < fn->loops->nloops; i++)
		consider_loop(w, i);
}

/* ---- output ---------------------------------------------------------------------------------- */

/* Whether two sites are at one place, such as an unrolled loop and its remainder loop. They share a
 * row. */
static bool
same_place(const Advice_site *a, const Advice_site *b)
{
	return a->fn == b->fn && a->at.at.file && b->at.at.file &&
		strcmp(a->at.at.file, b->at.at.file) == 0 && a->at.at.line == b->at.at.line &&
		a->at.caller.line == b->at.caller.line;
}

/* Whether it is only the guard of a loop that has its own row. */
static bool
guards_loop(const Advice_builder *w, const Advice_site *x)
{
	for (uint32_t i = 0; x->kind != ADVICE_LOOP && i < w->sites.n; i++)
		if (w->sites.at[i].kind == ADVICE_LOOP && same_place(&w->sites.at[i], x))
			return true;
	return false;
}

static void
merge_sites(Advice_builder *w)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < w->sites.n; i++)
		if (!guards_loop(w, &w->sites.at[i]))
			w->sites.at[n++] = w->sites.at[i];
	w->sites.n = n;
	n = 0;

	for (uint32_t i = 0; i < w->sites.n; i++) {
		const Advice_site *x = &w->sites.at[i];
		uint32_t k = 0;
		while (k < n && (w->sites.at[k].kind != x->kind ||
			!same_place(&w->sites.at[k], x)))
			k++;
		if (k == n) {
			w->sites.at[n++] = *x;
			continue;
		}
		Advice_site *to = &w->sites.at[k];
		if (x->lost > to->lost) {
			to->active = x->active;
			to->active_before = x->active_before;
		}
		if (!bits_has(to->blocks, x->block)) {
			to->slots += x->slots;
			to->sectors += x->sectors;
			to->remaining_loss += x->remaining_loss;
			bits_or(to->blocks, x->blocks);
		} else { /* it is contained in the other one, and is where lanes diverge again */
			to->remaining_loss = x->remaining_loss;
		}
		to->visits = x->visits > to->visits ? x->visits : to->visits;
		to->branches += x->branches;
		to->divergent += x->divergent;
		to->lost += x->lost;
		to->expanded += x->expanded;
	}
	w->sites.n = n;
}

/* Whether a loop is the site's, or another part of it such as its remainder loop. */
static bool
loop_is_of_site(const Advice_site *x, uint32_t loop)
{
	const Loop *l = x->fn->loops->loops;

	return x->kind == ADVICE_LOOP && l[loop].parent == l[x->loop].parent &&
		bits_has(x->blocks, l[loop].header);
}

/* The time of the longest critical lane of a function's loops. With site x (NULL: none), its rows
 * are spread over a warp's lanes, or take longer if each iteration is a task. */
static double
critical_lane_cost(const Advice_builder *w, const Fn *fn, const Advice_site *x)
{
	double most = 0;

	for (uint32_t i = 1; i < fn->loops->nloops; i++) {
		double last = critical_lane_slots(w->s, fn, i);
		if (x && loop_is_of_site(x, i))
			last *= x->slowdown > 0 ? 1 + x->slowdown : (double)COST_UNROLLED / LANES;
		most = last > most ? last : most;
	}
	return most;
}

static double
execution_time(const Advice_builder *w, double slots, double last)
{
	return sqrt(slots * slots + w->memory * w->memory + w->line * w->line + last * last);
}

/* The expected speedup of the module. */
static double
speedup_without(const Advice_builder *w, const Advice_site *x)
{
	double less = x->lost - x->remaining_loss - x->expanded - ROUND * (double)x->visits,
	       last = w->last - critical_lane_cost(w, x->fn, NULL) +
		critical_lane_cost(w, x->fn, x),
	       ratio = execution_time(w, w->all, w->last) / execution_time(w, w->all - less, last);

	return x->kind == ADVICE_UNIFORM || less <= 0 || ratio < 1 ? 1 : ratio;
}

static int
by_lost(const void *a, const void *b)
{
	const Advice_site *x = a, *y = b;

	return x->lost != y->lost ? (x->lost < y->lost) - (x->lost > y->lost) :
				    (x->slots < y->slots) - (x->slots > y->slots);
}

static const char *
describe_cause(const Advice_site *x, Arena *a)
{
	Buf b = { 0 };

	if (x->kind == ADVICE_LOOP)
		buf_printf(&b, "lanes leave it at different times: %.1f of %.1f that come are on",
			x->active, x->active_before);
	else
		buf_printf(&b, "%.1f of %.1f lanes take it", x->active, x->active_before);
	const char *text = arena_strndup(a, b.at, b.n);
	buf_free(&b);
	return text;
}

static const char *
describe_caveat(const Advice_site *x, Arena *a)
{
	Buf b = { 0 };

	if ((double)x->sectors <= SECTORS * x->slots)
		return NULL;
	buf_printf(&b,
		"it reads and writes %.1f sectors of memory an instruction; if it waits for memory, it gains less",
		(double)x->sectors / x->slots);
	const char *text = arena_strndup(a, b.at, b.n);
	buf_free(&b);
	return text;
}

static void
write_site(const Advice_builder *w, const Advice_site *x, Buf *out)
{
	const Fn *fn = x->fn;
	size_t len;
	const char *name = ptx_name(fn->m, fn->f->sym, &len);
	Advice a = { .kind = x->kind,
		.share = x->slots / w->all,
		.lanes = x->active / 32,
		.efficiency = x->branches ?
			(double)(x->branches - x->divergent) / (double)x->branches : 1,
		.gain = speedup_without(w, x),
		.at = x->at,
		.function = demangle(w->arena, name, len),
		.why = describe_cause(x, w->arena),
		.but = describe_caveat(x, w->arena),
		.pragma = x->kind == ADVICE_LOOP ? "for var" : "if" };

	a.grid = x->kind == ADVICE_LOOP ? !fn->loops->loops[x->loop].parent : !x->loop;
	if (!a.at.at.file)
		a.at.at = (Cuda_pos){ fn->m->src->name, x->line, 0 };
	advice_write(&a, out);
}

/* Adds the functions that were executed, and their slots. */
static void
add_functions(Advice_builder *w)
{
	const Module *m = w->s->m;
	const Effects *effects = effects_build(m, w->arena);

	for (uint32_t f = 1; w->s->stats.so_far && f < m->nfuncs; f++) {
		bool ran = false;
		PTX_STMTS(&m->funcs[f], i)
			ran |= w->s->stats.so_far[i].warp_insts != 0;
		if (!ran || !m->funcs[f].body)
			continue;
		const Fn *fn = fn_build(m, f, effects, w->tables);
		FN_BLOCKS(fn, b)
			w->all += block_issue_count(w->s, fn, b);
		*vec_push(&w->fns) = fn;
	}
}

void
sim_advice(const Sim *s, Buf *out)
{
	Advice_builder w = { .s = s, .arena = arena_new(), .tables = arena_new() };

	add_functions(&w);
	for (uint32_t i = 0; i < w.fns.n; i++) {
		w.fn = w.fns.at[i];
		w.memory += memory_cost(&w);
		w.last += critical_lane_cost(&w, w.fn, NULL);
		w.line += line_contention_cost(&w);
		analyse_function(&w);
	}
	merge_sites(&w);
	if (w.sites.n) {
		qsort(w.sites.at, w.sites.n, sizeof *w.sites.at, by_lost);
		advice_write_head(out);
	} else if (w.fns.n) {
		advice_write_none(out);
	}
	for (uint32_t i = 0; i < w.sites.n && i < TOLD; i++)
		write_site(&w, &w.sites.at[i], out);
	vec_free(&w.sites);
	vec_free(&w.fns);
	arena_free(w.tables);
	arena_free(w.arena);
}
