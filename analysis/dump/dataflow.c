/* SPDX-License-Identifier: MIT */
/* Dumps of def-use links and of uniformity; see dump.h. */
#include <stdlib.h>
#include "analysis/dump/dump.h"

enum { STMT_WIDTH = 100 };

static int
by_number(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Writes the lines of the definitions that reach a use, in text order; those of the function's
 * entry as "entry". */
static void
dump_reach(const Fn *fn, uint32_t use, Buf *out)
{
	VEC(uint32_t) defs = { 0 };

	buf_puts(out, "\t  ");
	dump_sym(fn->m, fn_use(fn, use)->sym, out);
	buf_puts(out, " from");
	FN_REACH(fn, use, d)
		*vec_push(&defs) = d;
	if (defs.n)
		qsort(defs.at, defs.n, sizeof *defs.at, by_number);
	for (uint32_t i = 0; i < defs.n; i++)
		if (fn_def(fn, defs.at[i])->stmt)
			buf_printf(out, " %u", dump_line(fn->m, fn_def(fn, defs.at[i])->stmt));
		else
			buf_puts(out, " entry");
	buf_putc(out, '\n');
	vec_free(&defs);
}

void
dump_defuse(const Fn *fn, Diags *d, Buf *out)
{
	(void)d;
	FN_STMTS(fn, s) {
		if (fn_stmt(fn, s)->kind != STMT_INSN)
			continue;
		buf_printf(out, "%8u  ", dump_line(fn->m, s));
		dump_stmt(fn->m, s, STMT_WIDTH, out);
		buf_putc(out, '\n');
		FN_USES_OF_STMT(fn, s, u)
			dump_reach(fn, u, out);
	}
}

/* Whether any result of a statement, or the condition of a branch, varies. */
static bool
stmt_varies(const Fn *fn, uint32_t stmt)
{
	uint32_t b = fn_block(fn, stmt);

	FN_DEFS_OF_STMT(fn, stmt, d)
		if (bits_has(fn->uniform->def, d))
			return true;
	return cfg_terminator(fn->cfg, b) == stmt && bits_has(fn->uniform->branch, b);
}

static void
dump_varying_uses(const Fn *fn, uint32_t stmt, Buf *out)
{
	const char *sep = "  // reads varying ";

	FN_USES_OF_STMT(fn, stmt, u)
		if (bits_has(fn->uniform->use, u)) {
			buf_puts(out, sep);
			dump_sym(fn->m, fn_use(fn, u)->sym, out);
			sep = " ";
		}
}

void
dump_uniform(const Fn *fn, Diags *d, Buf *out)
{
	(void)d;
	buf_puts(out,
		"   line |: only some lanes run it together; *: a result, or the branch's condition, varies\n");
	FN_STMTS(fn, s) {
		uint32_t b = fn_block(fn, s);
		if (fn_stmt(fn, s)->kind == STMT_LABEL) {
			dump_block(fn->cfg, b, out);
			buf_puts(out, ":\n");
		}
		if (fn_stmt(fn, s)->kind != STMT_INSN)
			continue;
		buf_printf(out, "%8u %c%c ", dump_line(fn->m, s),
			bits_has(fn->uniform->block, b) ? '|' : ' ',
			stmt_varies(fn, s) ? '*' : ' ');
		dump_stmt(fn->m, s, STMT_WIDTH, out);
		dump_varying_uses(fn, s, out);
		buf_putc(out, '\n');
	}
}
