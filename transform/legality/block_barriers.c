/* SPDX-License-Identifier: MIT */
/* Checks that all threads of a block can meet at emitted barriers: that no thread waits for another
 * at a barrier or warp-synchronous operation of the program while the other waits there, and that
 * none ends before, unseen (docs/proofs/remap.md, R1 and R2). */
#include "transform/legality/legality.h"
#include "transform/legality/motion_legality.h"

/* Why threads may wait for each other at a statement, or end there, and what to do. why: NULL if
 * they do not. */
typedef struct { const char *why, *remedy; } Conflict;

static Verdict
refuse_barrier(const Plan *x, uint32_t stmt, const Conflict *c)
{
	uint32_t eff = fn_effects(x->fn, stmt);
	Diag_kind kind = D_OPCODE;
	const char *what = "an unknown instruction";

	if (ptx_op(x->fn->m, fn_stmt(x->fn, stmt)) == OP_CALL)
		kind = D_CALL, what = "a call";
	else if (eff & EFF_BARRIER)
		kind = D_BARRIER, what = "a block barrier";
	else if (eff & EFF_CROSS)
		kind = D_WARP_SYNC, what = "a warp-synchronous operation";
	return verdict_note(verdict(x->arena, kind, fn_stmt(x->fn, stmt)->at.pos,
				    "%s before it, which %s", what, c->why),
		x->arena, DIAG_NOWHERE, "%s", c->remedy);
}

/* Whether the barrier names the number of threads that it waits for. */
static bool
barrier_counts_threads(const Fn *fn, uint32_t stmt)
{
	const Stmt *s = fn_stmt(fn, stmt);

	switch (ptx_op(fn->m, s)) {
	case OP_BAR:
	case OP_BARRIER: return s->nopnd > 1;
	case OP_BAR_RED:
	case OP_BARRIER_RED: return s->nopnd > 3;
	default: return false;
	}
}

/* missed: threads may be held while others execute the statement. All threads execute emitted
 * barriers equally often, and copied paths and melded arms have none. */
static Conflict
barrier_conflict(const Plan *x, uint32_t stmt, bool missed)
{
	const uint32_t WAITS = EFF_BARRIER | EFF_CROSS,
		       HIDES = EFF_UNKNOWN | EFF_EXTERN | EFF_INDIRECT;
	const Fn *fn = x->fn;
	const Stmt *s = fn_stmt(fn, stmt);
	uint32_t eff = effects_with_callees(x, stmt);

	if (s->kind == STMT_INSN && eff & EFF_EXIT && ptx_op(fn->m, s) == OP_CALL)
		return (Conflict){ "may end the thread", "make the function inline" };
	if (s->kind != STMT_INSN || !(eff & (WAITS | HIDES)))
		return (Conflict){ 0 };
	if (missed)
		return (Conflict){ "threads that leave early or arrive in another iteration would miss",
			"let all threads of the block reach it: no 'return' and no loop test before it that only some of them take" };
	if (x->remap && x->remap->is_emitted(x->remap->texts, s->at.pos))
		return (Conflict){ 0 };
	if (eff & HIDES || ptx_op(fn->m, s) == OP_CALL)
		return (Conflict){ "may contain a barrier for some threads of the block",
			"make the function inline" };
	if (bits_has(fn->uniform->block, fn_block(fn, stmt)) || s->guard)
		return (Conflict){ "only some threads of the block reach",
			x->remap ? "move it out of conditional code, or after the annotated branch" :
					"move it out of conditional code, or after the annotated loop" };
	if (barrier_counts_threads(fn, stmt))
		return (Conflict){ "waits for a given number of threads",
			"wait for all threads of the block" };
	return (Conflict){ 0 };
}

bool
plan_threads_arrive_together(const Plan *x, uint32_t block)
{
	const Loops *l = x->fn->loops;

	for (uint32_t i = l->loop_of[block]; i; i = l->loops[i].parent)
		if (bits_has(x->fn->uniform->loop, i))
			return false;
	return !bits_has(x->fn->uniform->block, block) && !bits_has(l->irreducible, block);
}

Verdict
plan_check_block_barriers(const Plan *x, Bits before, Bits meanwhile)
{
	BITS_EACH(b, before)
		FN_BLOCK_STMTS(x->fn, b, s) {
			const Conflict c = barrier_conflict(x, s, bits_has(meanwhile, b));
			if (c.why)
				return refuse_barrier(x, s, &c);
		}
	return VERDICT_YES;
}
