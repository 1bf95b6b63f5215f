/* SPDX-License-Identifier: MIT */
/* Forward progress: whether lanes wait for each other in loops whose exit depends on memory
 * (docs/proofs/README.md, L3, which W7 of docs/proofs/wait.md relies on).
 *
 * Lanes of a transformed loop wait at votes, so a lane must not also wait for an action of another
 * lane after the vote. For loops that promise nothing (proven.c), a thread must be able to leave
 * each executed loop without the others (analysis/progress/polling.h), or lanes meet in each
 * iteration of that loop, and no thread can observe that a lane which has left the annotated loop
 * waits for the others (W19). Otherwise the annotated loop is refused if it polls memory that is
 * written on its exit edges or by the path, and inner loops that poll memory get a warning. */
#include "analysis/progress/polling.h"
#include "transform/legality/legality.h"
#include "transform/legality/memory_access_class.h"
#include "transform/plan/plan.h"

/* Returns the call in the block to a function that polls; 0 if none. */
static uint32_t
find_polling_call(const Plan *x, uint32_t b, Polling level)
{
	FN_BLOCK_STMTS(x->fn, b, s)
		if (fn_stmt(x->fn, s)->kind == STMT_INSN &&
			ptx_op(x->fn->m, fn_stmt(x->fn, s)) == OP_CALL &&
			polling_in_call(x->fn, s, x->remap ? x->remap->key.callees : (Bits){ 0 },
				level, x->scratch))
			return s;
	return 0;
}

/* ---- loops that promise nothing -------------------------------------------------------------- */

bool
plan_block_is_executed(const Plan *x, uint32_t b)
{
	return loop_contains(x->fn->loops, x->site->loop, b) ||
		(bits_has(x->site->blocks, b) && bits_has(x->common.blocks, b));
}

static Verdict
hint_may_wait(const Plan *x, uint32_t stmt, const char *what)
{
	Verdict v = verdict(x->arena, D_SPIN, fn_stmt(x->fn, stmt)->at.pos,
		"the exit of %s depends on memory that another thread may write, so a waiting lane may block the thread that it waits for",
		what);

	return fn_effects(x->fn, stmt) & EFF_SPIN ? v :
		verdict_note(v, x->arena, DIAG_NOWHERE,
			"read the value before the loop, or through 'const __restrict__' or __ldg");
}

/* Whether lanes meet in each iteration of the loop, and each vote releases all lanes that are in
 * the annotated loop. Look-ahead does not qualify: a lane would read the exit condition twice, and
 * the second value may differ. */
static bool
lanes_meet_in_loop(const Plan *x, uint32_t loop)
{
	const Fn *fn = x->fn;
	const uint32_t header = fn->loops->loops[loop].header;
	Bits within = bits_new(x->scratch, fn->cfg->nblocks),
	     seen = bits_new(x->scratch, fn->cfg->nblocks);

	if (!x->wait || x->wait->rule != RULE_NONE || x->wait->pool || x->lookahead)
		return false;
	bits_copy(within, fn->loops->loops[loop].blocks);
	bits_unset(within, x->wait->meeting);
	cfg_flood(fn->cfg, header, false, within, seen);
	FN_PRED(fn, header, p)
		if (bits_has(seen, p))
			return false;
	return true;
}

/* Whether a thread may wait for another one to execute the statement, or learn that it has. */
static bool
is_observable(const Fn *fn, uint32_t stmt)
{
	const Stmt *s = fn_stmt(fn, stmt);

	return s->kind == STMT_INSN &&
		(fn_effects(fn, stmt) & (EFF_WRITE | EFF_BARRIER | EFF_CROSS | EFF_UNKNOWN) ||
			ptx_flags(fn->m, s) & (OPF_CALL | OPF_EFFECT) ||
			(ptx_op(fn->m, s) == OP_RET && !fn->f->entry));
}

/* Returns an observable statement that a lane may execute after the annotated loop; 0 if none. */
static uint32_t
find_observable_after(const Plan *x)
{
	const Fn *fn = x->fn;
	Bits all = bits_new(x->scratch, fn->cfg->nblocks),
	     after = bits_new(x->scratch, fn->cfg->nblocks);

	bits_fill(all, 1, fn->cfg->nblocks);
	for (uint32_t i = 0; i < x->common.nexits; i++) {
		const Exit_edge *e = &x->common.exits[i];
		if (e->block)
			cfg_flood(fn->cfg, e->block, false, all, after);
		else if (is_observable(fn, e->stmt))
			return e->stmt;
	}
	BITS_EACH(b, after)
		FN_BLOCK_STMTS(fn, b, s)
			if (is_observable(fn, s))
				return s;
	return 0;
}

/* Returns a statement at which a thread may wait for a lane that has left the annotated loop; 0 if
 * there is none. In front of the loop, a block barrier also waits for the lanes that are in. A
 * warp-synchronous operation may wait for single lanes to end. */
static uint32_t
find_observable_wait(const Plan *x)
{
	uint32_t after = find_observable_after(x);

	if (after)
		return after;
	FN_BLOCKS(x->fn, b)
		FN_BLOCK_STMTS(x->fn, b, s)
			if (fn_effects(x->fn, s) &
				(EFF_CROSS | EFF_UNKNOWN | EFF_EXTERN | EFF_INDIRECT))
				return s;
	return 0;
}

static Verdict
check_loop_progress(const Plan *x, uint32_t loop)
{
	Stmts polls = { 0 };
	Verdict v = VERDICT_YES;
	uint32_t observable = 0;
	bool meet, twice = x->lookahead && loop == x->site->loop; /* reads its exit condition */

	polling_find(x->fn, loop, twice ? POLLING_CHANGES : POLLING_ANY, &polls);
	meet = polls.n && lanes_meet_in_loop(x, loop);
	if (meet)
		observable = find_observable_wait(x);
	if (polls.n && (!meet || observable))
		v = hint_may_wait(x, polls.at[0], loop == x->site->loop ? "the loop" : "a loop here");
	if (observable)
		v = verdict_note(v, x->arena, fn_stmt(x->fn, observable)->at.pos,
			"a lane that has left the loop waits for the others, and another thread may wait for it here");
	vec_free(&polls);
	return v;
}

Verdict
plan_check_forward_progress(const Plan *x)
{
	const Loops *l = x->fn->loops;
	Verdict v = VERDICT_YES;
	uint32_t call;

	for (uint32_t i = 1; i < l->nloops && !verdict_is_no(v); i++)
		if (plan_block_is_executed(x, l->loops[i].header))
			v = check_loop_progress(x, i);
	FN_BLOCKS(x->fn, b)
		if (!verdict_is_no(v) && plan_block_is_executed(x, b) &&
			(call = find_polling_call(x, b, POLLING_ANY)))
			v = hint_may_wait(x, call, "a loop in the function called here");
	return v;
}

/* ---- warnings -------------------------------------------------------------------------------- */

/* Slice rule: follow definitions inside the loop. */
static Slice_step
edge_is_in_loop(void *user, const Slice_edge *e)
{
	const uint32_t *loop = user;
	uint32_t s = fn_def(e->fn, e->def)->stmt;
	bool inside = s && loop_contains(e->fn->loops, *loop, fn_block(e->fn, s));

	return inside ? SLICE_ACCEPT : SLICE_HAVE;
}

/* Whether each iteration of the loop redefines this register for the next one. */
static bool
register_is_stepped(const Fn *fn, uint32_t loop, uint32_t def)
{
	uint32_t header = fn->loops->loops[loop].header,
		 block = fn_block(fn, fn_def(fn, def)->stmt);

	FN_PRED(fn, header, latch)
		if (loop_contains(fn->loops, loop, latch) &&
			!dom_dominates(fn->dom, block, latch))
			return false;
	return bits_has(fn->live->in[header], fn_local(fn, fn_def(fn, def)->sym));
}

/* Whether the register is computed from one that each iteration redefines. */
static bool
register_depends_on_stepped(const Fn *fn, uint32_t stmt, uint32_t sym, uint32_t loop)
{
	Stmts from = { 0 };
	bool found = false;

	FN_REACH(fn, defuse_find_use(fn, stmt, sym), d) {
		uint32_t s = fn_def(fn, d)->stmt;
		if (s && loop_contains(fn->loops, loop, fn_block(fn, s)))
			slice_back(fn, s, edge_is_in_loop, &loop, &from);
	}
	for (uint32_t i = 0; i < from.n; i++)
		FN_DEFS_OF_STMT(fn, from.at[i], d)
			found |= register_is_stepped(fn, loop, d);
	vec_free(&from);
	return found;
}

/* Whether each iteration reads another address, as a search does. Addresses may recur, so this is
 * only good enough for a warning. */
static bool
address_advances(const Fn *fn, uint32_t stmt, uint32_t loop)
{
	FN_READS(fn, stmt, r)
		for (uint32_t k = 0; r->opnd && k < fn_stmt(fn, stmt)->nopnd; k++) {
			uint32_t o = ptx_operand(fn->m, fn_stmt(fn, stmt), k);
			if (fn->m->opnds[o].kind == OPND_ADDR && r->opnd > o &&
				r->opnd < o + fn->m->opnds[o].tree && fn_is_reg(fn, r->sym) &&
				register_depends_on_stepped(fn, stmt, r->sym, loop))
				return true;
		}
	return false;
}

static void
warn_spin(Plan *x, uint32_t stmt, const char *what)
{
	*vec_push(&x->hints) = verdict(x->arena, D_SPIN, fn_stmt(x->fn, stmt)->at.pos,
		"%s polls memory: if it waits for another lane of its warp, that lane may be waiting for this one",
		what);
}

/* Returns a statement with which the loop repeatedly reads memory that another thread may write; 0
 * if none. */
static uint32_t
find_polling_read(const Fn *fn, uint32_t loop)
{
	Stmts polls = { 0 };
	uint32_t found = 0;

	polling_find(fn, loop, POLLING_LIKELY, &polls);
	for (uint32_t i = 0; i < polls.n && !found; i++)
		found = address_advances(fn, polls.at[i], loop) ? 0 : polls.at[i];
	vec_free(&polls);
	return found;
}

void
plan_warn_spin_loops(Plan *x)
{
	const Loops *l = x->fn->loops;
	uint32_t found = 0, inner = 0;

	if (plan_has_proven_clause(x)) /* refused by plan_check_forward_progress() */
		return;
	BITS_EACH(b, l->loops[x->site->loop].blocks)
		inner += l->loop_of[b] != x->site->loop && l->loops[l->loop_of[b]].header == b;
	for (uint32_t i = x->site->loop + 1; inner && !found; i++)
		if (loop_contains(l, x->site->loop, l->loops[i].header)) {
			found = find_polling_read(x->fn, i);
			if (found && lanes_meet_in_loop(x, i) && !find_observable_wait(x))
				found = 0;
			inner--;
		}
	if (found) {
		warn_spin(x, found, "a loop here");
		return;
	}
	BITS_EACH(b, l->loops[x->site->loop].blocks)
		if (!found && (found = find_polling_call(x, b, POLLING_LIKELY)))
			warn_spin(x, found, "a loop in the function called here");
}

/* ---- an exchange of work within the block ---------------------------------------------------- */

Verdict
plan_polls_nothing(const Plan *x, Bits blocks)
{
	const Loops *l = x->fn->loops;
	const char *what = "a loop here";
	uint32_t found = 0;

	for (uint32_t i = 1; i < l->nloops && !found; i++)
		if (bits_has(blocks, l->loops[i].header))
			found = find_polling_read(x->fn, i);
	BITS_EACH(b, blocks)
		if (!found && (found = find_polling_call(x, b, POLLING_LIKELY)))
			what = "a loop in the function called here";
	return found ? verdict(x->arena, D_SPIN, fn_stmt(x->fn, found)->at.pos,
			       "%s polls memory: a thread that it waits for may be waiting for this one, as all threads of the block meet",
			       what) :
		       VERDICT_YES;
}

/* ---- the annotated loop ---------------------------------------------------------------------- */

/* Whether the block executes later than in the original. Code on exit edges runs when all lanes
 * have left, a task when the warp has enough of them, and code after a wait point when enough lanes
 * wait. */
static bool
block_is_delayed(const Plan *x, uint32_t b)
{
	bool late = plan_block_in_region(x, b) || !loop_contains(x->fn->loops, x->site->loop, b);

	for (uint32_t i = 0; x->wait && i < x->wait->npredicted; i++)
		late |= bits_has(x->wait->predicted[i]->blocks, b);
	return late;
}

/* Whether the statement reads an object that is written late. */
static bool
array_is_written_late(const Plan *x, uint32_t stmt)
{
	const Access seen = access_of_stmt(x, stmt);
	Accesses late = { 0 };
	bool found = false;

	BITS_EACH(b, x->site->blocks)
		if (block_is_delayed(x, b))
			accesses_collect(x, b, &late);
	for (uint32_t i = 0; i < late.n; i++)
		found |= late.at[i].writes && objects_may_alias(&late.at[i].base, &seen.base);
	vec_free(&late);
	return found;
}

Verdict
plan_check_exit_in_time(Plan *x)
{
	Stmts polls = { 0 };
	Verdict v = VERDICT_YES;

	polling_find(x->fn, x->site->loop, POLLING_LIKELY, &polls);
	for (uint32_t i = 0; i < polls.n && !verdict_is_no(v); i++)
		if (array_is_written_late(x, polls.at[i]))
			v = verdict_note(
				verdict(x->arena, D_SPIN, fn_stmt(x->fn, polls.at[i])->at.pos,
					"the loop is left when memory changes, and the path or a lane that leaves the loop may change it"),
				x->arena, DIAG_NOWHERE,
				"both happen later in a collected loop: the other lanes would continue, perhaps forever");
	vec_free(&polls);
	return v;
}
