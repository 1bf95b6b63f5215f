/* SPDX-License-Identifier: MIT */
/* Iterations of the whole thread block (`#pragma ccc assign policy(block)`; Kato, Suda, Tamada:
 * dynamic work assignment, with the counter of the block in shared memory).
 *
 * Number k is iteration k / B of thread k mod B, in a block of B threads. Each thread counts its
 * iterations by executing the advance as often as the loop would; its registers then hold the
 * loop's live-outs. It leaves the count and its values at the header in shared memory. Lanes draw
 * numbers from an atomic counter, and add k / B times the increment to the induction variables of
 * the owner. So there is no order between draws, and no lock.
 *
 * All threads of the block meet before the first draw and after the last iteration, at emitted
 * barriers. So all of them must reach the loop, equally often (docs/proofs/wait.md, W20 to W23). */
#include "transform/legality/legality.h"
#include "transform/plan/describe_value.h"
#include "transform/task/slice.h"
#include "transform/task/shared_layout.h"
#include "transform/wait/wait.h"

enum { MOST_COUNTS = 32, COUNTER_BYTES = 32 };

/* ---- whether all threads meet ---------------------------------------------------------------- */

static Verdict
note_by_warp(const Plan *x, Verdict v)
{
	return verdict_note(v, x->arena, DIAG_NOWHERE,
		"without policy 'block', iterations are assigned within each warp, which does not need this");
}

static Verdict
check_arrival(const Plan *x)
{
	const Fn *fn = x->fn;
	uint32_t stmt = plan_marker(x)->stmt, at = fn_block(fn, stmt);
	Bits all = bits_new(x->scratch, fn->cfg->nblocks),
	     before = bits_new(x->scratch, fn->cfg->nblocks),
	     none = bits_new(x->scratch, fn->cfg->nblocks);
	Verdict v;

	if (!fn->f->entry)
		return note_by_warp(x,
			verdict(x->arena, D_CALL, fn_stmt(fn, stmt)->at.pos,
				"it is in a function that is called, and all threads of the block must reach it"));
	if (!plan_threads_arrive_together(x, at))
		return note_by_warp(x,
			verdict_note(verdict(x->arena, D_CONTROL, fn_stmt(fn, stmt)->at.pos,
					     "only some threads of the block may reach it, or not equally often"),
				x->arena, DIAG_NOWHERE,
				"all must, also those without an iteration: no 'return' and no divergent branch before it"));
	bits_fill(all, 1, fn->cfg->nblocks);
	cfg_flood(fn->cfg, at, true, all, before);
	if (verdict_is_no(v = plan_check_block_barriers(x, before, none)))
		return note_by_warp(x, v);
	bits_or(before, x->site->blocks);
	return plan_polls_nothing(x, before);
}

/* ---- values of a later iteration ------------------------------------------------------------- */

static Verdict
refuse_counter(const Plan *x, uint32_t def, const char *why)
{
	const Def *d = fn_def(x->fn, def);

	return note_by_warp(x,
		verdict(x->arena, D_CARRIED, fn_stmt(x->fn, d->stmt)->at.pos, "%s %s",
			describe_value(x, d->sym, d->stmt), why));
}

/* Makes the values that the statement reads live-ins of the iteration. */
static void
add_operands(const Plan *x, uint32_t stmt, Bits in)
{
	FN_USES_OF_STMT(x->fn, stmt, u)
		FN_REACH(x->fn, u, d) {
			uint32_t s = fn_def(x->fn, d)->stmt;
			if (!s || !loop_contains(x->fn->loops, x->site->loop, fn_block(x->fn, s)))
				bits_set(in, fn_local(x->fn, fn_use(x->fn, u)->sym));
		}
}

/* Lanes that draw compute the increments, with the values of the owner. */
static void
add_increments(const Plan *x, const Iteration_pool *p, Bits in, Bits defined)
{
	for (uint32_t i = 0; i < p->nrecomputed; i++) {
		add_operands(x, p->recomputed[i], in);
		FN_DEFS_OF_STMT(x->fn, p->recomputed[i], d)
			bits_set(defined, fn_local(x->fn, fn_def(x->fn, d)->sym));
	}
	for (uint32_t i = 0; i < p->ncounts; i++) {
		const Opnd *o = &x->fn->m->opnds[p->counts[i].by];
		if (o->kind == OPND_SYM && !bits_has(defined, fn_local(x->fn, o->sym)))
			bits_set(in, fn_local(x->fn, o->sym));
	}
}

/* Finds the induction variables: all registers that the loop carries to the next iteration. */
static Verdict
find_counts(Plan *x, Iteration_pool *p)
{
	const Fn *fn = x->fn;
	Lookahead_plan all = { .counts = arena_array(x->arena, MOST_COUNTS, sizeof *all.counts),
		.recomputed = arena_array(x->arena, SLICE_MAX, sizeof *all.recomputed),
		.path_only = bits_new(x->scratch, fn->cfg->nblocks),
		.late = bits_new(x->scratch, fn->f->nstmt) };
	Verdict v = VERDICT_YES;

	x->lookahead = &all; /* without paths: each iteration executes all its statements */
	BITS_EACH(i, fn->live->in[plan_header(x)]) {
		uint32_t sym = fn_sym(fn, i);
		FN_DEFS_OF_SYM(fn, sym, d) {
			uint32_t s = fn_def(fn, d)->stmt;
			if (verdict_is_no(v) || !s ||
				!loop_contains(fn->loops, x->site->loop, fn_block(fn, s)))
				continue;
			if (!plan_find_loop_counter(x, sym))
				v = refuse_counter(x, d,
					"is carried from one iteration to the next, and does not grow by the same amount each time");
		}
	}
	x->lookahead = NULL;
	p->counts = all.counts, p->ncounts = all.ncounts;
	p->recomputed = all.recomputed, p->nrecomputed = all.nrecomputed;
	return v;
}

/* ---- shared memory --------------------------------------------------------------------------- */

/* Lays out a warp's part: the values of its owners, the number of iterations of each, and, used in
 * the part of the first warp only, the counters. */
Verdict
plan_block_memory(Plan *x, Iteration_pool *p, const Shared_budget *budget)
{
	Frame *f = &x->tasks.frame;

	p->region->slots = WARP;
	frame_layout_rows(f, p->region);
	p->trips_row = frame_allocate(f, WARP * 4);
	p->counter_row = frame_allocate(f, COUNTER_BYTES);
	frame_max_threads(x, f);
	if (budget->dynamic && !x->clauses.max_threads)
		return verdict_note(
			verdict(x->arena, D_SHARED, DIAG_NOWHERE,
				"the kernel has dynamic shared memory too, and how much a launch asks for is not known"),
			x->arena, DIAG_NOWHERE,
			"say 'threads(N)' if there is room for %u bytes for each 32 threads beside it, or give its size: --dynamic-shared=BYTES "
			"(cccnvcc: --ccc-dynamic-shared)",
			f->warp_bytes);
	if (f->warp_bytes > budget->shared)
		return verdict(x->arena, D_SHARED, DIAG_NOWHERE,
			"the iterations of a warp need %u bytes of shared memory, and %u are left",
			f->warp_bytes, budget->shared);
	return VERDICT_YES;
}

Verdict
plan_block_counts(Plan *x, Iteration_pool *p, Bits in, Bits defined)
{
	Verdict v;

	p->of_block = true;
	if (verdict_is_no(v = check_arrival(x)) || verdict_is_no(v = find_counts(x, p)))
		return v;
	add_increments(x, p, in, defined);
	return VERDICT_YES;
}
