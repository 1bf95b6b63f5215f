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
block_side(const Plan *x, uint32_t b)
{
	for (uint32_t i = 0; i < x->nregions; i++)
		if (task_region_has(&x->regions[i], b))
			return unify_side(x, i) + 1;
	return 0;
}

/* Whether the one path leads to the other within an iteration. */
static bool
path_reaches_path(const Plan *x, const Region *from, const Region *to)
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
takes_one_side(const Plan *x)
{
	const Region *a = x->regions[0].path, *b = x->regions[1].path;

	return x->nregions == 2 && !path_reaches_path(x, a, b) && !path_reaches_path(x, b, a);
}

/* Whether the loop's definitions of the register, and their uses in the loop, belong to one arm,
 * whose iterations keep their order. */
static bool
register_is_of_one_side(const Plan *x, uint32_t sym)
{
	const Fn *fn = x->fn;
	uint32_t side = 0;

	FN_DEFS_OF_SYM(fn, sym, d) {
		uint32_t s = fn_def(fn, d)->stmt, b = s ? fn_block(fn, s) : 0;
		if (!s || !loop_contains(fn->loops, x->site->loop, b))
			continue;
		if (!block_side(x, b) || (side && block_side(x, b) != side))
			return false;
		side = block_side(x, b);
		FN_USES(fn, d, u) {
			uint32_t at = fn_block(fn, fn_use(fn, u)->stmt);
			if (loop_contains(fn->loops, x->site->loop, at) &&
				block_side(x, at) != side)
				return false;
		}
	}
	return side != 2 || takes_one_side(x);
}

/* Returns a definition of the register in a path, or 0. */
static uint32_t
find_path_def(const Plan *x, uint32_t sym)
{
	FN_DEFS_OF_SYM(x->fn, sym, d) {
		uint32_t s = fn_def(x->fn, d)->stmt;
		if (s && block_is_path_only(x, fn_block(x->fn, s)))
			return d;
	}
	return 0;
}

/* Checks the registers that are live at the start of block `to`. */
static Verdict
check_live_in_order(const Plan *x, uint32_t to, const char *where)
{
	const Fn *fn = x->fn;

	BITS_EACH(i, fn->live->in[to]) {
		uint32_t sym = fn_sym(fn, i), d = fn_is_reg(fn, sym) ? find_path_def(x, sym) : 0;
		if (!d || register_is_of_one_side(x, sym))
			continue;
		return verdict_note(
			verdict(x->arena, D_LIVE_OUT, fn_stmt(fn, fn_def(fn, d)->stmt)->at.pos,
				"lanes run the sides of the branch one after the other, but %s goes %s, and belongs to neither side alone",
				describe_value(x, sym, fn_def(fn, d)->stmt), where),
			x->arena, DIAG_NOWHERE, "'#pragma ccc delay' keeps the order of iterations");
	}
	return VERDICT_YES;
}

/* Checks thread-local memory in the same way. */
static Verdict
check_local_order(const Plan *x)
{
	Bits side[3];

	for (uint32_t k = 0; k < 3; k++)
		side[k] = bits_new(x->scratch, x->fn->cfg->nblocks);
	BITS_EACH(b, x->fn->loops->loops[x->site->loop].blocks)
		bits_set(side[block_side(x, b)], b);
	bool first = blocks_use_local_memory(x, side[1]),
	     second = blocks_use_local_memory(x, side[2]);
	if (!second || (!first && takes_one_side(x)) ||
		((!first || blocks_local_is_scratch(x, side[1])) &&
			blocks_local_is_scratch(x, side[2])))
		return VERDICT_YES;
	return verdict_note(
		verdict(x->arena, D_LOCAL, DIAG_NOWHERE,
			"lanes run the sides of the branch one after the other, and thread-local memory belongs to neither side alone"),
		x->arena, DIAG_NOWHERE,
		"if each side fills what it reads there, say 'scratch'");
}

Verdict
plan_check_unify(const Plan *x)
{
	Verdict v = check_local_order(x);

	if (!verdict_is_no(v))
		v = check_live_in_order(x, plan_header(x), "from iteration to iteration");

	for (uint32_t i = 0; i < x->common.nexits && !verdict_is_no(v); i++)
		if (x->common.exits[i].block)
			v = check_live_in_order(x, x->common.exits[i].block, "to the code after the loop");
	return v;
}
