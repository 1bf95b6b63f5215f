/* Dumps of def-use links and of uniformity. See dump.h. */
#include "analysis/dump.h"

enum { STMT_WIDTH = 100 };

/* Lines of the definitions that reach a use; those of the function's entry as "entry". */
static void
dump_reach(const Fn *fn, const Use *u, Buf *out)
{
	buf_puts(out, "\t  ");
	dump_sym(fn->m, u->sym, out);
	buf_puts(out, " from");
	for (uint32_t i = u->def; i < u->def + u->ndef; i++) {
		uint32_t stmt = fn->defuse->defs[fn->defuse->reach[i]].stmt;
		if (stmt)
			buf_printf(out, " %u", dump_line(fn->m, stmt));
		else
			buf_puts(out, " entry");
	}
	buf_putc(out, '\n');
}

void
dump_defuse(const Fn *fn, Diags *d, Buf *out)
{
	const Defuse *du = fn->defuse;

	(void)d;
	for (uint32_t s = fn->f->stmt; s < fn->f->stmt + fn->f->nstmt; s++) {
		if (fn_stmt(fn, s)->kind != STMT_INSN)
			continue;
		buf_printf(out, "%8u  ", dump_line(fn->m, s));
		dump_stmt(fn->m, s, STMT_WIDTH, out);
		buf_putc(out, '\n');
		uint32_t u = du->use_of_stmt[s - fn->f->stmt];
		for (; u && u < du->nuses && du->uses[u].stmt == s; u++)
			dump_reach(fn, &du->uses[u], out);
	}
}

/* Does any result of a statement vary, or the condition of a branch? */
static bool
stmt_varies(const Fn *fn, uint32_t stmt)
{
	const Defuse *du = fn->defuse;
	uint32_t d = du->def_of_stmt[stmt - fn->f->stmt], b = cfg_block_of(fn->cfg, stmt);

	for (; d && d < du->ndefs && du->defs[d].stmt == stmt; d++)
		if (bits_has(fn->uniform->def, d))
			return true;
	return cfg_terminator(fn->cfg, b) == stmt && bits_has(fn->uniform->branch, b);
}

void
dump_uniform(const Fn *fn, Diags *d, Buf *out)
{
	const Defuse *du = fn->defuse;

	(void)d;
	buf_puts(out, "   line |: only some lanes run it together; *: a result, or the branch's condition, varies\n");
	for (uint32_t s = fn->f->stmt; s < fn->f->stmt + fn->f->nstmt; s++) {
		uint32_t b = cfg_block_of(fn->cfg, s);
		if (fn_stmt(fn, s)->kind == STMT_LABEL) {
			dump_block(fn->cfg, b, out);
			buf_puts(out, ":\n");
		}
		if (fn_stmt(fn, s)->kind != STMT_INSN)
			continue;
		buf_printf(out, "%8u %c%c ", dump_line(fn->m, s), bits_has(fn->uniform->block, b) ? '|' : ' ',
			stmt_varies(fn, s) ? '*' : ' ');
		dump_stmt(fn->m, s, STMT_WIDTH, out);
		uint32_t u = du->use_of_stmt[s - fn->f->stmt];
		for (const char *sep = "  // reads varying "; u && u < du->nuses && du->uses[u].stmt == s; u++)
			if (bits_has(fn->uniform->use, u)) {
				buf_puts(out, sep);
				dump_sym(fn->m, du->uses[u].sym, out);
				sep = " ";
			}
		buf_putc(out, '\n');
	}
}
