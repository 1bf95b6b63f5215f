/* SPDX-License-Identifier: MIT */
/* Verification of output text. See verify.h. */
#include "analysis/analyse.h"
#include "analysis/dataflow/loc_index.h"
#include "transform/output/convergence_check.h"
#include "transform/output/verify.h"
#include "transform/plan/plan.h"

static void
first_error(void *user, const Diag *g)
{
	Buf *why = user;

	if (g->level == DIAG_ERROR && why->n == 0)
		buf_printf(why, "line %u: %s", g->line, g->text);
}

static bool
check_locs(Module *m, const Func *f, Buf *why)
{
	Arena_mark mark = arena_mark(m->arena);
	uint32_t line, col, stmt = loc_index_out_of_order(loc_index_build(m, f, m->arena), f);

	arena_release(m->arena, mark);
	if (!stmt)
		return true;
	source_position(m->src, m->stmts[stmt].at.pos, &line, &col);
	buf_printf(why, "line %u: no earlier .loc names the place of its inlined_at", line);
	return false;
}

static bool
check_sync(const Module *m, uint32_t func, const Effects *effects, Buf *why)
{
	Arena *a = arena_new();
	bool ok = check_convergence(fn_build(m, func, effects, a), why);

	arena_free(a);
	return ok;
}

bool
verify_with(const char *name, const char *text, size_t len, bool whole, Verify_hook *more,
	void *user, Buf *why)
{
	Source src;

	source_from(&src, name, text, len);
	Diags *d = diags_new(&src);
	Module *m = ptx_parse(&src, d);
	bool ok = m != NULL;
	const Effects *effects = m && whole ? effects_build(m, m->arena) : NULL;
	for (uint32_t i = 1; m && i < m->nfuncs && ok; i++)
		ok = !m->funcs[i].nmarkers ||
			(check_locs(m, &m->funcs[i], why) &&
				(!whole || check_sync(m, i, effects, why)));
	if (ok && more)
		ok = more(user, m, why);
	diags_each(d, first_error, why);
	ptx_free(m);
	diags_free(d);
	source_release(&src);
	return ok;
}

bool
verify_text(const char *name, const char *text, size_t len, Buf *why)
{
	return verify_with(name, text, len, false, NULL, NULL, why);
}
