/* SPDX-License-Identifier: MIT */
/* Structural print: regenerates the module from the view; see print.h. */
#include "parser/build.h"
#include "tests/view/print.h"

typedef struct {
	const Module *m;
	Buf *to;
} Printer;

/* ---- text ------------------------------------------------------------------------------------ */

/* Writes the bytes of a span without comments, with white space reduced to single blanks. Strings
 * are unchanged. */
static void
put_span(const Printer *w, Span at)
{
	const char *s = w->m->src->text;

	for (uint32_t i = at.pos; i < at.end;) {
		uint32_t next = expr_skip(s, i, at.end);
		if (next > i) {
			if (i > at.pos && next < at.end)
				buf_putc(w->to, ' ');
			i = next;
		} else if (s[i] == '"') {
			for (next = i + 1; next < at.end && s[next] != '"'; next++)
				;
			buf_add(w->to, s + i, next + 1 - i);
			i = next + 1;
		} else {
			buf_putc(w->to, s[i++]);
		}
	}
}

static void
put_name(const Printer *w, uint32_t sym)
{
	size_t len;
	const char *s = ptx_name(w->m, sym, &len);

	buf_add(w->to, s, len);
}

/* ---- operands -------------------------------------------------------------------------------- */

static uint32_t put_operand(const Printer *w, uint32_t i);

/* Writes "+expr" between the end of a base, pos, and end. */
static void
put_offset(const Printer *w, uint32_t pos, uint32_t end)
{
	pos = expr_skip(w->m->src->text, pos, end);
	if (pos < end)
		put_span(w, (Span){ pos, end });
}

/* Writes the operands [i, end) with separators. */
static void
put_list(const Printer *w, uint32_t i, uint32_t end, const char *separator)
{
	for (bool first = true; i < end; first = false) {
		if (!first)
			buf_puts(w->to, separator);
		i = put_operand(w, i);
	}
}

static void
put_symbol(const Printer *w, const Opnd *o)
{
	uint32_t dot = o->at.end;

	put_name(w, o->sym);
	if (!o->sel)
		return;
	while (w->m->src->text[--dot] != '.')
		;
	put_span(w, (Span){ dot, o->at.end });
}

/* Writes [base+offset, ...]. */
static void
put_address(const Printer *w, uint32_t i)
{
	const Opnd *o = &w->m->opnds[i];
	uint32_t base = i + 1, next = base + w->m->opnds[base].tree;

	buf_putc(w->to, '[');
	put_operand(w, base);
	if (w->m->opnds[base].kind == OPND_SYM)
		put_offset(w, w->m->opnds[base].at.end, ptx_offset_end(w->m, o));
	if (next < i + o->tree) {
		buf_puts(w->to, ", ");
		put_list(w, next, i + o->tree, ", ");
	}
	buf_putc(w->to, ']');
}

static void
put_index(const Printer *w, uint32_t i)
{
	const Opnd *o = &w->m->opnds[i], *base = o + 1 + o[1].tree;

	put_operand(w, i + 1);
	buf_putc(w->to, '[');
	put_operand(w, (uint32_t)(base - w->m->opnds));
	if (base->kind == OPND_SYM)
		put_offset(w, base->at.end, o->at.end - 1);
	buf_putc(w->to, ']');
}

/* Writes the operand with index i, and returns the index of the next. */
static uint32_t
put_operand(const Printer *w, uint32_t i)
{
	const Opnd *o = &w->m->opnds[i];
	uint32_t end = i + o->tree;

	switch ((Opnd_kind)o->kind) {
	case OPND_NONE:
		break;
	case OPND_SYM:
		put_symbol(w, o);
		break;
	case OPND_IMM:
		put_span(w, o->at);
		break;
	case OPND_SUM:
		put_operand(w, i + 1);
		put_offset(w, o[1].at.end, o->at.end);
		break;
	case OPND_NEG:
	case OPND_NOT:
		buf_putc(w->to, o->kind == OPND_NEG ? '-' : '!');
		put_operand(w, i + 1);
		break;
	case OPND_PAIR:
		put_list(w, i + 1, end, "|");
		break;
	case OPND_ADDR:
		put_address(w, i);
		break;
	case OPND_VEC:
	case OPND_LIST:
		buf_putc(w->to, o->kind == OPND_VEC ? '{' : '(');
		put_list(w, i + 1, end, ", ");
		buf_putc(w->to, o->kind == OPND_VEC ? '}' : ')');
		break;
	case OPND_INDEX:
		put_index(w, i);
		break;
	}
	return end;
}

/* ---- declarations ---------------------------------------------------------------------------- */

static const char *const spaces[] = { "", ".reg", ".global", ".shared", ".local", ".const",
	".param", ".tex", "" };
static const char *const linkages[] = { "", ".extern ", ".visible ", ".weak ", ".common " };

/* Writes the declaration up to the name. */
static void
put_spec(const Printer *w, uint32_t sym)
{
	const Sym *s = &w->m->syms[sym];
	const Var *v = ptx_var(w->m, sym);

	buf_puts(w->to, v ? linkages[v->linkage] : "");
	buf_puts(w->to, spaces[s->space]);
	if (v && v->cbank)
		buf_printf(w->to, "[%u]", v->cbank - 1);
	if (v && (v->align > 1 || s->type <= TYPE_F64))
		buf_printf(w->to, " .align %u", v->align);
	if (v && v->attr.end) {
		buf_putc(w->to, ' ');
		put_span(w, v->attr);
	}
	if (s->vec > 1)
		buf_printf(w->to, " .v%u", s->vec);
	buf_printf(w->to, " .%s ", ptx_type_name((Type)s->type));
	if (v && v->ptr.end) {
		put_span(w, v->ptr);
		buf_putc(w->to, ' ');
	}
}

/* Writes the name and the rest of the declarator. */
static void
put_declarator(const Printer *w, uint32_t sym)
{
	const Var *v = ptx_var(w->m, sym);

	put_name(w, sym);
	if (w->m->syms[sym].kind == SYM_BANK)
		buf_printf(w->to, "<%u>", w->m->syms[sym].aux);
	if (v)
		put_span(w, v->dims);
	if (v && v->init.end > v->init.pos) {
		buf_puts(w->to, " = ");
		put_span(w, v->init);
	}
}

static void
put_declaration(const Printer *w, uint32_t first, uint32_t n)
{
	put_spec(w, first);
	for (uint32_t i = 0; i < n; i++) {
		buf_puts(w->to, i ? ", " : "");
		put_declarator(w, first + i);
	}
	buf_puts(w->to, ";\n");
}

/* ---- statements ------------------------------------------------------------------------------ */

/* Writes a marker. One with invalid clauses is copied. */
static void
put_marker(const Printer *w, const Marker *k)
{
	const char *verb = k->end ? "end" : k->done ? "done" : "begin";
	Span at = w->m->stmts[k->stmt].at;

	if (k->wrong) {
		buf_add(w->to, w->m->src->text + at.pos, at.end - at.pos);
		buf_putc(w->to, '\n');
		return;
	}
	buf_printf(w->to, "// begin inline asm\n// .ccc %s %s %u", verb,
		annot_kinds[k->annot.kind].marker, k->id);
	if (k->cuda.file) {
		buf_puts(w->to, " \"");
		annot_put_escaped(w->to, k->cuda.file, strlen(k->cuda.file), "");
		buf_printf(w->to, "\":%u", k->cuda.line);
	}
	annot_put_clauses(w->to, &k->annot);
	buf_puts(w->to, "\n// end inline asm\n");
}

static void
put_insn(const Printer *w, const Stmt *s)
{
	if (s->guard) {
		buf_puts(w->to, s->guard == 2 ? "@!" : "@");
		put_name(w, s->sym);
		buf_putc(w->to, ' ');
	}
	put_span(w, (Span){ s->head, s->head_end });
	for (uint32_t k = 0, i = s->opnd; k < s->nopnd; k++) {
		buf_puts(w->to, k ? ", " : " ");
		i = put_operand(w, i);
	}
	buf_puts(w->to, ";\n");
}

static void
put_table(const Printer *w, const Stmt *s)
{
	uint32_t end = s->opnd + s->nopnd;
	bool branch = w->m->syms[w->m->opnds[s->opnd].sym].kind == SYM_LABEL;

	put_name(w, s->sym);
	buf_puts(w->to, branch ? ": .branchtargets " : ": .calltargets ");
	put_list(w, s->opnd, end, ", ");
	buf_puts(w->to, ";\n");
}

static void
put_line(const Printer *w, Span at, const char *end)
{
	put_span(w, at);
	buf_puts(w->to, end);
}

/* Returns the number of symbols that a declaration in a body declares. Members of its banks have
 * the same position and do not count. */
static uint32_t
count_declared(const Module *m, uint32_t stmt)
{
	uint32_t first = m->stmts[stmt].sym, n = 1;

	for (const Sym *s = m->syms + first + 1;
		first + n < m->nsyms && s->decl == stmt && s->pos > s[-1].pos; s++)
		n++;
	return n;
}

static void
put_stmt(const Printer *w, uint32_t i)
{
	const Stmt *s = &w->m->stmts[i];

	switch ((Stmt_kind)s->kind) {
	case STMT_NONE:
		break;
	case STMT_INSN:
		put_insn(w, s);
		break;
	case STMT_LABEL:
		put_name(w, s->sym);
		buf_puts(w->to, ":\n");
		break;
	case STMT_DECL:
		if (s->sym)
			put_declaration(w, s->sym, count_declared(w->m, i));
		else
			put_line(w, (Span){ s->head, s->head_end }, ";\n");
		break;
	case STMT_OPEN:
	case STMT_CLOSE:
		buf_puts(w->to, s->kind == STMT_OPEN ? "{\n" : "}\n");
		break;
	case STMT_LOC:
	case STMT_PRAGMA:
	case STMT_PROTO:
		put_line(w, s->at, "\n");
		break;
	case STMT_TARGETS:
		put_table(w, s);
		break;
	case STMT_MARKER:
		put_marker(w, &w->m->markers[s->sym]);
		break;
	}
}

/* ---- module level ---------------------------------------------------------------------------- */

static void
put_params(const Printer *w, uint32_t first, uint32_t n)
{
	buf_putc(w->to, '(');
	for (uint32_t i = 0; i < n; i++) {
		buf_puts(w->to, i ? ", " : "");
		put_spec(w, first + i);
		put_declarator(w, first + i);
	}
	buf_puts(w->to, ") ");
}

static void
put_func(const Printer *w, const Func *f)
{
	buf_puts(w->to, linkages[f->linkage]);
	buf_puts(w->to, f->entry ? ".entry " : ".func ");
	put_span(w, f->attrs);
	if (f->nret)
		put_params(w, f->ret, f->nret);
	put_name(w, f->sym);
	buf_putc(w->to, ' ');
	if (f->nparam)
		put_params(w, f->param, f->nparam);
	put_span(w, f->dirs);
	if (!f->body) {
		buf_puts(w->to, ";\n");
		return;
	}
	buf_puts(w->to, "\n{\n");
	for (uint32_t i = 0; i < f->nstmt; i++)
		put_stmt(w, f->stmt + i);
	buf_puts(w->to, "}\n");
}

static void
put_item(const Printer *w, const Item *t)
{
	switch ((Item_kind)t->kind) {
	case ITEM_NONE:
		break;
	case ITEM_VERSION:
		buf_printf(w->to, ".version %.*s\n", (int)(t->spec.end - t->spec.pos),
			w->m->src->text + t->spec.pos);
		break;
	case ITEM_ADDRESS_SIZE:
		buf_printf(w->to, ".address_size %.*s\n", (int)(t->spec.end - t->spec.pos),
			w->m->src->text + t->spec.pos);
		break;
	case ITEM_VAR:
		if (t->n)
			put_declaration(w, t->ref, t->n);
		else
			put_line(w, t->spec, ";\n");
		break;
	case ITEM_FUNC:
		put_func(w, &w->m->funcs[t->ref]);
		break;
	case ITEM_SECTION:
		buf_add(w->to, w->m->src->text + t->at.pos, t->at.end - t->at.pos);
		buf_putc(w->to, '\n');
		break;
	case ITEM_TARGET:
	case ITEM_FILE:
	case ITEM_PRAGMA:
	case ITEM_ALIAS:
		put_line(w, t->at, "\n");
		break;
	}
}

void
ptx_print(const Module *m, Buf *to)
{
	Printer w = { m, to };

	for (uint32_t i = 0; i < m->nitems; i++)
		put_item(&w, &m->items[i]);
}
