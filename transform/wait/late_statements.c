/* SPDX-License-Identifier: MIT */
/* Statements that look-ahead iterations omit: `out[i] = y;` after a unified branch (Kato, Suda,
 * Tamada: settlement() of figure 9).
 *
 * If every iteration that reaches the back edge takes a path, every iteration is selected, and
 * later executes whole, on the lane's registers (lookahead_copies.c). So code that only paths
 * lead to may write memory, and read what the paths compute, if look-ahead iterations do not need
 * it. *Late* statements are those writes, the statements that read a path's result, and those that
 * read a late one's. Each executes once, as in the original loop, in the order in which `for` lets
 * unify.c run the iterations.
 *
 * Look-ahead iterations compute the same without them: no late statement is a branch, and a
 * register that one writes is neither read by another statement, such as a branch out of the loop
 * (check_no_loop_carried), nor carried to the next iteration (find_loop_counters). What they read
 * must not be written by late statements of earlier iterations (plan_check_reads_ahead, or
 * `independent`).
 */
#include "transform/plan/plan.h"
#include "transform/wait/wait.h"

typedef struct { const Plan *x; Bits tail; Bits late; } Late_walk;

/* Computes the blocks that only paths lead to, and that are not part of them. False if an
 * iteration may reach the back edge without a path. */
static bool
find_tail(Late_walk *w)
{
	const Plan *x = w->x;
	const Fn *fn = x->fn;
	Bits loop = fn->loops->loops[x->site->loop].blocks,
	     within = bits_new(x->scratch, fn->cfg->nblocks),
	     seen = bits_new(x->scratch, fn->cfg->nblocks);

	bits_copy(within, loop);
	for (uint32_t i = 0; i < x->nregions; i++)
		bits_and_not(within, x->regions[i].path->blocks);
	cfg_flood(fn->cfg, plan_header(x), false, within, seen);
	FN_PRED(fn, plan_header(x), latch)
		if (bits_has(seen, latch))
			return false;
	BITS_EACH(b, loop)
		if (!bits_has(seen, b) && !block_is_path_only(x, b))
			bits_set(w->tail, b);
	return bits_any(w->tail);
}

/* Whether the statement writes memory, and has no other effect than that. */
static bool
only_writes_memory(const Fn *fn, uint32_t stmt)
{
	uint32_t eff = fn_effects(fn, stmt);

	return eff & EFF_WRITE && !(eff & (EFF_STACK | EFF_ASYNC | EFF_ORDER));
}

static bool
may_be_late(const Fn *fn, uint32_t stmt)
{
	const Stmt *s = fn_stmt(fn, stmt);

	return s->kind == STMT_INSN &&
		!(ptx_flags(fn->m, s) &
			(OPF_BRANCH | OPF_EXIT | OPF_CALL | OPF_CROSS | OPF_BARRIER | OPF_STACK |
				OPF_CARRY));
}

/* Whether the statement reads what a path or a late statement computes. */
static bool
reads_late_value(const Late_walk *w, uint32_t stmt)
{
	const Fn *fn = w->x->fn;

	FN_USES_OF_STMT(fn, stmt, u)
		for (uint32_t i = 0; i < fn_use(fn, u)->ndef; i++) {
			uint32_t s = fn_def(fn, fn->defuse->reach[fn_use(fn, u)->def + i])->stmt;
			if (s && (block_is_path_only(w->x, fn_block(fn, s)) ||
					 bits_has(w->late, fn_local_stmt(fn, s))))
				return true;
		}
	return false;
}

/* Adds the late statements of a pass over the tail. Returns whether there were any. */
static bool
add_late(Late_walk *w)
{
	const Fn *fn = w->x->fn;
	bool any = false;

	BITS_EACH(b, w->tail)
		FN_BLOCK_STMTS(fn, b, s)
			if (!bits_has(w->late, fn_local_stmt(fn, s)) && may_be_late(fn, s) &&
				(only_writes_memory(fn, s) || reads_late_value(w, s))) {
				bits_set(w->late, fn_local_stmt(fn, s));
				any = true;
			}
	return any;
}

void
plan_late_statements(Plan *x)
{
	Late_walk w = { .x = x,
		.tail = bits_new(x->scratch, x->fn->cfg->nblocks),
		.late = x->lookahead->late = bits_new(x->arena, x->fn->f->nstmt) };

	if (!x->lookahead->unified || !find_tail(&w))
		return;
	while (add_late(&w))
		;
}
