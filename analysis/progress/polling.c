/* SPDX-License-Identifier: MIT */
/* Loops that may run until another thread writes memory; see polling.h.
 *
 * A thread stays in a loop forever if it never takes an exit branch. Whether it takes one depends
 * on the backward slice of these branches within the loop: on the statements that they and their
 * controlling branches depend on, directly or indirectly. If no statement of the slice reads memory
 * that another thread may write, then no other thread can make the thread leave the loop: it does
 * not wait.
 *
 * Values that flow through something other than a register are tracked coarsely: a load from
 * thread-local memory, and the result of a call, may come from any store to such memory and any
 * call in the loop; the carry flag from any statement that sets it. Values that were computed
 * before the loop do not change while the thread is in it. Parameters, constants, ld.global.nc and
 * textures are never written while the kernel runs.
 *
 * Weak loads do not wait either, if nothing in the loop can synchronise (docs/proofs/README.md,
 * L4): such a load may return the old value forever, whatever another thread writes. */
#include "analysis/analyse.h"
#include "analysis/progress/polling.h"
#include "analysis/progress/termination.h"

typedef struct {
	const Fn *fn;
	Bits blocks;            /* blocks of the loop */
	Bits seen;              /* statements, by fn_local_stmt */
	Bits controlled;        /* blocks whose controlling branches have been added */
	Stmts todo;
	/* whether stores to thread-local memory, and carry users, have been added */
	bool hidden, carry;
} Polling_walk;

/* ---- the slice ------------------------------------------------------------------------------- */

static void
add_stmt(Polling_walk *w, uint32_t stmt)
{
	uint32_t i = stmt ? fn_local_stmt(w->fn, stmt) : 0;

	if (!stmt || bits_has(w->seen, i) || !bits_has(w->blocks, fn_block(w->fn, stmt)))
		return;
	bits_set(w->seen, i);
	*vec_push(&w->todo) = stmt;
}

/* Whether the branch at the end of block a decides whether block b is executed. */
static bool
branch_controls_block(const Fn *fn, uint32_t a, uint32_t b)
{
	if (a != b && dom_postdominates(fn->dom, b, a))
		return false;
	FN_SUCC(fn, a, to)
		if (to && dom_postdominates(fn->dom, b, to))
			return true;
	return false;
}

static void
add_control(Polling_walk *w, uint32_t b)
{
	if (bits_has(w->controlled, b))
		return;
	bits_set(w->controlled, b);
	BITS_EACH(a, w->blocks)
		if (w->fn->cfg->blocks[a].nsucc > 1 && branch_controls_block(w->fn, a, b))
			add_stmt(w, cfg_terminator(w->fn->cfg, a));
}

/* Whether the statement is a load from memory that only the thread itself writes. */
static bool
stmt_loads_private(const Fn *fn, uint32_t stmt)
{
	const Stmt *s = fn_stmt(fn, stmt);
	Space space = ptx_space(fn->m, s);

	if (!(ptx_flags(fn->m, s) & OPF_LOAD) || (space != SPACE_LOCAL && space != SPACE_PARAM))
		return false;
	FN_READS(fn, stmt, r)
		if (fn->m->syms[r->sym].kind == SYM_PARAM)
			return false;
	return true;
}

static bool
stmt_may_store_private(const Fn *fn, uint32_t stmt)
{
	const Stmt *s = fn_stmt(fn, stmt);
	Space space = ptx_space(fn->m, s);

	return ptx_op(fn->m, s) == OP_CALL ||
		(ptx_flags(fn->m, s) & OPF_STORE &&
			(space == SPACE_LOCAL || space == SPACE_PARAM || space == SPACE_GENERIC));
}

/* Adds what a statement may read other than through a register. */
static void
add_hidden(Polling_walk *w, uint32_t stmt)
{
	const Fn *fn = w->fn;
	bool hidden = ptx_op(fn->m, fn_stmt(fn, stmt)) == OP_CALL || stmt_loads_private(fn, stmt);
	bool carry = ptx_flags(fn->m, fn_stmt(fn, stmt)) & OPF_CARRY;

	hidden &= !w->hidden;
	carry &= !w->carry;
	if (!hidden && !carry)
		return;
	w->hidden |= hidden;
	w->carry |= carry;
	BITS_EACH(b, w->blocks)
		FN_BLOCK_STMTS(fn, b, s)
			if (fn_stmt(fn, s)->kind == STMT_INSN &&
				((hidden && stmt_may_store_private(fn, s)) ||
					(carry && ptx_flags(fn->m, fn_stmt(fn, s)) & OPF_CARRY)))
				add_stmt(w, s);
}

/* Adds the exit branches. */
static void
add_exits(Polling_walk *w)
{
	BITS_EACH(b, w->blocks)
		FN_SUCC(w->fn, b, to)
			if (!to || !bits_has(w->blocks, to))
				add_stmt(w, cfg_terminator(w->fn->cfg, b));
}

/* ---- memory that other threads write --------------------------------------------------------- */

/* What the loop contains: a fence, or a pause as polling loops have; an instruction that may write
 * memory; one that may order later reads after another thread's writes, alone or with others. */
typedef struct { bool fence, writes, synchronises; } Loop_contents;

/* Whether the load is not weak: volatile, relaxed, acquire, or with a cache operator that compiled
 * polling loops use. */
static bool
is_strong_load(const Fn *fn, uint32_t stmt)
{
	return fn_effects(fn, stmt) & EFF_SPIN || ptx_has(fn->m, fn_stmt(fn, stmt), "cg");
}

static Loop_contents
loop_contents(const Fn *fn, Bits blocks)
{
	Loop_contents c = { 0 };

	BITS_EACH(b, blocks)
		FN_BLOCK_STMTS(fn, b, s) {
			if (fn_stmt(fn, s)->kind != STMT_INSN)
				continue;
			Op op = ptx_op(fn->m, fn_stmt(fn, s));
			c.fence |= op == OP_MEMBAR || op == OP_FENCE || op == OP_NANOSLEEP;
			c.writes |= op == OP_CALL || fn_effects(fn, s) & EFF_WRITE;
			c.synchronises |= op == OP_CALL || is_strong_load(fn, s) ||
				fn_effects(fn, s) & (EFF_BARRIER | EFF_CROSS | EFF_UNKNOWN |
					EFF_ASYNC | EFF_ORDER);
		}
	return c;
}

/* Whether the address of the statement is loop-invariant. */
static bool
is_address_fixed(const Polling_walk *w, uint32_t stmt)
{
	FN_USES_OF_STMT(w->fn, stmt, u)
		FN_REACH(w->fn, u, d) {
			uint32_t s = fn_def(w->fn, d)->stmt;
			if (s && bits_has(w->blocks, fn_block(w->fn, s)))
				return false;
		}
	return true;
}

/* Whether the read looks intended to see another thread's write. A compiler hoists other loads out
 * of a loop that writes nothing, so a load that stays is an asm volatile. */
static bool
is_likely(const Polling_walk *w, uint32_t stmt, const Loop_contents *c)
{
	return c->fence || is_strong_load(w->fn, stmt) || fn_effects(w->fn, stmt) & EFF_BARRIER ||
		(!c->writes && is_address_fixed(w, stmt));
}

/* Whether the result of the statement may depend on other threads. */
static bool
is_changeable(const Fn *fn, uint32_t stmt)
{
	const Stmt *s = fn_stmt(fn, stmt);
	Op op = ptx_op(fn->m, s);
	uint32_t callee = op == OP_CALL ? effects_callee(fn->m, stmt) : 0;

	if (op == OP_TEX || op == OP_TLD4)
		return false;
	if (op == OP_CALL && (!callee || !fn->m->funcs[callee].body))
		return true;
	return fn_effects(fn, stmt) & (EFF_READ | EFF_BARRIER | EFF_CROSS | EFF_UNKNOWN |
		EFF_EXTERN | EFF_INDIRECT);
}

/* Whether the read, which may see another thread's write, counts at the level. */
static bool
is_polling(const Polling_walk *w, uint32_t stmt, Polling level, const Loop_contents *c)
{
	return level == POLLING_CHANGES || is_likely(w, stmt, c) ||
		(level == POLLING_ANY &&
			(c->synchronises || ptx_op(w->fn->m, fn_stmt(w->fn, stmt)) != OP_LD));
}

void
polling_find(const Fn *fn, uint32_t loop, Polling level, Stmts *polls)
{
	Arena_mark mark = arena_mark(fn->arena);
	Polling_walk w = { .fn = fn, .blocks = fn->loops->loops[loop].blocks,
		.seen = bits_new(fn->arena, fn->f->nstmt),
		.controlled = bits_new(fn->arena, fn->cfg->nblocks) };
	const Loop_contents c = loop_contents(fn, w.blocks);

	if (!termination_certain(fn, loop))
		add_exits(&w);
	while (w.todo.n) {
		uint32_t stmt = *vec_pop(&w.todo);
		if (is_changeable(fn, stmt) && is_polling(&w, stmt, level, &c))
			*vec_push(polls) = stmt;
		FN_USES_OF_STMT(fn, stmt, u)
			FN_REACH(fn, u, d)
				add_stmt(&w, fn_def(fn, d)->stmt);
		add_control(&w, fn_block(fn, stmt));
		add_hidden(&w, stmt);
	}
	vec_free(&w.todo);
	arena_release(fn->arena, mark);
}

/* ---- calls ----------------------------------------------------------------------------------- */

static bool
has_polling_loop(const Fn *fn, Polling level)
{
	Stmts polls = { 0 };

	for (uint32_t l = 1; l < fn->loops->nloops && !polls.n; l++)
		polling_find(fn, l, level, &polls);
	bool found = polls.n || (level != POLLING_LIKELY && bits_any(fn->loops->irreducible));
	vec_free(&polls);
	return found;
}

bool
polling_in_call(const Fn *fn, uint32_t call, Bits pointed, Polling level, Arena *a)
{
	uint32_t callee = effects_callee(fn->m, call);
	Arena_mark mark = arena_mark(a);
	Bits run = bits_new(a, fn->m->nfuncs);
	bool found = false;

	if (callee)
		effects_flood(fn->effects, callee, run);
	if (fn_effects(fn, call) & EFF_INDIRECT)
		BITS_EACH(f, pointed)
			effects_flood(fn->effects, f, run);
	BITS_EACH(f, run)
		if (!found && fn->m->funcs[f].body &&
			fn->effects->func[f] & (EFF_READ | EFF_BARRIER | EFF_CROSS))
			found = has_polling_loop(fn_build(fn->m, f, fn->effects, a), level);
	arena_release(a, mark);
	return found;
}

bool
polling_in_function(const Fn *fn, Polling level)
{
	bool found = (fn->effects->func[fn->func] & (EFF_EXTERN | EFF_INDIRECT | EFF_RECURSE)) ||
		has_polling_loop(fn, level);

	FN_STMTS(fn, s)
		if (!found && ptx_op(fn->m, fn_stmt(fn, s)) == OP_CALL)
			found = polling_in_call(fn, s, (Bits){ 0 }, level, fn->arena);
	return found;
}
