/* SPDX-License-Identifier: MIT */
/* Copies code. See copy_code.h. */
#include <string.h>
#include "analysis/contraction/contraction.h"
#include "transform/text/copy_code.h"

void
copy_init(Copy *c, const Fn *fn, Tpl *t, uint32_t begin, Bits *told)
{
	c->fn = fn;
	c->t = t;
	c->begin = begin;
	c->named_locs = told;
	c->block = 0;
}

const char *
copy_name(const Fn *fn, uint32_t sym, Arena *a)
{
	size_t len;
	const char *name = ptx_name(fn->m, sym, &len);

	return arena_strndup(a, name, len);
}

void
copy_new_line(Tpl *t)
{
	if (t->out.n && t->out.at[t->out.n - 1] != '\n')
		buf_putc(&t->out, '\n');
}

/* ---- names ----------------------------------------------------------------------------------- */

static void
put_text(Copy *c, uint32_t pos, uint32_t end)
{
	buf_add(&c->t->out, c->fn->m->src->text + pos, end - pos);
}

static const char *
renamed_symbol(Copy *c, uint32_t sym, uint8_t sel)
{
	return c->symbol_name ? c->symbol_name(c->user, sym, sel) : NULL;
}

static bool
word_char(char ch)
{
	return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || (ch >= '0' && ch <= '9') ||
		ch == '_' || ch == ':';
}

/* Returns the end of the name at the start of an operand. It may be spelt differently from the
 * symbol (%r03 for %r3) and have a component. */
static uint32_t
name_end(const Module *m, Span at)
{
	const char *text = m->src->text;
	uint32_t i = at.pos;

	while (i < at.end && (word_char(text[i]) || text[i] == '%' || text[i] == '$') &&
		text[i] != ':')
		i++;
	return i;
}

/* ---- instructions ---------------------------------------------------------------------------- */

uint32_t
copy_opcode(Tpl *t, const Module *m, const Stmt *s, bool keeps_rounding)
{
	const char *text = m->src->text;
	uint32_t pos = s->head;

	if (!keeps_rounding)
		return pos;
	while (text[pos] != '.')
		pos++;
	buf_add(&t->out, text + s->head, pos - s->head);
	buf_puts(&t->out, ".rn");
	return pos;
}

/* Copies the opcode and its modifiers. Tasks of different iterations run together, and parked lanes
 * execute the common code, so a .uni branch may no longer be uniform. */
static void
put_head(Copy *c, const Stmt *s)
{
	const char *text = c->fn->m->src->text;
	bool keeps_rounding = contraction_rounds(c->fn, (uint32_t)(s - c->fn->m->stmts));
	uint32_t pos = copy_opcode(c->t, c->fn->m, s, keeps_rounding);

	if (s->guard || ptx_op(c->fn->m, s) == OP_BRX)
		for (uint32_t i = s->head; i + 4 <= s->head_end; i++)
			if (memcmp(text + i, ".uni", 4) == 0 &&
				(i + 4 == s->head_end || !word_char(text[i + 4]))) {
				put_text(c, pos, i);
				pos = i + 4;
			}
	put_text(c, pos, s->head_end);
}

/* Copies the guard, "@p " or "@!p ", with its new name. */
static void
put_guard(Copy *c, const Stmt *s)
{
	const char *other = s->guard ? renamed_symbol(c, s->sym, 0) : NULL;

	if (other)
		tpl_text(c->t, s->guard == 2 ? "@!%s " : "@%s ", other);
	else
		put_text(c, s->at.pos, s->head);
}

/* Returns the block that a label begins; 0 if the symbol is no such label. */
static uint32_t
block_of_label(const Fn *fn, uint32_t sym)
{
	if (fn->m->syms[sym].kind != SYM_LABEL || sym < fn->f->sym0)
		return 0;
	return fn->cfg->block_of_label[fn_local(fn, sym)];
}

/* Writes the replacement of an operand's symbol, preceded by the text from pos on. Returns the
 * position at which to continue. */
static uint32_t
put_operand(Copy *c, const Opnd *o, uint32_t pos)
{
	const Module *m = c->fn->m;
	uint32_t to = block_of_label(c->fn, o->sym);
	const char *other = to ? NULL : renamed_symbol(c, o->sym, o->sel);

	if (!to && !other)
		return pos;
	put_text(c, pos, o->at.pos);
	if (to)
		tpl_text(c->t, "$%s", c->edge_label(c->user, c->block, to));
	else
		tpl_text(c->t, "%s", other);
	return m->syms[o->sym].kind == SYM_SPECIAL ? o->at.end : name_end(m, o->at);
}

/* Copies an instruction with its guard, replacing names and branch targets. The operands' spans are
 * in ascending order. */
static void
copy_insn(Copy *c, const Stmt *s)
{
	const Module *m = c->fn->m;
	uint32_t pos = s->head_end, o = s->opnd;

	put_guard(c, s);
	put_head(c, s);
	for (uint32_t k = 0; k < s->nopnd; k++)
		for (uint32_t last = o + m->opnds[o].tree; o < last; o++)
			if (m->opnds[o].kind == OPND_SYM && m->opnds[o].at.pos >= pos)
				pos = put_operand(c, &m->opnds[o], pos);
	put_text(c, pos, s->at.end);
	tpl_cite_input(c->t, s->at.pos);
}

/* brx.idx index, table: the table is repeated with the copy's labels, under a new name. */
static void
put_brx(Copy *c, uint32_t stmt)
{
	const Fn *fn = c->fn;
	const Module *m = fn->m;
	const Stmt *s = fn_stmt(fn, stmt);
	const Opnd *index = &m->opnds[ptx_operand(m, s, 0)];
	const Stmt *table = fn_stmt(fn, m->syms[m->opnds[ptx_operand(m, s, 1)].sym].decl);
	const char *other = renamed_symbol(c, index->sym, 0);

	tpl_text(c->t, "\n$^%s%u: .branchtargets ", c->table, stmt);
	for (uint32_t k = 0; k < table->nopnd; k++)
		tpl_text(c->t, "%s$%s", k ? ", " : "",
			c->edge_label(c->user, c->block,
				block_of_label(fn, m->opnds[ptx_operand(m, table, k)].sym)));
	tpl_text(c->t, ";\n\t");
	put_guard(c, s);
	put_head(c, s);
	tpl_text(c->t, " \t");
	if (other)
		tpl_text(c->t, "%s", other);
	else
		put_text(c, index->at.pos, index->at.end);
	tpl_text(c->t, ", $^%s%u;", c->table, stmt);
}

/* ---- statements ------------------------------------------------------------------------------ */

/* Writes where the code of a .loc was inlined, unless the text contains it: in the original, that
 * statement may be in code that the copy omits or places later. */
static void
put_callers(Copy *c, uint32_t loc)
{
	const Fn *fn = c->fn;
	uint32_t caller = fn->locs->caller[fn_local_stmt(fn, loc)];

	bits_set(*c->named_locs, fn_local_stmt(fn, fn->locs->first[fn_local_stmt(fn, loc)]));
	if (!caller || caller < c->begin || bits_has(*c->named_locs, fn_local_stmt(fn, caller)))
		return;
	put_callers(c, caller);
	put_text(c, fn_stmt(fn, caller)->at.pos, fn_stmt(fn, caller)->at.end);
	tpl_text(c->t, "\n\t");
}

static void
put_insn(Copy *c, uint32_t stmt)
{
	const Stmt *s = fn_stmt(c->fn, stmt);
	Op op = ptx_op(c->fn->m, s);
	const char *end = c->end_label && (op == OP_RET || op == OP_EXIT) ?
		c->end_label(c->user, stmt) :
		NULL;
	const char *guard = c->guard ? c->guard(c->user, stmt) : NULL;

	if (c->rewrite && c->rewrite(c->user, stmt))
		return;
	if (op == OP_BRX) {
		put_brx(c, stmt);
	} else if (end) {
		put_guard(c, s);
		tpl_text(c->t, "bra \t$%s;", end);
	} else {
		if (guard)
			tpl_text(c->t, "@%s ", guard);
		copy_insn(c, s);
	}
}

/* Copies a statement of c->block with the preceding white space. Labels and markers are omitted. */
static void
copy_stmt(Copy *c, uint32_t stmt)
{
	const Stmt *s = fn_stmt(c->fn, stmt);

	if (s->kind == STMT_LABEL || s->kind == STMT_MARKER || s->kind == STMT_TARGETS ||
		(c->is_omitted && c->is_omitted(c->user, stmt)))
		return;
	if (stmt != c->fn->f->stmt)
		put_text(c, s[-1].at.end < s->at.pos ? s[-1].at.end : s->at.pos, s->at.pos);
	if (s->kind == STMT_LOC && c->fn->locs)
		put_callers(c, stmt);
	if (s->kind == STMT_INSN) {
		put_insn(c, stmt);
	} else {
		put_text(c, s->at.pos, s->at.end);
		tpl_cite_input(c->t, s->at.pos);
	}
}

void
copy_line(Copy *c, uint32_t stmt)
{
	const char *guard = c->guard ? c->guard(c->user, stmt) : NULL;

	if (guard)
		tpl_text(c->t, "\t@%s ", guard);
	else
		tpl_text(c->t, "\t");
	if (fn_stmt(c->fn, stmt)->kind == STMT_INSN)
		copy_insn(c, fn_stmt(c->fn, stmt));
	else
		put_text(c, fn_stmt(c->fn, stmt)->at.pos, fn_stmt(c->fn, stmt)->at.end);
	buf_putc(&c->t->out, '\n');
}

/* ---- blocks ---------------------------------------------------------------------------------- */

void
copy_block_body(Copy *c, uint32_t block)
{
	uint32_t t = cfg_terminator(c->fn->cfg, block);

	c->block = block;
	FN_BLOCK_STMTS(c->fn, block, s)
		if (s != t)
			copy_stmt(c, s);
	copy_new_line(c->t);
}

void
copy_branch(Copy *c, uint32_t from, uint32_t to, const char *following)
{
	const char *label = c->edge_label(c->user, from, to);

	if (strcmp(label, following) != 0)
		tpl_text(c->t, "\tbra.uni \t$%s;\n", label);
}

void
copy_end(Copy *c, uint32_t block, const char *following)
{
	uint32_t t = cfg_terminator(c->fn->cfg, block);

	c->block = block;
	if (t)
		copy_line(c, t);
	if (c->fn->cfg->blocks[block].falls)
		copy_branch(c, block, block + 1, following);
}

void
copy_block(Copy *c, uint32_t block, const char *label, const char *following)
{
	const Stmt *first = fn_stmt(c->fn, c->fn->cfg->blocks[block].stmt);

	c->block = block;
	copy_new_line(c->t);
	tpl_text(c->t, "$%s:", label);
	if (first->kind == STMT_LABEL)
		tpl_cite_input(c->t, first->at.pos);
	FN_BLOCK_STMTS(c->fn, block, s)
		copy_stmt(c, s);
	copy_new_line(c->t);
	if (c->fn->cfg->blocks[block].falls)
		copy_branch(c, block, block + 1, following);
}
