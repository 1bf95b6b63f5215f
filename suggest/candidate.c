/* SPDX-License-Identifier: MIT */
/* Finds the branches and loops of a function that could be worth an annotation. See candidate.h.
 *
 * These are branches that may diverge and loops whose trip counts may differ between lanes
 * (analysis/dataflow/uniformity.h). Excluded are tests of an index alone, such as the bound of an
 * array or of a loop over all tasks: they diverge in few warps, those at the border. A branch in a
 * loop with a uniform condition is reported, too, if much code depends on it.
 *
 * Shares come from what was executed or, if that is unknown, from a model of issue slots, in which
 * every loop has the trip count that analysis/cost/static_cost.h assumes, and both arms of a branch
 * are executed. */
#include <stdlib.h>
#include "analysis/analyse.h"
#include "analysis/region/branch_arm.h"
#include "analysis/cost/static_cost.h"
#include "analysis/region/exit_code.h"
#include "suggest/candidate.h"
#include "transform/plan/plan.h"

enum {
	MOST = 24,              /* candidates of a function */
	/* nesting depth; a set of blocks for each loop would be too large beyond it */
	MOST_DEPTH = 100,
	MOST_STEPS = 500        /* definitions in the slice of a condition */
};
static const double LEAST = 0.02, LEAST_UNIFORM = 0.1; /* minimal shares of the issue slots */
static const double SMALL = 8;  /* slots of an arm; the compiler predicates smaller ones */
static const double COALESCED = 3;

/* ---- conditions ------------------------------------------------------------------------------ */

/* defs: the definitions found so far, at most MAX_LANE_STEPS + 1. */
typedef struct { const Fn *fn; VEC(uint32_t) defs; } Def_walk;

/* Whether the statement computes an index: from the thread's number and parameters of the
 * launch. */
static bool
makes_index(const Fn *fn, const Stmt *s)
{
	Type t = ptx_insn_type(fn->m, s);

	if (t == TYPE_F16 || t == TYPE_F16X2 || t == TYPE_F32 || t == TYPE_F64)
		return false;
	switch (ptx_op(fn->m, s)) {
	case OP_MOV: case OP_ADD: case OP_SUB: case OP_MUL: case OP_MAD: case OP_SHL:
	case OP_CVT: case OP_SETP: case OP_MIN: case OP_MAX:
		return true;
	case OP_LD:
		return ptx_space(fn->m, s) == SPACE_PARAM;
	case OP_OR:     /* `tid == 0 && ctaid == 0` is a test of tid | ctaid */
		return true;
	case OP_AND:
		return t == TYPE_PRED;
	default:
		return false;
	}
}

static void
walk_reads(Def_walk *w, uint32_t stmt)
{
	FN_USES_OF_STMT(w->fn, stmt, u)
		FN_REACH(w->fn, u, d) {
			if (w->defs.n > MOST_STEPS)
				return;
			uint32_t k = 0;
			while (k < w->defs.n && w->defs.at[k] != d)
				k++;
			if (k == w->defs.n)
				*vec_push(&w->defs) = d;
		}
}

/* Whether the value was computed in a loop that does not contain the branch: it depends on when the
 * lane left that loop. */
static bool
is_loop_count(const Fn *fn, uint32_t stmt, uint32_t branch)
{
	uint32_t loop = fn->loops->loop_of[fn_block(fn, stmt)];

	return loop && !loop_contains(fn->loops, loop, fn_block(fn, branch));
}

/* Whether the branch tests an index alone. */
static bool
tests_index(const Fn *fn, uint32_t branch)
{
	Def_walk w = { .fn = fn };
	bool index = true;

	walk_reads(&w, branch);
	for (uint32_t i = 0; i < w.defs.n && index; i++) {
		uint32_t stmt = fn_def(fn, w.defs.at[i])->stmt;
		index = w.defs.n < MOST_STEPS && stmt && makes_index(fn, fn_stmt(fn, stmt)) &&
			!is_loop_count(fn, stmt, branch);
		if (index)
			walk_reads(&w, stmt);
	}
	vec_free(&w.defs);
	return index;
}

/* Whether an instruction reads nothing but immediates and registers with one definition each. */
static bool
has_single_inputs(const Fn *fn, uint32_t stmt)
{
	const Module *m = fn->m;
	const Stmt *s = fn_stmt(fn, stmt);

	if (fn_effects(fn, stmt) || ptx_flags(m, s) & (OPF_LOAD | OPF_ATOMIC))
		return false;
	PTX_OPNDS(m, s, k, o)
		for (uint32_t i = o; i < o + m->opnds[o].tree; i++)
			if (k && m->opnds[i].kind == OPND_SYM && !fn_is_reg(fn, m->opnds[i].sym))
				return false;
	FN_USES_OF_STMT(fn, stmt, u) {
		uint32_t n = 0;
		FN_REACH(fn, u, d)
			n += d && fn_def(fn, d)->stmt;
		if (n != 1)
			return false;
	}
	return true;
}

/* Whether ptxas knows the condition, as it does where a library function tests a literal
 * argument. */
static bool
tests_constant(const Fn *fn, uint32_t branch)
{
	Def_walk w = { .fn = fn };
	bool constant = true;

	walk_reads(&w, branch);
	for (uint32_t i = 0; i < w.defs.n && constant; i++) {
		uint32_t stmt = fn_def(fn, w.defs.at[i])->stmt;
		constant = w.defs.n < MOST_STEPS && stmt && has_single_inputs(fn, stmt);
		if (constant)
			walk_reads(&w, stmt);
	}
	vec_free(&w.defs);
	return constant;
}

/* ---- cost ------------------------------------------------------------------------------------ */

/* Returns the issue slots of a run of a set of blocks. */
static double
slots_of_blocks(const Fn *fn, Bits blocks, uint32_t entry)
{
	Run_cost w = run_cost_of_blocks(fn, blocks, entry);

	return w.issue + COALESCED * w.memory;
}

/* Sums over the function, so that branches and loops need not visit each of their blocks. */
typedef struct {
	/* by loop: slots of an iteration, including inner loops; of loop 0: of a run of the
	 * function */
	double *run;
	double *runs;   /* by loop: loop_run_count(fn, loop, 0) */
	/* slots of the first i blocks in pre-order of the dominator tree, in a run of the function;
	 * an upper bound, which counts accesses twice */
	double *upto;
} Slot_sums;

static double
slots_of_block(const Fn *fn, uint32_t block, double lanes)
{
	Run_cost w = run_cost_of_block(fn, block);

	return w.issue + COALESCED * w.memory * lanes;
}

static Slot_sums
slot_sums_build(const Fn *fn, Arena *a)
{
	const Loops *l = fn->loops;
	Slot_sums s = { .run = arena_array(a, l->nloops, sizeof *s.run),
		.runs = arena_array(a, l->nloops, sizeof *s.runs),
		.upto = arena_array(a, fn->cfg->nblocks + 1u, sizeof *s.upto) };

	for (uint32_t i = 0; i < l->nloops; i++)
		s.runs[i] = i ? loop_run_count(fn, i, l->loops[i].depth - 1) *
					s.runs[l->loops[i].parent] : 1;
	FN_BLOCKS(fn, b)
		if (fn->cfg->rpo_index[b] != UINT32_MAX) {
			s.run[l->loop_of[b]] += slots_of_block(fn, b, 1);
			s.upto[fn->dom->in[b]] =
				s.runs[l->loop_of[b]] * slots_of_block(fn, b, 2);
		}
	for (uint32_t i = l->nloops; i-- > 1;)
		s.run[l->loops[i].parent] +=
			s.run[i] * loop_run_count(fn, i, l->loops[i].depth - 1);
	for (uint32_t i = 0; i < fn->cfg->nblocks; i++)
		s.upto[i + 1] += s.upto[i];
	return s;
}

/* ---- candidates ------------------------------------------------------------------------------ */

/* all: issue slots of the function or, if executions were counted, of the module. */
typedef struct {
	const Fn *fn;
	const Executed *executed;
	Arena *arena;
	Slot_sums sums;
	double all;
	Candidates *to;
} Candidate_search;

/* Returns the issue slots of a loop; of loop 0: of the function. */
static double
slots_of_loop(const Candidate_search *w, uint32_t loop)
{
	if (w->executed->of)
		return loop ? executed_slots(w->executed, w->fn, w->fn->loops->loops[loop].blocks) :
			      executed_function(w->executed, w->fn);
	return w->sums.run[loop] * w->sums.runs[loop];
}

Diag_place
candidate_place(const Fn *fn, uint32_t stmt)
{
	Diag_place p = { 0 };

	if (ptx_cuda_pos(fn->m, stmt, &p.at)) {
		if (!ptx_cuda_caller(fn->m, stmt, &p.caller))
			p.caller = (Cuda_pos){ 0 };
		return p;
	}
	p.at = (Cuda_pos){ .file = fn->m->src->name };
	source_position(fn->m->src, fn_stmt(fn, stmt)->at.pos, &p.at.line, &p.at.col);
	return p;
}

static double
least_share(Advice_kind kind)
{
	return kind == ADVICE_UNIFORM ? LEAST_UNIFORM : LEAST;
}

static void
add_candidate(Candidate_search *w, Candidate c, double cost, uint32_t stmt)
{
	c.fn = w->fn;
	c.share = cost / w->all;
	c.around = c.exits.word ? c.share : slots_of_loop(w, c.loop) / w->all;
	if (c.share < least_share(c.kind))
		return;
	c.at = candidate_place(w->fn, stmt);
	c.marked = c.at.at;
	*vec_push(w->to) = c;
}

/* Whether an arm certainly has too few slots. False if it begins with an inner loop, or if the sums
 * are so large that their differences are not exact. */
static bool
arm_is_too_small(const Candidate_search *w, const Candidate *c, uint32_t meet)
{
	static const double LARGE = 1e12;
	const Dom *d = w->fn->dom;
	const double *upto = w->sums.upto, runs = w->sums.runs[c->loop];
	double most = upto[d->out[c->first]] - upto[d->in[c->first] - 1];

	if (w->fn->loops->loop_of[c->first] != c->loop || upto[w->fn->cfg->nblocks] > LARGE)
		return false;
	if (meet && dom_dominates(d, c->first, meet))
		most -= upto[d->out[meet]] - upto[d->in[meet] - 1];
	return most / runs < SMALL - 1 || most < least_share(c->kind) * w->sums.run[0] - 1;
}

/* Whether control leaves the innermost enclosing loop from inside the arm. */
static bool
arm_leaves_loop(const Fn *fn, Bits arm, uint32_t loop)
{
	BITS_EACH(b, arm)
		if (loop && !loop_contains(fn->loops, loop, b))
			return true;
	return false;
}

/* loop: the innermost one that contains the branch and the arm, or 0. */
static void
consider_arm(Candidate_search *w, uint32_t block, uint32_t first, uint32_t loop, bool varies)
{
	const Fn *fn = w->fn;
	Candidate c = { .kind = varies ? ADVICE_BRANCH : ADVICE_UNIFORM,
		.annot = ANNOT_IF,
		.from = block,
		.first = first,
		.loop = loop };

	if (arm_is_too_small(w, &c, fn->dom->ipdom[block]))
		return;
	c.blocks = arm_blocks(fn, first, fn->dom->ipdom[block], w->arena);
	double run = slots_of_blocks(fn, c.blocks, first);
	if (arm_leaves_loop(fn, c.blocks, loop) || run < SMALL)
		return;
	add_candidate(w, c, w->executed->of ? executed_slots(w->executed, fn, c.blocks) :
			run * loop_run_count(fn, fn->loops->loop_of[first], 0),
		cfg_terminator(fn->cfg, block));
}

/* Considers the arms of a branch. If it leaves an inner loop, that is the code that only the lanes
 * which leave here execute: they reach it in different iterations of the inner loop. */
static void
consider_branch(Candidate_search *w, uint32_t block)
{
	const Fn *fn = w->fn;
	uint32_t branch = cfg_terminator(fn->cfg, block);
	bool varies = bits_has(fn->uniform->branch, block) &&
		!executed_uniformly(w->executed, branch);

	if (fn->cfg->blocks[block].nsucc != 2 || !branch ||
		fn->cfg->rpo_index[block] == UINT32_MAX || (!varies && !fn->loops->loop_of[block]))
		return;
	if (varies ? tests_index(fn, branch) : tests_constant(fn, branch))
		return;
	const bool repeats = branch_exits_or_repeats_loop(fn, block);
	FN_SUCC(fn, block, s) {
		uint32_t loop = fn->loops->loop_of[block], inner = loop;
		while (s && loop && !loop_contains(fn->loops, loop, s))
			loop = fn->loops->loops[loop].parent;
		if (s && fn->cfg->blocks[s].npred == 1 && s != fn->dom->ipdom[block] &&
			(!repeats || (varies && loop && loop != inner)))
			consider_arm(w, block, s, loop, varies);
	}
}

/* Returns the issue slots of the code of a loop's exits. */
static double
slots_of_exits(const Candidate_search *w, const Exit_codes *codes)
{
	double sum = 0;

	for (uint32_t i = 0; i < codes->n; i++) {
		const Exit_code *k = &codes->at[i];
		uint32_t around = w->fn->loops->loop_of[k->first];
		sum += w->executed->of ? executed_slots(w->executed, w->fn, k->blocks) :
			slots_of_blocks(w->fn, k->blocks, k->first) * w->sums.runs[around];
	}
	return sum;
}

/* Whether an exit of the loop depends on data, and not on an index alone. */
static bool
loop_exit_depends_on_data(const Candidate_search *w, uint32_t loop)
{
	const Fn *fn = w->fn;
	bool data = false;

	BITS_EACH(b, fn->loops->loops[loop].blocks) {
		bool out = false;
		FN_SUCC(fn, b, s)
			out |= !s || !loop_contains(fn->loops, loop, s);
		uint32_t branch = out ? cfg_terminator(fn->cfg, b) : 0;
		data |= branch && bits_has(fn->uniform->branch, b) && !tests_index(fn, branch);
	}
	return data;
}

static void
consider_loop(Candidate_search *w, uint32_t loop)
{
	const Fn *fn = w->fn;
	const Loop *l = &fn->loops->loops[loop];
	uint32_t stmt = fn_loop_stmt(fn, loop);
	Candidate c = { .kind = ADVICE_LOOP,
		.annot = ANNOT_FOR_VAR,
		.first = l->header,
		.blocks = l->blocks,
		.loop = l->parent };

	if (!bits_has(fn->uniform->loop, loop) || !loop_exit_depends_on_data(w, loop))
		return;
	add_candidate(w, c, slots_of_loop(w, loop), stmt);
	c.annot = ANNOT_WHILE; /* its iterations run in order */
	add_candidate(w, c, slots_of_loop(w, loop), stmt);
}

/* Considers the loop alone, without a path or an inner loop in it: if exits have code of their own,
 * the lanes of a warp that leave in different iterations execute it one group after the other. */
static void
consider_exits(Candidate_search *w, uint32_t loop)
{
	const Fn *fn = w->fn;
	const Loop *l = &fn->loops->loops[loop];
	Candidate c = { .kind = ADVICE_LOOP,
		.annot = ANNOT_FOR,
		.first = l->header,
		.blocks = l->blocks,
		.loop = loop };

	/* few loops have a relevant share; the code of an exit may be the rest of the function */
	if (!bits_has(fn->uniform->loop, loop) || slots_of_loop(w, loop) < LEAST * w->all)
		return;
	const Exit_codes codes = exit_codes_find(fn, loop, w->arena);
	if (!codes.n || !loop_exit_depends_on_data(w, loop))
		return;
	c.exits = bits_new(w->arena, fn->cfg->nblocks);
	for (uint32_t i = 0; i < codes.n; i++)
		bits_or(c.exits, codes.at[i].blocks);
	add_candidate(w, c, slots_of_loop(w, loop) + slots_of_exits(w, &codes),
		fn_loop_stmt(fn, loop));
}

static int
costliest_first(const void *a, const void *b)
{
	const Candidate *x = a, *y = b;

	if (x->share != y->share)
		return x->share < y->share ? 1 : -1;
	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return x->annot < y->annot ? -1 : x->annot > y->annot;
}

bool
candidates_collect(const Fn *fn, const Executed *e, Arena *a, Candidates *to)
{
	for (uint32_t i = 1; i < fn->loops->nloops; i++)
		if (fn->loops->loops[i].depth > MOST_DEPTH)
			return false;
	Candidate_search w = { .fn = fn,
		.executed = e,
		.arena = a,
		.sums = slot_sums_build(fn, a),
		.to = to };
	uint32_t n = to->n;

	w.all = e->of ? e->all : w.sums.run[0];
	if (slots_of_loop(&w, 0) <= 0)
		return true;
	FN_BLOCKS(fn, b)
		consider_branch(&w, b);
	for (uint32_t i = 1; i < fn->loops->nloops; i++)
		consider_loop(&w, i), consider_exits(&w, i);
	if (to->n > n)
		qsort(to->at + n, to->n - n, sizeof *to->at, costliest_first);
	if (to->n > n + MOST)
		to->n = n + MOST;
	return true;
}
