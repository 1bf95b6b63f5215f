/* SPDX-License-Identifier: MIT */
/* Dumps of control flow and liveness, and the helpers of all dumps; see dump.h. */
#include <string.h>
#include "analysis/analyse.h"
#include "analysis/dump/dump.h"

enum { STMT_WIDTH = 100 };  /* maximum number of bytes shown of a statement */

/* ---- helpers --------------------------------------------------------------------------------- */

uint32_t
dump_line(const Module *m, uint32_t stmt)
{
	uint32_t line, col;

	source_position(m->src, m->stmts[stmt].at.pos, &line, &col);
	return line;
}

void
dump_sym(const Module *m, uint32_t sym, Buf *out)
{
	buf_printf(out, "%.*s", PTX_NAME(m, sym));
}

void
dump_block(const Cfg *g, uint32_t block, Buf *out)
{
	const Block *b = &g->blocks[block];
	const Stmt *s = &g->m->stmts[b->stmt];

	if (!block)
		buf_puts(out, "exit");
	else if (b->stmt < b->end && s->kind == STMT_LABEL)
		dump_sym(g->m, s->sym, out);
	else
		buf_printf(out, "B%u", block);
}

void
dump_stmt(const Module *m, uint32_t stmt, size_t max, Buf *out)
{
	Span at = m->stmts[stmt].at;
	size_t start = out->n;
	bool blank = false;

	for (uint32_t i = at.pos; i < at.end; i++) {
		char c = m->src->text[i];
		if (strchr(" \t\r\n\f", c)) {
			blank = true;
			continue;
		}
		if (out->n - start >= max) {
			buf_puts(out, " ...");
			return;
		}
		if (blank && out->n > start)
			buf_putc(out, ' ');
		blank = false;
		buf_putc(out, c);
	}
}

static void
dump_blocks(const Cfg *g, const uint32_t *list, uint32_t n, Buf *out)
{
	for (uint32_t i = 0; i < n; i++) {
		buf_putc(out, ' ');
		dump_block(g, list[i], out);
	}
	if (!n)
		buf_puts(out, " -");
}

static void
dump_set(const Cfg *g, Bits set, Buf *out)
{
	BITS_EACH(b, set) {
		buf_putc(out, ' ');
		dump_block(g, b, out);
	}
}

/* Writes the beginning of a line about a block. */
static void
begin_block(const Cfg *g, uint32_t b, Buf *out)
{
	buf_printf(out, "B%u", b);
	if (b && g->blocks[b].stmt < g->blocks[b].end &&
		g->m->stmts[g->blocks[b].stmt].kind == STMT_LABEL) {
		buf_putc(out, ' ');
		dump_block(g, b, out);
	}
	buf_putc(out, ':');
	if (b && g->rpo_index[b] == UINT32_MAX)
		buf_puts(out, " unreachable,");
}

/* ---- dumps ----------------------------------------------------------------------------------- */

static void
dump_cfg(const Fn *fn, Diags *d, Buf *out)
{
	(void)d;
	FN_BLOCKS(fn, b) {
		const Block *k = &fn->cfg->blocks[b];
		begin_block(fn->cfg, b, out);
		buf_puts(out, " from");
		dump_blocks(fn->cfg, cfg_pred(fn->cfg, b), k->npred, out);
		buf_puts(out, ", to");
		dump_blocks(fn->cfg, cfg_succ(fn->cfg, b), k->nsucc, out);
		buf_putc(out, '\n');
		FN_BLOCK_STMTS(fn, b, s) {
			if (fn_stmt(fn, s)->kind != STMT_INSN &&
				fn_stmt(fn, s)->kind != STMT_MARKER)
				continue;
			buf_printf(out, "%8u  ", dump_line(fn->m, s));
			dump_stmt(fn->m, s, STMT_WIDTH, out);
			buf_putc(out, '\n');
		}
	}
}

static void
dump_dom(const Fn *fn, Diags *d, Buf *out)
{
	(void)d;
	FN_BLOCKS(fn, b) {
		begin_block(fn->cfg, b, out);
		buf_puts(out, " idom ");
		if (fn->dom->idom[b])
			dump_block(fn->cfg, fn->dom->idom[b], out);
		else
			buf_putc(out, '-');
		buf_puts(out, ", ipdom ");
		dump_block(fn->cfg, fn->dom->ipdom[b], out);
		buf_putc(out, '\n');
	}
}

static void
dump_loop(const Fn *fn, Diags *d, Buf *out)
{
	(void)d;
	for (uint32_t i = 1; i < fn->loops->nloops; i++) {
		const Loop *l = &fn->loops->loops[i];
		buf_printf(out, "loop %u: header ", i);
		dump_block(fn->cfg, l->header, out);
		buf_printf(out, ", depth %u", l->depth);
		if (l->parent)
			buf_printf(out, ", in loop %u", l->parent);
		if (l->trips)
			buf_printf(out, ", trips %u", l->trips);
		if (bits_has(fn->uniform->loop, i))
			buf_puts(out, ", lanes in different iterations");
		buf_puts(out, ", blocks");
		dump_set(fn->cfg, l->blocks, out);
		buf_putc(out, '\n');
	}
	if (bits_any(fn->loops->irreducible)) {
		buf_puts(out, "irreducible:");
		dump_set(fn->cfg, fn->loops->irreducible, out);
		buf_putc(out, '\n');
	}
}

static void
dump_regs(const Fn *fn, Bits set, Buf *out)
{
	BITS_EACH(i, set) {
		buf_putc(out, ' ');
		dump_sym(fn->m, fn_sym(fn, i), out);
	}
	buf_putc(out, '\n');
}

static void
dump_live(const Fn *fn, Diags *d, Buf *out)
{
	Arena *a = arena_new();

	(void)d;
	FN_BLOCKS(fn, b) {
		begin_block(fn->cfg, b, out);
		buf_puts(out, "\n\tin: ");
		dump_regs(fn, fn->live->in[b], out);
		buf_puts(out, "\tout:");
		dump_regs(fn, live_out_of(fn->live, fn->cfg, b, a), out);
	}
	arena_free(a);
}

/* ---- table ----------------------------------------------------------------------------------- */

static const struct { const char *name; Dump *text, *dot; } kinds[] = {
	{ "cfg",     dump_cfg,     dot_cfg },
	{ "dom",     dump_dom,     NULL },
	{ "loop",    dump_loop,    NULL },
	{ "live",    dump_live,    NULL },
	{ "defuse",  dump_defuse,  dot_defuse },
	{ "uniform", dump_uniform, NULL },
	{ "region",  dump_region,  NULL },
};

bool
dump_known(const char *what)
{
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (!strcmp(kinds[i].name, what))
			return true;
	return false;
}

bool
dump_function(const char *what, const Module *m, uint32_t func, bool dot, Diags *d, Buf *out)
{
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		Dump *dump = dot ? kinds[i].dot : kinds[i].text;
		if (strcmp(kinds[i].name, what) || !dump)
			continue;
		Arena *a = arena_new();
		const Fn *fn = fn_build(m, func, NULL, a);
		if (!dot) {
			buf_puts(out, "function ");
			dump_sym(m, fn->f->sym, out);
			buf_putc(out, '\n');
		}
		dump(fn, d, out);
		arena_free(a);
		return true;
	}
	return false;
}
