/* SPDX-License-Identifier: MIT */
/* A constant loaded by a generic address:
 *
 *	cvta.const.u64 %far, X;
 *	ld.u32 V, [%far+4];
 *
 * is equivalent to ld.const.u32 V, [X+4].
 */
#include <string.h>
#include "validate/lookahead/lookahead.h"

/* Whether opcode and modifiers are the same except for .const. */
static bool
opcodes_match_but_const(const Loop_check *s, const Stmt *out, const Stmt *in)
{
	const char *a = s->out.m->src->text + out->head, *b = s->in.m->src->text + in->head;
	uint32_t n = out->head_end - out->head, k = in->head_end - in->head, at = 0;

	while (at < n && a[at] == b[at])
		at++;
	/* both continue with '.', so the common part may extend into the missing word */
	while (at > 0 && (at + 6 > k || memcmp(b + at, ".const", 6) != 0))
		at--;
	return k == n + 6 && memcmp(b + at, ".const", 6) == 0 && memcmp(a, b, at) == 0 &&
		memcmp(a + at, b + at + 6, n - at) == 0;
}

static const Opnd *
address_base(const Module *m, const Opnd *o, int64_t *offset)
{
	if (o->kind != OPND_ADDR || !ptx_offset(m, o, offset))
		return NULL;
	while ((o->kind == OPND_ADDR || o->kind == OPND_SUM) && o->tree > 1)
		o++;
	return o->kind == OPND_SYM && !o->sel ? o : NULL;
}

bool
lookahead_loads_constant(const Loop_check *s, uint32_t stmt, uint32_t in)
{
	const Stmt *t = &s->out.m->stmts[stmt], *x = &s->in.m->stmts[in];
	int64_t offset, other;

	if (output_stmt(&s->out, stmt)->op != OP_LD || stmt == s->out.begin ||
		s->out.m->stmts[stmt - 1].kind != STMT_INSN ||
		output_stmt(&s->out, stmt - 1)->op != OP_CVTA || x->kind != STMT_INSN ||
		ptx_op(s->in.m, x) != OP_LD || t->guard || x->guard || t->nopnd != 2 ||
		x->nopnd != 2)
		return false;
	const Opnd *to = output_operand(&s->out, stmt, 0),
		   *v = &s->in.m->opnds[ptx_operand(s->in.m, x, 0)],
		   *far = address_base(s->out.m, output_operand(&s->out, stmt, 1), &offset),
		   *at = address_base(s->in.m, &s->in.m->opnds[ptx_operand(s->in.m, x, 1)], &other),
		   *made = output_operand(&s->out, stmt - 1, 0),
		   *from = output_operand(&s->out, stmt - 1, 1);
	return far && at && offset == other && opcodes_match_but_const(s, t, x) &&
		to->kind == OPND_SYM && v->kind == OPND_SYM && match_sym(s, to->sym, v->sym, 0) &&
		made->kind == OPND_SYM && made->sym == far->sym &&
		output_reg(&s->out, far->sym)->kind == REG_EMITTED && from->kind == OPND_SYM &&
		!s->out.m->stmts[stmt - 1].guard && match_sym(s, from->sym, at->sym, 0) &&
		opcode_word_is(&s->out, stmt - 1, 1, "const") && opcode_word_is(&s->out, stmt - 1, 2, "u64");
}
