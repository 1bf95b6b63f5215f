/* SPDX-License-Identifier: MIT */
/* Branch path unification (`#pragma ccc unify`; Kato, Suda, Tamada: Optimization Techniques for
 * Reducing Branch Divergence on GPUs). Lanes look ahead as in policy `ahead`, and record which
 * of their next iterations take one arm of the branch and which take the other. All lanes then
 * execute the iterations of the first arm, followed by those of the second.
 *
 * This reorders the iterations of a lane, which `for` permits. Values that paths carry between
 * iterations, or that are live out of them, must belong to one arm alone, whose iterations keep
 * their order. The first arm's iterations always do. The second arm's do if no iteration takes
 * both arms, as such an iteration executes with the first. The iteration in which the lane
 * leaves the loop is the last one.
 *
 * In wait.tpl all lanes of M reach `run` and `ran` as usual. `ran` moves each lane's words up,
 * %^other to %^noted and %^end to %^other, so all are empty after the second time, which a vote
 * detects. Each iteration is in one word only and executes once. */
#include "transform/legality/motion_legality.h"
#include "transform/plan/describe_value.h"
#include "transform/plan/plan.h"
#include "transform/wait/wait.h"

/* Returns the arm that contains block b, from 1; 0: none. */
static uint32_t
side_of(const Plan *x, uint32_t b)
{
	for (uint32_t i = 0; i < x->nparts; i++)
		if (part_has(&x->parts[i], b))
			return bound_side(x, i) + 1;
	return 0;
}

/* Whether the one path leads to the other within an iteration. */
static bool
leads_to(const Plan *x, const Region *from, const Region *to)
{
	const Fn *fn = x->fn;
	Bits within = bits_new(x->scratch, fn->cfg->nblocks),
	     seen = bits_new(x->scratch, fn->cfg->nblocks);

	bits_copy(within, fn->loops->loops[x->site->loop].blocks);
	bits_unset(within, plan_header(x));
	cfg_flood(fn->cfg, from->entry, false, within, seen);
	return bits_has(seen, to->entry);
}

/* Whether no iteration takes paths of both arms. */
static bool
takes_one(const Plan *x)
{
	const Region *a = x->parts[0].path, *b = x->parts[1].path;

	return x->nparts == 2 && !leads_to(x, a, b) && !leads_to(x, b, a);
}

/* Whether the loop's definitions of the register, and their uses in the loop, belong to one arm,
 * whose iterations keep their order. */
static bool
of_one_side(const Plan *x, uint32_t sym)
{
	const Fn *fn = x->fn;
	uint32_t side = 0;

	FN_DEFS_OF_SYM(fn, sym, d) {
		uint32_t s = fn_def(fn, d)->stmt, b = s ? fn_block(fn, s) : 0;
		if (!s || !loop_contains(fn->loops, x->site->loop, b))
			continue;
		if (!side_of(x, b) || (side && side_of(x, b) != side))
			return false;
		side = side_of(x, b);
		FN_USES(fn, d, u) {
			uint32_t at = fn_block(fn, fn_use(fn, u)->stmt);
			if (loop_contains(fn->loops, x->site->loop, at) && side_of(x, at) != side)
				return false;
		}
	}
	return side != 2 || takes_one(x);
}

/* Returns a definition of the register in a path, or 0. */
static uint32_t
def_of_path(const Plan *x, uint32_t sym)
{
	FN_DEFS_OF_SYM(x->fn, sym, d) {
		uint32_t s = fn_def(x->fn, d)->stmt;
		if (s && bound_beyond(x, fn_block(x->fn, s)))
			return d;
	}
	return 0;
}

/* Checks the registers that are live at the start of block `to`. */
static Verdict
keeps_order(const Plan *x, uint32_t to, const char *where)
{
	const Fn *fn = x->fn;

	BITS_EACH(i, fn->live->in[to]) {
		uint32_t sym = fn_sym(fn, i), d = fn_is_reg(fn, sym) ? def_of_path(x, sym) : 0;
		if (!d || of_one_side(x, sym))
			continue;
		return verdict_note(
			verdict(x->arena, D_LIVE_OUT, fn_stmt(fn, fn_def(fn, d)->stmt)->at.pos,
				"lanes run the sides of the branch one after the other, but %s goes %s, and belongs to neither side alone",
				plan_value(x, sym, fn_def(fn, d)->stmt), where),
			x->arena, DIAG_NOWHERE, "'#pragma ccc delay' keeps the order of iterations");
	}
	return VERDICT_YES;
}

/* Checks thread-local memory in the same way. */
static Verdict
local_keeps_order(const Plan *x)
{
	Bits side[3];

	for (uint32_t k = 0; k < 3; k++)
		side[k] = bits_new(x->scratch, x->fn->cfg->nblocks);
	BITS_EACH(b, x->fn->loops->loops[x->site->loop].blocks)
		bits_set(side[side_of(x, b)], b);
	bool first = movable_names_local(x, side[1]), second = movable_names_local(x, side[2]);
	if (!second || (!first && takes_one(x)) ||
		((!first || movable_scratch(x, side[1])) && movable_scratch(x, side[2])))
		return VERDICT_YES;
	return verdict_note(
		verdict(x->arena, D_LOCAL, DIAG_NOWHERE,
			"lanes run the sides of the branch one after the other, and thread-local memory belongs to neither side alone"),
		x->arena, DIAG_NOWHERE,
		"if each side fills what it reads there, say 'scratch'");
}

Verdict
plan_unify(const Plan *x)
{
	Verdict v = local_keeps_order(x);

	if (!verdict_no(v))
		v = keeps_order(x, plan_header(x), "from iteration to iteration");

	for (uint32_t i = 0; i < x->nways && !verdict_no(v); i++)
		if (x->ways[i].block)
			v = keeps_order(x, x->ways[i].block, "to the code after the loop");
	return v;
}
