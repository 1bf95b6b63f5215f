/* SPDX-License-Identifier: MIT */
/* Which instructions of two arms can be one. See meld.h. */
#include <string.h>
#include "transform/meld.h"

uint32_t
meld_leaves(const Module *m, const Stmt *s, Leaf out[LEAVES])
{
	uint32_t n = 0, first = s->opnd, end = first;

	if (s->guard)
		out[n++] = (Leaf){ .sym = s->sym, .at = { s->at.pos, s->head } };
	for (uint32_t k = 0; k < s->nopnd; k++)
		end += m->opnds[end].tree;
	for (uint32_t o = first; o < end; o++) {
		const Opnd *x = &m->opnds[o];
		if (x->tree > 1)
			continue;
		if (n == LEAVES)
			return LEAVES + 1;
		out[n++] =
			(Leaf){ .opnd = o, .sym = x->kind == OPND_SYM ? x->sym : 0, .at = x->at };
	}
	PTX_REFS(m, s, r)
		for (uint32_t i = 0; i < n && r.written; i++)
			out[i].written |= r.opnd && out[i].opnd == r.opnd;
	return n;
}

static bool
same_text(const Module *m, Span a, Span b)
{
	return a.end - a.pos == b.end - b.pos &&
		memcmp(m->src->text + a.pos, m->src->text + b.pos, a.end - a.pos) == 0;
}

bool
meld_movable(const Fn *fn, uint32_t sym)
{
	const Sym *y = &fn->m->syms[sym];
	uint32_t size = ptx_type_size((Type)y->type);

	return fn_is_reg(fn, sym) && y->vec == 1 &&
		(y->type == TYPE_PRED || (size > 1 && size <= 8));
}

bool
meld_selectable(const Fn *fn, const Leaf *l)
{
	return l->sym && meld_movable(fn, l->sym) && (!l->opnd || !fn->m->opnds[l->opnd].sel) &&
		fn_depth(fn, fn->m->syms[l->sym].decl) == 0;
}

static bool
leaves_match(const Fn *fn, const Leaf *a, const Leaf *b)
{
	const Module *m = fn->m;

	if (meld_selectable(fn, a) && meld_selectable(fn, b))
		return a->written == b->written && m->syms[a->sym].type == m->syms[b->sym].type;
	return !meld_selectable(fn, a) && !meld_selectable(fn, b) && same_text(m, a->at, b->at);
}

/* Is all text of two instructions the same but for their leaves? */
static bool
same_frame(
	const Module *m, const Stmt *a, const Stmt *b, const Leaf *la, const Leaf *lb, uint32_t n)
{
	uint32_t p = a->head, q = b->head;

	for (uint32_t i = a->guard != 0; i <= n; i++) {
		uint32_t pe = i < n ? la[i].at.pos : a->at.end,
			 qe = i < n ? lb[i].at.pos : b->at.end;
		if (!same_text(m, (Span){ p, pe }, (Span){ q, qe }))
			return false;
		p = i < n ? la[i].at.end : pe;
		q = i < n ? lb[i].at.end : qe;
	}
	return true;
}

/* Can lanes of both arms run one instruction for these? */
static bool
insns_match(const Fn *fn, const Stmt *a, const Stmt *b)
{
	Leaf la[LEAVES], lb[LEAVES];

	if (a->guard != b->guard ||
		!same_text(fn->m, (Span){ a->head, a->head_end }, (Span){ b->head, b->head_end }))
		return false;
	uint32_t n = meld_leaves(fn->m, a, la);
	if (n > LEAVES || meld_leaves(fn->m, b, lb) != n || !same_frame(fn->m, a, b, la, lb, n))
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (!leaves_match(fn, &la[i], &lb[i]))
			return false;
	return true;
}

bool
meld_silent(const Stmt *s)
{
	return s->kind == STMT_LABEL || s->kind == STMT_LOC || s->kind == STMT_MARKER ||
		s->kind == STMT_PRAGMA;
}

bool
meld_alike(const Fn *fn, Unit a, Unit b)
{
	uint32_t s = a.first, t = b.first;

	for (;; s++, t++) {
		while (s <= a.last && meld_silent(fn_stmt(fn, s)))
			s++;
		while (t <= b.last && meld_silent(fn_stmt(fn, t)))
			t++;
		if (s > a.last || t > b.last)
			return s > a.last && t > b.last;
		const Stmt *x = fn_stmt(fn, s), *y = fn_stmt(fn, t);
		if (x->kind != y->kind ||
			(x->kind == STMT_INSN ? !insns_match(fn, x, y) :
						!same_text(fn->m, x->at, y->at)))
			return false;
	}
}
