/* SPDX-License-Identifier: MIT */
/* Decides whether a statement of the output is a copy of one of the input: identical text, except
 * for names that stand for other names. */
#include <string.h>
#include "validate/text/text.h"

bool
names_are_equal(const Module *a, uint32_t x, const Module *b, uint32_t y)
{
	size_t n, k;
	const char *c = ptx_name(a, x, &n), *d = ptx_name(b, y, &k);

	return n == k && memcmp(c, d, n) == 0;
}

bool
texts_are_equal(const Module *a, Span x, const Module *b, Span y)
{
	uint32_t n = x.end - x.pos;

	return n == y.end - y.pos && memcmp(a->src->text + x.pos, b->src->text + y.pos, n) == 0;
}

/* Whether a copy for the region must use another register: its task's, or one written in the
 * path. */
static bool
is_renamed(const Loop_check *s, uint32_t in, uint32_t region)
{
	if (!fn_is_reg(s->in.fn, in) || region == AT_ENTRY)
		return false;
	if (region == LOOKAHEAD_COPY)
		return lookahead_number(s, in) != 0;
	if (s->out.draws)
		return bits_has(s->out.draws->own, fn_local(s->in.fn, in));
	return bits_has(s->copies.of_task[region], fn_local(s->in.fn, in)) ||
		bits_has(s->paths.at[region - 1].defined, fn_local(s->in.fn, in));
}

bool
match_sym(const Loop_check *s, uint32_t out, uint32_t in, uint32_t region)
{
	const Output_reg *r = output_reg(&s->out, out);

	switch ((Reg_kind)r->kind) {
	case REG_COPY:
		return region && region < LOOKAHEAD_COPY && r->region == region &&
			r->input_sym == in && !r->batch_index;
	case REG_BATCH: return !region && r->input_sym == in;
	case REG_UNIFORM: return region && r->input_sym == in;
	case REG_EMITTED: return false;
	case REG_INPUT:
		if (register_is_scoped(&s->out, out))
			return names_are_equal(s->out.m, out, s->in.m, in);
		return (r->input_sym == in || names_are_equal(s->out.m, out, s->in.m, in)) &&
			!(region && is_renamed(s, in, region));
	case REG_NONE: break;
	}
	if (s->out.draws && region && fn_sreg_has(s->in.fn, in, SREGF_LANE))
		return false;
	return s->out.m->syms[out].kind == s->in.m->syms[in].kind &&
		names_are_equal(s->out.m, out, s->in.m, in);
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* End of the name of a symbol at the start of an operand; a component may follow. */
static uint32_t
name_end(const Module *m, const Opnd *o)
{
	size_t n;

	if (!o->sel)
		return o->at.end;
	const char *name = ptx_name(m, o->sym, &n);
	return o->at.pos + n <= o->at.end && memcmp(name, m->src->text + o->at.pos, n) == 0 ?
		o->at.pos + (uint32_t)n : o->at.pos;
}

/* Iterates over the symbols of a statement's operands, in the order of the text. */
typedef struct { const Module *m; uint32_t o, end, pos; } Operand_walk;

static Operand_walk
operand_walk(const Module *m, const Stmt *s)
{
	Operand_walk w = { m, s->opnd, s->opnd, s->head_end };

	for (uint32_t k = 0; k < s->nopnd; k++)
		w.end += m->opnds[w.end].tree;
	return w;
}

static const Opnd *
next_symbol(Operand_walk *w)
{
	while (w->o < w->end) {
		const Opnd *o = &w->m->opnds[w->o++];
		if (o->kind == OPND_SYM && o->at.pos >= w->pos)
			return o;
	}
	return NULL;
}

/* most are short */
static bool
same_text(const Module *a, Span x, const Module *b, Span y)
{
	const char *v = a->src->text + x.pos, *w = b->src->text + y.pos;
	uint32_t n = x.end - x.pos, i = 0;

	if (n != y.end - y.pos)
		return false;
	if (n > 8)
		return memcmp(v, w, n) == 0;
	while (i < n && v[i] == w[i])
		i++;
	return i == n;
}

/* Whether the copy's head is the input's with .rn after the opcode. This is the default rounding,
 * but prevents contraction by ptxas (PTX ISA 9.7.3). */
static bool
is_rounded(const Module *m, const Stmt *y, const char *a, uint32_t n, const char *b, uint32_t k)
{
	Op op = ptx_op(m, y);
	uint32_t word = op == OP_ADD || op == OP_SUB || op == OP_MUL ? 3 : 0;

	return word && n == k + 3 && memcmp(a, b, word) == 0 && memcmp(a + word, ".rn", 3) == 0 &&
		memcmp(a + word + 3, b + word, k - word) == 0 &&
		!ptx_has_any(m, y, (const char *const[]){ "rn", "rz", "rm", "rp", NULL });
}

/* Compares opcode and modifiers. A copy may lack .uni. */
static bool
same_head(const Loop_check *s, const Stmt *x, const Stmt *y)
{
	const char *a = s->out.m->src->text + x->head, *b = s->in.m->src->text + y->head;
	uint32_t n = x->head_end - x->head, k = y->head_end - y->head;

	if (n == k)
		return memcmp(a, b, n) == 0;
	if (is_rounded(s->in.m, y, a, n, b, k))
		return true;
	return k == n + 4 && k >= 8 &&
		((memcmp(a, b, n) == 0 && memcmp(b + n, ".uni", 4) == 0) ||
			(memcmp(b + 4, ".uni", 4) == 0 && memcmp(a, b, 4) == 0 &&
				memcmp(a + 4, b + 8, n - 4) == 0));
}

static bool
same_guard(const Loop_check *s, const Stmt *x, const Stmt *y, uint32_t region)
{
	return x->guard == y->guard && (!x->guard || match_sym(s, x->sym, y->sym, region));
}

static bool
same_symbol(const Loop_check *s, const Opnd *a, const Opnd *b, uint32_t region)
{
	const Output_reg *r = output_reg(&s->out, a->sym);
	bool special = s->in.m->syms[b->sym].kind == SYM_SPECIAL;

	if (!match_sym(s, a->sym, b->sym, region))
		return false;
	return r->kind == REG_COPY && special ? r->sel == b->sel : a->sel == b->sel;
}

static bool
same_operands(const Loop_check *s, const Stmt *x, const Stmt *y, uint32_t region)
{
	Operand_walk v = operand_walk(s->out.m, x), w = operand_walk(s->in.m, y);
	const Opnd *a, *b;

	for (;;) {
		a = next_symbol(&v);
		b = next_symbol(&w);
		if (!a || !b)
			break;
		if (!same_text(s->out.m, (Span){ v.pos, a->at.pos }, s->in.m,
			    (Span){ w.pos, b->at.pos }) ||
			!same_symbol(s, a, b, region))
			return false;
		v.pos = name_end(s->out.m, a);
		bool copied = s->in.m->syms[b->sym].kind == SYM_SPECIAL &&
			output_reg(&s->out, a->sym)->kind == REG_COPY;
		w.pos = copied ? b->at.end : name_end(s->in.m, b);
	}
	return !a && !b &&
		same_text(
			s->out.m, (Span){ v.pos, x->at.end }, s->in.m, (Span){ w.pos, y->at.end });
}

/* The first operand often rules out a copy. */
static bool
begins_like(const Loop_check *s, const Stmt *x, const Stmt *y, uint32_t region)
{
	const Opnd *a = &s->out.m->opnds[x->opnd], *b = &s->in.m->opnds[y->opnd];

	return x->nopnd == 0 || a->kind != OPND_SYM || b->kind != OPND_SYM ||
		match_sym(s, a->sym, b->sym, region);
}

bool
match_stmt(const Loop_check *s, uint32_t out, uint32_t in, uint32_t region, bool guarded)
{
	const Stmt *x = &s->out.m->stmts[out], *y = &s->in.m->stmts[in];

	if (x->kind != STMT_INSN || y->kind != STMT_INSN || x->op != y->op ||
		x->nopnd != y->nopnd || !begins_like(s, x, y, region))
		return false;
	return (guarded ? same_guard(s, x, y, region) : !y->guard) && same_head(s, x, y) &&
		same_operands(s, x, y, region);
}

bool
stmt_is_copy(const Loop_check *s, uint32_t stmt, uint32_t in, uint32_t region, bool guarded)
{
	Output_stmt *k = first_identical_stmt(&s->out, stmt);

	if (!k->known.copy.known || k->known.copy.in != in || k->known.copy.region != region ||
		k->known.copy.guarded != guarded) {
		k->known.copy.known = true;
		k->known.copy.in = in;
		k->known.copy.region = region;
		k->known.copy.guarded = guarded;
		k->known.copy.yes = match_stmt(s, stmt, in, region, guarded);
	}
	return k->known.copy.yes;
}

bool
stmt_is_unchanged(const Module *in, uint32_t i, const Module *out, uint32_t o)
{
	const Stmt *x = &in->stmts[i], *y = &out->stmts[o];

	if (x->kind != y->kind)
		return false;
	if (x->kind == STMT_MARKER) {
		const Marker *a = &in->markers[x->sym], *b = &out->markers[y->sym];
		return a->id == b->id && (a->end == b->end || b->done) && (!a->done || b->done);
	}
	return texts_are_equal(in, x->at, out, y->at);
}
