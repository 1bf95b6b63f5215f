/* SPDX-License-Identifier: MIT */
/* Compares the statements of a kernel with a task loop, and of copied functions, with the input's.
 *
 * The output has the input's statements, in their order and equal byte by byte, except that
 *
 * - %ctaid.d is the register of the digit d, which is declared in the inserted text;
 * - in a kernel, an end of the thread is a branch to the latch, with the same guard; the last
 *   statement, an end without a guard, may be missing, since the latch follows it;
 * - a call of a function may be one of its copy, with the registers of digits before the other
 *   arguments; the copy is compared in the same way;
 * - markers of the kernel, and in copies all markers, may be missing.
 *
 * Other statements are only at two places, [head, body) and [latch, end). All names that they
 * declare are new in the input, so no other statement of the output names them. */
#include <string.h>
#include "validate/grid/grid.h"
#include "validate/text/text.h"

static bool
body_fault(Grid_check *w, uint32_t i, uint32_t stmt, bool unknown, const char *why)
{
	return grid_fault(&w->fault, &w->texts.at[i], stmt, unknown, why);
}

/* ---- symbols and operands -------------------------------------------------------------------- */

static bool
same_symbol(const Grid_text *t, uint32_t out, uint32_t in)
{
	return t->out->syms[out].kind == t->in->syms[in].kind &&
		names_are_equal(t->out, out, t->in, in);
}

/* Whether the output's register is that of the digit; the first one that is named decides. */
static bool
is_digit(Grid_text *t, uint32_t sym, uint8_t sel)
{
	uint32_t d = sel - (uint32_t)'x', decl = t->out->syms[sym].decl;

	if (d > 2 || !t->head || (t->copy && !t->place[d]) ||
		t->out->syms[sym].kind != SYM_REG ||
		ptx_type_size((Type)t->out->syms[sym].type) != 4 || decl < t->head ||
		(t->body && decl >= t->body))
		return false;
	t->place[d] = t->place[d] ? t->place[d] : sym;
	return t->place[d] == sym;
}

static bool
is_ctaid(const Module *m, const Opnd *o)
{
	return o->kind == OPND_SYM && m->syms[o->sym].kind == SYM_SPECIAL &&
		m->syms[o->sym].aux == SREG_CTAID;
}

/* Whether the input's operand i is the output's operand o. */
static bool
same_operand(Grid_text *t, uint32_t o, uint32_t i)
{
	const Opnd *a = &t->out->opnds[o], *b = &t->in->opnds[i];

	if (is_ctaid(t->in, b))
		return a->kind == OPND_SYM && !a->sel && is_digit(t, a->sym, b->sel);
	if (a->kind != b->kind || a->sel != b->sel || a->tree != b->tree)
		return false;
	if (a->kind == OPND_SYM)
		return same_symbol(t, a->sym, b->sym);
	uint32_t k = 1;
	while (k < a->tree && same_operand(t, o + k, i + k))
		k += a[k].tree;
	if (k < a->tree)
		return false;
	return a->kind == OPND_LIST || a->kind == OPND_VEC || a->kind == OPND_PAIR ||
		a->kind == OPND_NEG || a->kind == OPND_NOT ||
		texts_are_equal(t->out, a->at, t->in, b->at);
}

static bool
same_head(const Grid_text *t, const Stmt *a, const Stmt *b)
{
	return texts_are_equal(t->out, (Span){ a->head, a->head_end }, t->in,
		(Span){ b->head, b->head_end });
}

static bool
same_guard(const Grid_text *t, const Stmt *a, const Stmt *b)
{
	return a->guard == b->guard && (!a->guard || same_symbol(t, a->sym, b->sym));
}

/* ---- statements ------------------------------------------------------------------------------ */

/* Whether it reads %ctaid as something else than 32 bits. */
static bool
reads_block_otherwise(const Module *m, const Stmt *s)
{
	PTX_REFS (m, s, r)
		if (r.opnd && is_ctaid(m, &m->opnds[r.opnd]) &&
			ptx_type_size(ptx_insn_type(m, s)) != 4)
			return true;
	return false;
}

static bool
same_insn(Grid_text *t, uint32_t o, uint32_t i)
{
	const Stmt *a = &t->out->stmts[o], *b = &t->in->stmts[i];
	uint32_t x = a->opnd, y = b->opnd, k = 0;

	if (a->nopnd != b->nopnd || !same_guard(t, a, b) || !same_head(t, a, b) ||
		reads_block_otherwise(t->in, b))
		return false;
	while (k < a->nopnd && same_operand(t, x, y)) {
		x += t->out->opnds[x].tree;
		y += t->in->opnds[y].tree;
		k++;
	}
	return k == a->nopnd;
}

/* Whether function `func`, or one that it calls, reads %ctaid. */
static bool
may_read_block(const Grid_check *w, uint32_t func)
{
	Arena_mark mark = arena_mark(w->arena);
	Bits seen = bits_new(w->arena, w->in->nfuncs);

	effects_flood(w->effects, func, seen);
	bool reads = bits_meet(seen, w->readers);
	arena_release(w->arena, mark);
	return reads;
}

/* Reads the loads at the start of a copy. The names of their registers tell which digits they are;
 * its body and its calls are checked for that. */
static bool
load_digits(Grid_check *w, Grid_text *t)
{
	for (uint32_t o = t->g->stmt, n = 0; n < t->ndigits; o++) {
		const Stmt *s = &w->out->stmts[o];
		if (!ptx_has_stmt(t->g, o) || (s->kind != STMT_INSN && s->kind != STMT_DECL))
			return false;
		if (s->kind == STMT_DECL)
			continue;
		const Opnd *to = &w->out->opnds[s->opnd], *from = to + to->tree;
		if (s->guard || s->nopnd != 2 || ptx_op(w->out, s) != OP_LD ||
			ptx_space(w->out, s) != SPACE_PARAM || to->kind != OPND_SYM || to->sel ||
			ptx_type_size(ptx_insn_type(w->out, s)) != 4 || from->kind != OPND_ADDR ||
			from->tree != 2 || from[1].sym != t->g->param + n ||
			w->out->src->text[from[1].at.end] != ']')
			return false;
		size_t len;
		const char *name = ptx_name(w->out, to->sym, &len);
		uint8_t digit = (uint8_t)name[len - 1];
		if (digit < 'x' || digit > 'z' || t->place[digit - 'x'])
			return false;
		t->place[digit - 'x'] = to->sym;
		t->digit[n++] = digit;
		t->loads = o + 1;
	}
	return true;
}

/* The number of the text of a function and its copy; the number of texts if it is no copy. */
static uint32_t
copy_of(Grid_check *w, uint32_t func, uint32_t copy)
{
	const Func *f = &w->in->funcs[func], *g = &w->out->funcs[copy];
	Grid_text t = { .in = w->in, .out = w->out, .f = f, .g = g, .copy = true };
	uint32_t i = 0;

	while (i < w->texts.n && !(w->texts.at[i].f == f && w->texts.at[i].g == g))
		i++;
	t.ndigits = g->nparam - f->nparam;
	if (i == w->texts.n && f->body && g->body && !g->entry && g->nparam > f->nparam &&
		t.ndigits <= 3 && load_digits(w, &t)) {
		*vec_push(&w->texts) = t;
		return i;
	}
	return i;
}

/* Whether the arguments are those of the input after the digits' registers. x, y: the lists; 0 if
 * there is none. */
static bool
same_arguments(Grid_text *t, const Grid_text *callee, uint32_t x, uint32_t y)
{
	const Opnd *a = &t->out->opnds[x], *b = &t->in->opnds[y];
	uint32_t k = a->kind == OPND_LIST, i = b->kind == OPND_LIST, end = x ? a->tree : k,
		 last = y ? b->tree : i;

	for (uint32_t d = 0; d < callee->ndigits; d++, k++)
		if (k >= end || a[k].kind != OPND_SYM || a[k].sel ||
			!is_digit(t, a[k].sym, callee->digit[d]))
			return false;
	while (k < end && i < last && same_operand(t, x + k, y + i)) {
		k += a[k].tree;
		i += b[i].tree;
	}
	return k == end && i == last;
}

/* Whether the header is the input's, with more parameters at its start. */
static bool
same_header(Grid_check *w, uint32_t i)
{
	const Grid_text *t = &w->texts.at[i];
	const Func *f = t->f, *g = t->g;
	uint32_t from = f->nparam ? f->list.pos + 1 : f->list.end ? f->list.end - 1 : f->name.end,
		 to = g->block.pos - (f->block.pos - from);

	return (texts_are_equal(w->out, (Span){ g->word, g->name.pos }, w->in,
			(Span){ f->word, f->name.pos }) &&
		       to > g->list.pos && (!f->nparam || w->out->src->text[to - 1] == ',') &&
		       texts_are_equal(w->out, (Span){ to, g->block.pos }, w->in,
			       (Span){ from, f->block.pos })) ||
		body_fault(w, i, g->stmt, false, "a copy has other parameters");
}

/* Whether statement o calls a copy of what statement i calls. */
static bool
same_call(Grid_check *w, uint32_t n, uint32_t o, uint32_t i)
{
	const Stmt *a = &w->out->stmts[o], *b = &w->in->stmts[i];
	uint32_t k = b->nopnd && w->in->opnds[b->opnd].kind == OPND_LIST,
		 callee = effects_callee(w->in, i), to = effects_callee(w->out, o);

	if (!callee || !to || !same_guard(&w->texts.at[n], a, b) || a->nopnd > k + 2 ||
		b->nopnd > k + 2 || (k && !same_operand(&w->texts.at[n], a->opnd, b->opnd)) ||
		!same_head(&w->texts.at[n], a, b))
		return false;
	uint32_t of = copy_of(w, callee, to);
	return of < w->texts.n &&
		same_arguments(&w->texts.at[n], &w->texts.at[of], ptx_operand(w->out, a, k + 1),
			ptx_operand(w->in, b, k + 1));
}

/* Whether statement o is the branch to the latch that an end of the thread becomes. */
static bool
is_end(Grid_text *t, uint32_t o, uint32_t i)
{
	const Stmt *a = &t->out->stmts[o], *b = &t->in->stmts[i];
	Op op = ptx_op(t->in, b);

	if ((op != OP_RET && op != OP_EXIT) || ptx_op(t->out, a) != OP_BRA ||
		!same_guard(t, a, b) || a->nopnd != 1 || t->out->opnds[a->opnd].kind != OPND_SYM)
		return false;
	uint32_t sym = t->out->opnds[a->opnd].sym;
	t->next = t->next ? t->next : sym;
	return t->next == sym;
}

static bool
same_stmt(Grid_check *w, uint32_t n, uint32_t o, uint32_t i)
{
	Grid_text *t = &w->texts.at[n];
	const Stmt *a = &w->out->stmts[o], *b = &w->in->stmts[i];

	if (a->kind != b->kind || o < t->loads)
		return false;
	if (b->kind != STMT_INSN)
		return stmt_is_unchanged(w->in, i, w->out, o);
	if (!t->copy && ptx_flags(w->in, b) & OPF_EXIT && ptx_op(w->in, b) != OP_TRAP)
		return is_end(t, o, i);
	if (ptx_flags(w->in, b) & OPF_CALL && may_read_block(w, effects_callee(w->in, i)))
		return same_call(w, n, o, i);
	return same_insn(t, o, i);
}

/* ---- order ----------------------------------------------------------------------------------- */

static bool
is_removed(const Grid_text *t, uint32_t i)
{
	const Stmt *s = &t->in->stmts[i];

	return s->kind == STMT_MARKER &&
		(t->copy || t->in->markers[s->sym].annot.kind == ANNOT_GRID);
}

/* Whether all that follows statement i of the input may be missing. */
static bool
is_last(const Grid_text *t, uint32_t i)
{
	uint32_t end = t->f->stmt + t->f->nstmt;
	const Stmt *s = &t->in->stmts[i];

	return i == end ||
		(i + 1 == end && !t->copy && s->kind == STMT_INSN && !s->guard &&
			ptx_op(t->in, s) == OP_RET);
}

/* Finds the statements of the input in the output, and the two places of the others. */
static bool
align(Grid_check *w, uint32_t n)
{
	Grid_text *t = &w->texts.at[n];
	const Func *g = t->g;
	uint32_t i = t->f->stmt, end = i + t->f->nstmt;

	t->end = g->stmt + g->nstmt;
	PTX_STMTS (g, o) {
		while (i < end && is_removed(t, i))
			i++;
		if (!t->latch && i < end && same_stmt(w, n, o, i)) {
			t = &w->texts.at[n];
			t->body = t->head && !t->body ? o : t->body;
			t->before = t->head ? t->before : i + 1;
			i++;
			continue;
		}
		t = &w->texts.at[n];
		if (!t->head)
			t->head = o;
		else if (t->body && !is_last(t, i))
			return body_fault(
				w, n, o, false, "the text of the loop is not the input's");
		else if (t->body && !t->latch)
			t->latch = o;
	}
	while (i < end && is_removed(t, i))
		i++;
	if (!is_last(t, i))
		return body_fault(w, n, t->end - 1, false, "a piece of the input is missing");
	t->latch = t->latch ? t->latch : t->end;
	return t->body || body_fault(w, n, t->head, true, "the loop is empty");
}

/* Whether the inserted statements declare new names of registers, labels and shared memory, and
 * nothing else is there. */
static bool
check_inserted(Grid_check *w, uint32_t n)
{
	const Grid_text *t = &w->texts.at[n];
	size_t len;

	for (uint32_t o = t->head; o < t->end; o = o + 1 == t->body ? t->latch : o + 1) {
		uint8_t kind = w->out->stmts[o].kind;
		if (kind != STMT_INSN && kind != STMT_LABEL && kind != STMT_DECL &&
			kind != STMT_MARKER)
			return body_fault(w, n, o, false, "an inserted statement of another kind");
	}
	PTX_SYMS (t->g, sym) {
		const Sym *y = &w->out->syms[sym];
		const char *name = ptx_name(w->out, sym, &len);
		bool inserted = (y->decl >= t->head && y->decl < t->body) ||
			(y->decl >= t->latch && y->decl < t->end);
		bool shared = y->kind == SYM_VAR && y->space == SPACE_SHARED;
		if (inserted && ((y->kind != SYM_REG && y->kind != SYM_LABEL && !shared) ||
					intern_find(w->in->names, name, len)))
			return body_fault(w, n, t->head, false, "an inserted name is the input's");
	}
	return true;
}

/* Whether branches to the latch lead to its start. */
static bool
check_next(Grid_check *w, uint32_t n)
{
	const Grid_text *t = &w->texts.at[n];
	const Stmt *all = w->out->stmts;
	bool found = t->next == 0;

	for (uint32_t o = t->latch; o < t->end && all[o].kind != STMT_INSN; o++)
		found |= all[o].kind == STMT_LABEL && all[o].sym == t->next;
	return found || body_fault(w, n, t->latch, false, "an end of the thread skips the latch");
}

bool
grid_check_body(Grid_check *w, uint32_t n)
{
	return align(w, n) && check_inserted(w, n) &&
		(w->texts.at[n].copy ? same_header(w, n) : check_next(w, n));
}
