/* SPDX-License-Identifier: MIT */
/* Finds two equivalent copies of the loop, of which only one is explored. M is the group's mask.
 *
 *	        setp.ne.b32     off, M, -1;
 *	        @off bra        others;
 *	        ... copy for full groups, with 0xffffffff for M
 *	others: ... copy for any group
 *
 * Both copies are compared in parallel, from `others` and from the statement after the branch on.
 * All statements must be identical, except for labels and for 0xffffffff in place of M. No
 * statement may write M, and control flow must lead to corresponding statements or to the same one.
 * Then a lane does in one copy what it would do in the other, and what is proved for any M holds
 * for M = 0xffffffff. Lanes all take the same direction here (explore.c); they are sent to
 * `others`, without knowing M. (If tasks are collected, the two copies differ.)
 */
#include <string.h>
#include "validate/text/text.h"

typedef struct {
	Loop_check *s;
	uint32_t mask;          /* the register M */
	uint32_t *other;        /* by statement of the first copy: its counterpart */
	/* by local symbol: the symbol that corresponds in the other copy, and back */
	uint32_t *sym, *back;
	/* statements of the first copy, in the order in which they are reached */
	uint32_t *list, n;
} Copy_equivalence;

/* The instruction that control reaches from a statement on; the end of the text, or 0. */
static uint32_t
next_instruction(const Output_text *output, uint32_t stmt)
{
	for (uint32_t n = output->begin;
		n < output->end && stmt >= output->begin && stmt < output->end; n++) {
		const Stmt *t = &output->m->stmts[stmt];
		const Output_stmt *k = output_stmt(output, stmt);
		if (t->kind != STMT_INSN)
			stmt++;
		else if (k->op == OP_BRA && !t->guard && k->flow.to)
			stmt = k->flow.to;
		else
			return stmt;
	}
	return stmt >= output->begin && stmt < output->end ? 0 : stmt;
}

/* Pairs the statements that two positions lead to. */
static bool
add_pair(Copy_equivalence *t, uint32_t a, uint32_t b)
{
	const Loop_check *s = t->s;

	a = next_instruction(&s->out, a);
	b = next_instruction(&s->out, b);
	if (!a || !b)
		return false;
	if (a == b)
		return true;
	if (a < s->out.begin || a >= s->out.end || b < s->out.begin || b >= s->out.end)
		return false;
	uint32_t *other = &t->other[a - s->out.begin];
	if (!*other)
		t->list[t->n++] = a;
	else if (*other != b)
		return false;
	*other = b;
	return true;
}

/* Whether the symbols are the same, or each is declared in its own scope and always stands for the
 * other. */
static bool
same_sym(const Copy_equivalence *t, uint32_t a, uint32_t b)
{
	const Loop_check *s = t->s;
	const Sym *x = &s->out.m->syms[a], *y = &s->out.m->syms[b];

	if (a == b)
		return true;
	if (!register_is_scoped(&s->out, a) || !register_is_scoped(&s->out, b) ||
		!names_are_equal(s->out.m, a, s->out.m, b) || x->kind != y->kind ||
		x->type != y->type || x->vec != y->vec)
		return false;
	uint32_t *to = &t->sym[ptx_local_sym(s->out.f, a)],
		 *from = &t->back[ptx_local_sym(s->out.f, b)];
	if (!*to && !*from) {
		*to = b;
		*from = a;
	}
	return *to == b && *from == a;
}

/* Whether all bits are set. */
static bool
is_all(const Output_text *output, const Opnd *o)
{
	uint64_t v;
	bool real;

	return o->kind == OPND_IMM && ptx_imm(output->m, o, &v, &real) && !real &&
		(v == UINT32_MAX || v == UINT64_MAX);
}

static bool
same_operand(const Copy_equivalence *t, uint32_t a, uint32_t b)
{
	const Module *m = t->s->out.m;

	if (m->opnds[b].kind == OPND_SYM && m->opnds[b].sym == t->mask &&
		is_all(&t->s->out, &m->opnds[a]))
		return true;
	if (m->opnds[a].tree != m->opnds[b].tree ||
		!texts_are_equal(m, m->opnds[a].at, m, m->opnds[b].at))
		return false;
	for (uint32_t i = 0; i < m->opnds[a].tree; i++) {
		const Opnd *x = &m->opnds[a + i], *y = &m->opnds[b + i];
		if (x->kind != y->kind || (x->kind == OPND_SYM && !same_sym(t, x->sym, y->sym)))
			return false;
	}
	return true;
}

/* Whether it writes M. */
static bool
writes_mask(const Copy_equivalence *t, uint32_t a)
{
	STMT_REFS(&t->s->out, a, r)
		if (r->written && r->sym == t->mask)
			return true;
	return false;
}

/* Whether the instructions are equal, except for branch targets. */
static bool
same_insn(Copy_equivalence *t, uint32_t a, uint32_t b)
{
	const Loop_check *s = t->s;
	const Stmt *x = &s->out.m->stmts[a], *y = &s->out.m->stmts[b];
	Op op = (Op)output_stmt(&s->out, a)->op;

	if (op != OP_BRA && op != OP_BRX &&
		output_stmt(&s->out, a)->first_identical ==
			output_stmt(&s->out, b)->first_identical)
		return !writes_mask(t, a);
	if (x->op != y->op || op == OP_BRX || x->nopnd != y->nopnd || x->guard != y->guard ||
		(x->guard && !same_sym(t, x->sym, y->sym)) || writes_mask(t, a) ||
		!texts_are_equal(s->out.m, (Span){ x->head, x->head_end }, s->out.m,
			(Span){ y->head, y->head_end }))
		return false;
	if (op == OP_BRA && output_stmt(&s->out, a)->flow.to)
		return output_stmt(&s->out, b)->flow.to &&
			add_pair(t, output_stmt(&s->out, a)->flow.to,
				output_stmt(&s->out, b)->flow.to);
	for (uint32_t k = 0; k < x->nopnd; k++)
		if (!same_operand(t, ptx_operand(s->out.m, x, k), ptx_operand(s->out.m, y, k)))
			return false;
	return true;
}

static bool
copies_are_equivalent(Copy_equivalence *t, uint32_t a, uint32_t b)
{
	const Loop_check *s = t->s;

	if (!add_pair(t, a, b))
		return false;
	for (uint32_t i = 0; i < t->n; i++) {
		a = t->list[i];
		b = t->other[a - s->out.begin];
		if (!same_insn(t, a, b) ||
			output_stmt(&s->out, a)->flow.ends != output_stmt(&s->out, b)->flow.ends ||
			(!output_stmt(&s->out, a)->flow.ends && !add_pair(t, a + 1, b + 1)))
			return false;
	}
	return true;
}

/* The register that is 0xffffffff after the branch; 0 if it is no such test. */
static uint32_t
asks_for_all(const Output_text *output, uint32_t branch)
{
	const Stmt *t = &output->m->stmts[branch], *p = &output->m->stmts[branch - 1];

	if (branch == output->begin || t->kind != STMT_INSN || t->guard != 1 ||
		output_stmt(output, branch)->op != OP_BRA ||
		!output_stmt(output, branch)->flow.to || p->kind != STMT_INSN || p->guard ||
		output_stmt(output, branch - 1)->op != OP_SETP || p->nopnd != 3 ||
		!opcode_word_is(output, branch - 1, 1, "ne") ||
		!opcode_word_is(output, branch - 1, 2, "b32"))
		return 0;
	const Opnd *off = output_operand(output, branch - 1, 0),
		   *mask = output_operand(output, branch - 1, 1);
	return off->kind == OPND_SYM && off->sym == t->sym && mask->kind == OPND_SYM &&
			is_all(output, output_operand(output, branch - 1, 2)) ?
		mask->sym : 0;
}

void
equivalent_copies_find(Loop_check *s)
{
	uint32_t n = s->out.end - s->out.begin, branch = s->out.begin;
	Copy_equivalence t = { .s = s };

	while (branch < s->out.end && !(t.mask = asks_for_all(&s->out, branch)))
		branch++;
	if (!t.mask)
		return;
	t.other = arena_array(s->arena, n + 1, sizeof *t.other);
	t.sym = arena_array(s->arena, s->out.f->nsym + 1, sizeof *t.sym);
	t.back = arena_array(s->arena, s->out.f->nsym + 1, sizeof *t.back);
	t.list = arena_alloc(s->arena, (n + 1) * sizeof *t.list);
	if (copies_are_equivalent(&t, branch + 1, output_stmt(&s->out, branch)->flow.to)) {
		s->twins.branch = branch;
		s->twins.counterpart = t.other;
	}
}

void
equivalent_copies_mark_reached(Loop_check *s)
{
	for (uint32_t i = s->out.begin; s->twins.branch && i < s->out.end; i++)
		if (s->twins.counterpart[i - s->out.begin] &&
			bits_has(s->observed.reached,
				ptx_local_stmt(s->out.f, s->twins.counterpart[i - s->out.begin])))
			bits_set(s->observed.reached, ptx_local_stmt(s->out.f, i));
}
