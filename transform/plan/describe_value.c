/* SPDX-License-Identifier: MIT */
/* Describes values in messages by the source line that computes or uses them, since register names
 * mean nothing without the PTX. With --verbose, an excerpt of the PTX shows them. */
#include "transform/plan/describe_value.h"
#include "transform/plan/plan.h"

/* Returns where the value is computed: by this statement, or by any if that is 0 or has no
 * position. */
static Cuda_pos
place_computed(const Fn *fn, uint32_t sym, uint32_t stmt)
{
	Cuda_pos at = stmt ? ptx_place(fn->m, stmt).at : (Cuda_pos){ 0 };

	FN_DEFS_OF_SYM(fn, sym, d)
		if (!at.file)
			at = ptx_place(fn->m, fn_def(fn, d)->stmt).at;
	return at;
}

static Cuda_pos
place_used(const Fn *fn, uint32_t sym)
{
	Cuda_pos at = { 0 };

	FN_DEFS_OF_SYM(fn, sym, d)
		FN_USES(fn, d, u)
			if (!at.file)
				at = ptx_place(fn->m, fn_use(fn, u)->stmt).at;
	return at;
}

static bool
names_files(const Module *m)
{
	for (uint32_t i = 0; i < m->nitems; i++)
		if (m->items[i].kind == ITEM_FILE)
			return true;
	return false;
}

/* Whether the PTX names source lines, so that its reader wrote CUDA. */
static bool
has_lines(const Fn *fn)
{
	if (!names_files(fn->m))
		return false;
	FN_STMTS(fn, s)
		if (fn_stmt(fn, s)->kind == STMT_LOC)
			return true;
	return false;
}

const char *
describe_value(const Plan *x, uint32_t sym, uint32_t stmt)
{
	const Fn *fn = x->fn;
	Buf name = { 0 };

	if (has_lines(fn)) {
		const Cuda_pos computed = place_computed(fn, sym, stmt),
			       at = computed.file ? computed : place_used(fn, sym);
		if (at.file)
			buf_printf(&name, "the value %s at %s:%u",
				computed.file ? "computed" : "used", at.file, at.line);
		else
			buf_puts(&name, "a value without a source line");
	} else {
		buf_printf(&name, "'%.*s'", PTX_NAME(fn->m, sym));
	}
	const char *s = arena_strndup(x->arena, name.at, name.n);
	buf_free(&name);
	return s;
}
