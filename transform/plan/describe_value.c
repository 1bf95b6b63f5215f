/* SPDX-License-Identifier: MIT */
/* Describes values in messages by the source line that computes them, since register names mean
 * nothing without the PTX. With --verbose, an excerpt of the PTX shows them. */
#include "transform/plan/describe_value.h"
#include "transform/plan/plan.h"

const char *
describe_value(const Plan *x, uint32_t sym, uint32_t stmt)
{
	const Fn *fn = x->fn;
	Cuda_pos at = stmt ? ptx_place(fn->m, stmt).at : (Cuda_pos){ 0 };
	Buf name = { 0 };

	FN_DEFS_OF_SYM(fn, sym, d)
		if (!stmt && !at.file)
			at = ptx_place(fn->m, fn_def(fn, d)->stmt).at;
	if (at.file)
		buf_printf(&name, "the value computed at %s:%u", at.file, at.line);
	else
		buf_printf(&name, "'%.*s'", PTX_NAME(fn->m, sym));
	const char *s = arena_strndup(x->arena, name.at, name.n);
	buf_free(&name);
	return s;
}
