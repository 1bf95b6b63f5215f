/* SPDX-License-Identifier: MIT */
/* The driver of the parser: initialises, runs the grammar, returns the view; and the wording of
 * syntax errors.
 *
 * The view's arrays are the builder's growable arrays. Their unused capacity is address space that
 * was never touched, so nothing is copied to fit. */
#include <stdarg.h>
#include "base/buf.h"
#include "parser/build.h"
#include "ptx.tab.h"
#define YYSTYPE PTXYYSTYPE
#define YYLTYPE PTXYYLTYPE
#include "ptx.lex.h"

enum { MAX_REPORTS = 200 };

/* ---- errors ---------------------------------------------------------------------------------- */

void
parser_error(Parser *p, Diag_kind kind, uint32_t pos, const char *fmt, ...)
{
	Buf text = { 0 };
	va_list ap;

	if (p->errors++ >= MAX_REPORTS)
		return;
	va_start(ap, fmt);
	buf_vprintf(&text, fmt, ap);
	va_end(ap);
	diag(p->diags, kind, pos, "%s", text.at);
	buf_free(&text);
}

void
parser_note(Parser *p, uint32_t pos, const char *text)
{
	if (p->errors <= MAX_REPORTS)
		diag_note(p->diags, pos, "%s", text);
}

/* Returns how much of a piece of text a message quotes. */
static int
quoted_length(Span at)
{
	return at.end - at.pos < 60 ? (int)(at.end - at.pos) : 60;
}

void
parser_wrong(Parser *p, Diag_kind kind, Span at, const char *why)
{
	parser_error(p, kind, at.pos, "'%.*s' %s", quoted_length(at), p->text + at.pos, why);
}

int
parser_lex_error(Parser *p, Span at, Lex_error what)
{
	static const char open[] =
		"possibly unterminated %s: no '%s' before the end or the next bad byte";
	unsigned char c = (unsigned char)p->text[at.pos];

	switch (what) {
	case LEX_COMMENT:
		parser_error(p, D_SYNTAX, at.pos, open, "comment", "*/");
		break;
	case LEX_STRING:
		parser_error(p, D_SYNTAX, at.pos, open, "string", "\"");
		break;
	case LEX_SECTION:
		parser_error(p, D_SYNTAX, at.pos, open, "'.section'", "}");
		break;
	case LEX_NUMBER:
		parser_wrong(p, D_SYNTAX, at, "is no number");
		break;
	case LEX_NUL:
		parser_error(p, D_SYNTAX, at.pos, "NUL byte at offset %u: is this a binary file?",
			at.pos);
		break;
	case LEX_BYTE:
		if (c > ' ' && c < 127)
			parser_error(p, D_SYNTAX, at.pos, "unexpected character '%c'", c);
		else
			parser_error(p, D_SYNTAX, at.pos,
				"byte 0x%02x at offset %u: PTX is plain ASCII", c, at.pos);
		break;
	}
	return PTXYYerror;
}

void
parser_syntax_error(Parser *p, Span at, bool eof, const char *const *expected, int n)
{
	Buf list = { 0 };

	buf_puts(&list, "");
	for (int i = 0; i < n; i++) {
		buf_puts(&list, i == 0 ? ", expected " : i + 1 < n ? ", " : " or ");
		buf_puts(&list, expected[i]);
	}
	if (eof)
		parser_error(p, D_SYNTAX, at.pos, "unexpected end of file%s", list.at);
	else
		parser_error(p, D_SYNTAX, at.pos, "unexpected '%.*s'%s", quoted_length(at),
			p->text + at.pos, list.at);
	if (eof && p->table.scopes.n > 1)
		parser_note(p, p->table.scopes.at[p->table.scopes.n - 1].pos, "possibly unterminated '{' here");
	buf_free(&list);
}

void
parser_too_deep(Parser *p, Span at)
{
	parser_error(p, D_LIMIT, at.pos, "too many nested braces or parentheses");
}

/* Drops the statement read so far. */
void
parser_recover(Parser *p)
{
	Symbol_table *t = &p->table;
	p->opnds.n = p->stmt.opnd;
	while (t->pending.n > 0 && t->pending.at[t->pending.n - 1].opnd >= p->opnds.n)
		t->pending.n--;
	p->stmt = (Open_stmt){ .opnd = p->opnds.n };
	p->var_item = 0;
	spec_reset(p);
}

void
parser_recover_item(Parser *p)
{
	while (p->table.scopes.n > 1)
		scope_close(p);
	p->func = 0;
	p->branches.n = 0;
	parser_recover(p);
}

/* ---- the driver ------------------------------------------------------------------------------ */

static void
parser_init(Parser *p, Source *src, Diags *d)
{
	Arena *arena = arena_new();

	*p = (Parser){ .text = src->text, .diags = d };
	p->m = arena_zalloc(arena, sizeof *p->m);
	p->m->src = src;
	p->m->arena = arena;
	p->m->names = intern_new();
	*vec_push(&p->funcs) = (Func){ 0 };
	*vec_push(&p->stmts) = (Stmt){ 0 };
	*vec_push(&p->opnds) = (Opnd){ 0 };
	*vec_push(&p->syms) = (Sym){ 0 };
	*vec_push(&p->markers) = (Marker){ 0 };
	*vec_push(&p->table.banks) = (Bank){ 0 };
	p->stmt.opnd = p->opnds.n;
	p->ops = op_table_new(arena);
	spec_reset(p);
	scope_init(p);
}

/* Replaces the symbols of repeated declarations, so that each variable has one symbol. */
static void
merge_symbols(Parser *p)
{
	if (p->renewed.n == 0)
		return;
	uint32_t *to = xmalloc(p->syms.n * sizeof *to);
	for (uint32_t i = 0; i < p->syms.n; i++)
		to[i] = i;
	for (uint32_t i = p->renewed.n; i-- > 0;) /* from the last, for chains */
		to[p->renewed.at[i].old] = to[p->renewed.at[i].sym];
	for (uint32_t i = 1; i < p->opnds.n; i++)
		p->opnds.at[i].sym = to[p->opnds.at[i].sym];
	xfree(to);
}

static void
build_module(Parser *p)
{
	Module *m = p->m;

	merge_symbols(p);

	m->funcs = p->funcs.at;
	m->nfuncs = p->funcs.n;
	m->stmts = p->stmts.at;
	m->nstmts = p->stmts.n;
	m->opnds = p->opnds.at;
	m->nopnds = p->opnds.n;
	m->syms = p->syms.at;
	m->nsyms = p->syms.n;
	m->markers = p->markers.at;
	m->nmarkers = p->markers.n;
	m->vars = p->vars.at;
	m->nvars = p->vars.n;
	m->items = p->items.at;
	m->nitems = p->items.n;
}

/* Runs the grammar. The scanner works on its own copy, because it temporarily ends each token with
 * a NUL. */
static void
scan_and_parse(Parser *p, uint32_t len)
{
	void *scanner;
	char *copy = xmalloc((size_t)len + 2);

	if (ptxyylex_init_extra(p, &scanner) != 0)
		die("the scanner cannot start");
	memcpy(copy, p->text, len);
	copy[len] = copy[len + 1] = '\0'; /* the scanner's end mark */
	ptxyy_scan_buffer(copy, (size_t)len + 2, scanner);
	p->base = copy;
	ptxyyparse(scanner, p);
	ptxyylex_destroy(scanner);
	xfree(copy);
}

Module *
ptx_parse(Source *src, Diags *d)
{
	Parser p;
	uint32_t len = src->len;

	/* PTX extracted from a fat binary ends with a NUL */
	while (len > 0 && src->text[len - 1] == '\0')
		len--;
	if (len > INT32_MAX - 2) {
		diag(d, D_LIMIT, DIAG_NOWHERE, "text of 2 GiB or more");
		return NULL;
	}
	parser_init(&p, src, d);
	scan_and_parse(&p, len);
	if (p.errors == 0 && p.items.n < 2) {
		p.errors++;
		diag(d, D_SYNTAX, len, "%s",
			p.items.n == 1 ? "no '.target' in the file" : "no PTX in the file");
	}
	build_module(&p);
	xfree(p.table.names);
	vec_free(&p.table.undos);
	vec_free(&p.table.scopes);
	vec_free(&p.table.banks);
	vec_free(&p.table.pending);
	vec_free(&p.branches);
	vec_free(&p.renewed);
	if (p.errors == 0)
		return p.m;
	ptx_free(p.m);
	return NULL;
}

void
ptx_free(Module *m)
{
	if (!m)
		return;
	xfree(m->funcs);
	xfree(m->stmts);
	xfree(m->opnds);
	xfree(m->syms);
	xfree(m->markers);
	xfree(m->vars);
	xfree(m->items);
	intern_free(m->names);
	arena_free(m->arena); /* including the module itself */
}
