/* SPDX-License-Identifier: MIT */
/* Finds instructions of two arms that can be one. See meld.h. */
#include <string.h>
#include "transform/rewrite/meld.h"

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
meld_register_is_movable(const Fn *fn, uint32_t sym)
{
	const Sym *y = &fn->m->syms[sym];
	uint32_t size = ptx_type_size((Type)y->type);

	return fn_is_reg(fn, sym) && y->vec == 1 &&
		(y->type == TYPE_PRED || (size > 1 && size <= 8));
}

bool
meld_leaf_is_selectable(const Fn *fn, const Leaf *l)
{
	return l->sym && meld_register_is_movable(fn, l->sym) &&
		(!l->opnd || !fn->m->opnds[l->opnd].sel) &&
		fn_depth(fn, fn->m->syms[l->sym].decl) == 0;
}

static bool
leaves_match(const Fn *fn, const Leaf *a, const Leaf *b)
{
	const Module *m = fn->m;

	if (meld_leaf_is_selectable(fn, a) && meld_leaf_is_selectable(fn, b))
		return a->written == b->written && m->syms[a->sym].type == m->syms[b->sym].type;
	return !meld_leaf_is_selectable(fn, a) && !meld_leaf_is_selectable(fn, b) &&
		same_text(m, a->at, b->at);
}

/* Whether the texts of two instructions are the same except for their leaves. */
static bool
texts_match_around_leaves(
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

/* Whether one instruction can serve the lanes of both arms. */
static bool
insns_are_mergeable(const Fn *fn, const Stmt *a, const Stmt *b)
{
	Leaf la[LEAVES], lb[LEAVES];

	if (a->guard != b->guard ||
		!same_text(fn->m, (Span){ a->head, a->head_end }, (Span){ b->head, b->head_end }))
		return false;
	uint32_t n = meld_leaves(fn->m, a, la);
	if (n > LEAVES || meld_leaves(fn->m, b, lb) != n ||
		!texts_match_around_leaves(fn->m, a, b, la, lb, n))
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (!leaves_match(fn, &la[i], &lb[i]))
			return false;
	return true;
}

/* Whether the instruction's result is bit for bit the same with its first two sources swapped.
 * Floating-point instructions qualify for 32 bits only, as they return a single NaN there. */
static bool
sources_commute(const Module *m, const Stmt *s)
{
	static const uint8_t ops[] = { OP_ADD, OP_MUL, OP_MAD, OP_FMA, OP_AND, OP_OR, OP_XOR };
	bool found = false;

	for (size_t i = 0; i < sizeof ops; i++)
		found |= ptx_op(m, s) == ops[i];
	if (!found || ptx_flags(m, s) & OPF_CARRY)
		return false;
	const char *text = m->src->text;
	for (uint32_t p = s->head; p + 3 <= s->head_end; p++)
		if (text[p] == 'f' && (text[p - 1] == '.' || text[p - 1] == 'b') &&
			memcmp(text + p, "f32", 3) != 0 && text[p + 1] >= '0' && text[p + 1] <= '9')
			return false;
	return memcmp(text + s->head_end - 2, "x2", 2) != 0;
}

uint32_t
meld_pair_leaves(const Meld *x, const uint32_t stmt[2], Leaf a[LEAVES], Leaf b[LEAVES])
{
	const Stmt *s = fn_stmt(x->fn, stmt[0]), *t = fn_stmt(x->fn, stmt[1]);
	uint32_t n = meld_leaves(x->fn->m, s, a), i = s->guard ? 2 : 1;

	meld_leaves(x->fn->m, t, b);
	if (i + 1 >= n || !sources_commute(x->fn->m, s) || a[i].written || a[i + 1].written)
		return n;
	for (uint32_t k = i; k < i + 2; k++)
		if (!meld_leaf_is_selectable(x->fn, &a[k]) ||
			!meld_leaf_is_selectable(x->fn, &b[k]))
			return n;
	int as_is =
		meld_leaves_differ(x, &a[i], &b[i]) + meld_leaves_differ(x, &a[i + 1], &b[i + 1]);
	int other =
		meld_leaves_differ(x, &a[i], &b[i + 1]) + meld_leaves_differ(x, &a[i + 1], &b[i]);
	if (other < as_is) {
		Leaf l = b[i];
		b[i] = b[i + 1];
		b[i + 1] = l;
	}
	return n;
}

bool
meld_stmt_is_silent(const Stmt *s)
{
	return s->kind == STMT_LABEL || s->kind == STMT_LOC || s->kind == STMT_MARKER ||
		s->kind == STMT_PRAGMA;
}

bool
meld_units_match(const Fn *fn, Meld_unit a, Meld_unit b)
{
	uint32_t s = a.first, t = b.first;

	for (;; s++, t++) {
		while (s <= a.last && meld_stmt_is_silent(fn_stmt(fn, s)))
			s++;
		while (t <= b.last && meld_stmt_is_silent(fn_stmt(fn, t)))
			t++;
		if (s > a.last || t > b.last)
			return s > a.last && t > b.last;
		const Stmt *x = fn_stmt(fn, s), *y = fn_stmt(fn, t);
		if (x->kind != y->kind ||
			(x->kind == STMT_INSN ? !insns_are_mergeable(fn, x, y) :
						!same_text(fn->m, x->at, y->at)))
			return false;
	}
}
