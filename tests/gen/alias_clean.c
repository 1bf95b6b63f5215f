/* SPDX-License-Identifier: MIT */
/* Simplifies a random kernel as a compiler would: removes dead statements, and operations on
 * literals or on equal registers. ptxas's contraction is known only for such kernels
 * (docs/proofs/contraction.md). See alias.h. */
#include <string.h>
#include "analysis/analyse.h"
#include "analysis/contraction/contraction.h"
#include "tests/gen/alias.h"
#include "transform/text/edit.h"

/* A register that can replace a literal. */
static const char *
other_register(const Fn *fn, const Stmt *s)
{
	Type t = ptx_insn_type(fn->m, s);

	return t == TYPE_F32 ? "%f2" : t == TYPE_F64 ? "%d2" : t == TYPE_PRED ? "%p1" : "%r8";
}

/* Replaces an operand of a foldable statement. Selecting between equal values is a move. */
static void
unfold(const Fn *fn, uint32_t stmt, Edits *e)
{
	const Module *m = fn->m;
	const Stmt *s = fn_stmt(fn, stmt);
	const Opnd *first = &m->opnds[ptx_operand(m, s, 1)];
	const char *text = m->src->text + s->head;

	if (ptx_op(m, s) == OP_SELP) {
		const Opnd *to = &m->opnds[ptx_operand(m, s, 0)];
		const char *type = memchr(text, '.', s->head_end - s->head);
		Buf move = { 0 };
		buf_printf(&move, "mov%.*s \t%.*s, %.*s;",
			(int)(m->src->text + s->head_end - type), type,
			(int)(to->at.end - to->at.pos), m->src->text + to->at.pos,
			(int)(first->at.end - first->at.pos), m->src->text + first->at.pos);
		edit_replace(e, (Span){ s->head, s->at.end }, move.at, move.n);
		buf_free(&move);
		return;
	}
	const Opnd *o = first->kind == OPND_IMM ? first : &m->opnds[ptx_operand(m, s, 2)];
	const char *with = other_register(fn, s);
	edit_replace(e, o->at, with, strlen(with));
}

/* Changes foldable statements; if there are none, removes dead ones: not before, because changes
 * read further registers. */
static bool
clean_once(const Fn *fn, Edits *e)
{
	Bits live = contraction_live(fn, fn->arena);
	bool any = false;

	FN_STMTS(fn, s)
		if (fn_stmt(fn, s)->kind == STMT_INSN && contraction_is_foldable(fn, s)) {
			unfold(fn, s, e);
			any = true;
		}
	if (any)
		return true;
	FN_STMTS(fn, s)
		if (fn_stmt(fn, s)->kind == STMT_INSN && !bits_has(live, fn_local_stmt(fn, s))) {
			edit_replace(e, fn_stmt(fn, s)->at, "", 0);
			any = true;
		}
	return any;
}

void
alias_clean(Buf *text)
{
	enum { MOST = 20 }; /* times */
	bool more = true;

	for (int i = 0; i < MOST && more; i++) {
		Arena *a = arena_new();
		Source src;
		source_from(&src, "clean", text->at, text->n);
		Diags *d = diags_new(&src);
		Module *m = ptx_parse(&src, d);
		Edits *e = edit_new(a);
		Buf next = { 0 };

		more = false;
		for (uint32_t f = 1; m && f < m->nfuncs; f++)
			more |= m->funcs[f].body &&
				clean_once(fn_build(m, f, effects_build(m, a), a), e);
		if (more)
			edit_apply(e, &src, &next);
		edit_release(e);
		ptx_free(m);
		diags_free(d);
		source_release(&src);
		arena_free(a);
		if (more) {
			buf_free(text);
			*text = next;
		}
	}
}
