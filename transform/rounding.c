/* SPDX-License-Identifier: MIT */
/* Does a plan leave every bit of the floating-point results as it was? docs/proofs/contraction.md
 * has the argument: copies fix what ptxas does with each product where that is known (copy.c), and
 * a loop with a product of which it is not known is refused here.
 */
#include "analysis/contraction.h"
#include "transform/choose.h"

bool
rounding_is_exact(const Pass_options *o, bool promises_nothing)
{
	return o->fp == FP_EXACT || (o->fp == FP_PROMISED && promises_nothing);
}

Verdict
rounding_differs(const Fn *fn, uint32_t product, Arena *a)
{
	return verdict_note(
		verdict(a, D_ROUNDING, fn_stmt(fn, product)->at.pos,
			"whether ptxas fuses this multiplication with an addition depends on the code around it, so the last bit of results may change"),
		a, DIAG_NOWHERE,
		"'--fp=relaxed' (cccnvcc: '--ccc-fp=relaxed') allows it; '-fmad=false' fuses none");
}

Verdict
plan_rounding(const Plan *x)
{
	uint32_t product = 0;

	if (rounding_is_exact(x->opt, plan_promises_nothing(x)))
		product = contraction_unknown_in(x->fn, x->site->blocks);
	return product ? rounding_differs(x->fn, product, x->arena) : VERDICT_YES;
}
