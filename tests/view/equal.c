/* SPDX-License-Identifier: MIT */
/* Equality of two views except for positions; see print.h. */
#include "parser/build.h"
#include "tests/view/print.h"

typedef struct {
	const Module *a, *b;
	const char *why;
	uint32_t at;
} Module_pair;

/* Whether the texts are equal except for white space and comments. */
static bool
same_text(const Module_pair *p, Span x, Span y)
{
	const char *s = p->a->src->text, *t = p->b->src->text;
	uint32_t i = x.pos, k = y.pos;

	for (;; i++, k++) {
		i = expr_skip(s, i, x.end);
		k = expr_skip(t, k, y.end);
		if (i >= x.end || k >= y.end)
			return i >= x.end && k >= y.end;
		if (s[i] != t[k])
			return false;
	}
}

static bool
same_name(const Module_pair *p, uint32_t sym)
{
	size_t n, k;
	const char *s = ptx_name(p->a, sym, &n), *t = ptx_name(p->b, sym, &k);

	return n == k && memcmp(s, t, n) == 0;
}

static bool
report_difference(Module_pair *p, const char *why, uint32_t at)
{
	p->why = why;
	p->at = at;
	return false;
}

static bool
same_syms(Module_pair *p)
{
	if (p->a->nsyms != p->b->nsyms)
		return report_difference(p, "number of symbols", p->a->nsyms);
	for (uint32_t i = 1; i < p->a->nsyms; i++) {
		Sym s = p->a->syms[i], t = p->b->syms[i];
		s.pos = t.pos = 0;
		s.name = t.name = 0;
		if (memcmp(&s, &t, sizeof s) != 0 || !same_name(p, i))
			return report_difference(p, "symbol", i);
	}
	if (p->a->nvars != p->b->nvars)
		return report_difference(p, "number of variables", p->a->nvars);
	for (uint32_t i = 0; i < p->a->nvars; i++) {
		const Var *s = &p->a->vars[i], *t = &p->b->vars[i];
		if (s->sym != t->sym || s->linkage != t->linkage || s->align != t->align ||
			s->bytes != t->bytes || s->cbank != t->cbank ||
			!same_text(p, s->attr, t->attr) || !same_text(p, s->ptr, t->ptr) ||
			!same_text(p, s->dims, t->dims) || !same_text(p, s->init, t->init))
			return report_difference(p, "variable", s->sym);
	}
	return true;
}

/* Returns the part of an operand's text that only its own node represents: a constant, an offset, a
 * component. */
static Span
node_text(const Module *m, const Opnd *o)
{
	const Opnd *base = o + 1;
	Span none = { 0, 0 };
	uint32_t dot = o->at.end;

	switch ((Opnd_kind)o->kind) {
	case OPND_IMM:
		return o->at;
	case OPND_SYM:
		while (o->sel && m->src->text[--dot] != '.')
			;
		return (Span){ dot, o->at.end };
	case OPND_SUM:
	case OPND_ADDR:
		return base->kind == OPND_SYM ? (Span){ base->at.end, ptx_offset_end(m, o) } : none;
	case OPND_INDEX:
		base += base->tree;
		return base->kind == OPND_SYM ? (Span){ base->at.end, o->at.end - 1 } : none;
	default:
		return none;
	}
}

static bool
same_opnd(const Module_pair *p, const Opnd *s, const Opnd *t)
{
	return s->kind == t->kind && s->sel == t->sel && s->tree == t->tree && s->sym == t->sym &&
		same_text(p, node_text(p->a, s), node_text(p->b, t));
}

static bool
same_stmts(Module_pair *p)
{
	if (p->a->nstmts != p->b->nstmts || p->a->nopnds != p->b->nopnds)
		return report_difference(p, "number of statements or operands", p->a->nstmts);
	for (uint32_t i = 1; i < p->a->nopnds; i++)
		if (!same_opnd(p, &p->a->opnds[i], &p->b->opnds[i]))
			return report_difference(p, "operand", i);
	for (uint32_t i = 1; i < p->a->nstmts; i++) {
		const Stmt *s = &p->a->stmts[i], *t = &p->b->stmts[i];
		if (s->kind != t->kind || s->sym != t->sym || s->opnd != t->opnd ||
			s->nopnd != t->nopnd || s->guard != t->guard || s->op != t->op)
			return report_difference(p, "statement", i);
		if (s->kind == STMT_INSN &&
			!same_text(
				p, (Span){ s->head, s->head_end }, (Span){ t->head, t->head_end }))
			return report_difference(p, "opcode", i);
		if ((s->kind == STMT_LOC || s->kind == STMT_PRAGMA || s->kind == STMT_PROTO) &&
			!same_text(p, s->at, t->at))
			return report_difference(p, "statement's text", i);
	}
	return true;
}

static bool
same_funcs(Module_pair *p)
{
	if (p->a->nfuncs != p->b->nfuncs)
		return report_difference(p, "number of functions", p->a->nfuncs);
	for (uint32_t i = 1; i < p->a->nfuncs; i++) {
		Func s = p->a->funcs[i], t = p->b->funcs[i];
		if (!same_text(p, s.attrs, t.attrs) || !same_text(p, s.dirs, t.dirs))
			return report_difference(p, "function's directives", i);
		if (s.sym != t.sym || s.entry != t.entry || s.body != t.body ||
			s.noreturn != t.noreturn || s.linkage != t.linkage || s.stmt != t.stmt ||
			s.nstmt != t.nstmt || s.sym0 != t.sym0 || s.nsym != t.nsym ||
			s.nmarkers != t.nmarkers || s.nret != t.nret || s.nparam != t.nparam ||
			memcmp(s.maxntid, t.maxntid, sizeof s.maxntid) != 0 ||
			memcmp(s.reqntid, t.reqntid, sizeof s.reqntid) != 0)
			return report_difference(p, "function", i);
	}
	return true;
}

static bool
same_annot(const Annot *a, const Annot *b)
{
	Buf s = { 0 }, t = { 0 };

	annot_put_clauses(&s, a);
	annot_put_clauses(&t, b);
	bool same = a->kind == b->kind && strcmp(s.at ? s.at : "", t.at ? t.at : "") == 0;
	buf_free(&s);
	buf_free(&t);
	return same;
}

static bool
same_markers(Module_pair *p)
{
	if (p->a->nmarkers != p->b->nmarkers)
		return report_difference(p, "number of markers", p->a->nmarkers);
	for (uint32_t i = 1; i < p->a->nmarkers; i++) {
		const Marker *s = &p->a->markers[i], *t = &p->b->markers[i];
		const char *f = s->cuda.file ? s->cuda.file : "",
			   *g = t->cuda.file ? t->cuda.file : "";
		if (s->end != t->end || s->done != t->done || s->id != t->id ||
			s->stmt != t->stmt || s->func != t->func || s->cuda.line != t->cuda.line ||
			strcmp(f, g) != 0 || !s->wrong != !t->wrong ||
			!same_annot(&s->annot, &t->annot))
			return report_difference(p, "marker", i);
	}
	return true;
}

static bool
same_items(Module_pair *p)
{
	const Module *a = p->a, *b = p->b;

	if (a->nitems != b->nitems || a->version != b->version || a->target != b->target ||
		a->debug != b->debug || a->address_size != b->address_size)
		return report_difference(p, "module header or number of items", a->nitems);
	for (uint32_t i = 0; i < a->nitems; i++) {
		const Item *s = &a->items[i], *t = &b->items[i];
		bool text = s->kind != ITEM_VAR && s->kind != ITEM_FUNC;
		if (s->kind != t->kind || s->linkage != t->linkage || s->ref != t->ref ||
			s->n != t->n || (text && !same_text(p, s->at, t->at)))
			return report_difference(p, "item", i);
	}
	return true;
}

bool
ptx_equal(const Module *a, const Module *b, const char **why, uint32_t *at)
{
	Module_pair p = { a, b, NULL, 0 };
	bool same = same_items(&p) && same_syms(&p) && same_funcs(&p) && same_stmts(&p) &&
		same_markers(&p);

	*why = p.why;
	*at = p.at;
	return same;
}
