/* SPDX-License-Identifier: MIT */
/* Emits the instructions of a pair of nodes: common ones, with selects for their operands, and
 * those of one arm, predicated or skipped (distribute.c has the argument why it is correct). */
#include <stdarg.h>
#include <string.h>
#include "analysis/contraction/contraction.h"
#include "transform/plan/plan.h"
#include "transform/rewrite/emit_meld.h"
#include "transform/text/copy_code.h"

/* ---- names ----------------------------------------------------------------------------------- */

const char *
meld_format(const Meld_writer *w, const char *fmt, ...)
{
	Buf b = { 0 };
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(&b, fmt, ap);
	va_end(ap);
	const char *s = arena_strndup(w->arena, b.at, b.n);
	buf_free(&b);
	return s;
}

const char *
meld_name(const Meld_writer *w, uint32_t arm, uint32_t sym)
{
	uint32_t p = sym ? meld_merged_register(w->meld, arm, sym) : 0;

	return p ? meld_format(w, "%%^s%u", p) : NULL;
}

const char *
meld_register(const Meld_writer *w, uint32_t arm, uint32_t sym)
{
	const char *name = meld_name(w, arm, sym);

	return name ? name : copy_name(w->fn, sym, w->arena);
}

Type
meld_type(const Meld_writer *w, uint32_t sym)
{
	return (Type)w->m->syms[sym].type;
}

const char *
meld_temporary(Meld_writer *w, Type type)
{
	uint32_t n = w->temporaries[type]++;

	if (w->temporaries[type] > w->most[type])
		w->most[type] = w->temporaries[type];
	return meld_format(w, "%%^%s%u", ptx_type_name(type), n);
}

/* ---- instructions ---------------------------------------------------------------------------- */

/* Emits an instruction with other texts for its leaves (NULL: unchanged). other: the statement of
 * the other arm that it also replaces. */
static void
emit_insn(Meld_writer *w, const Stmt *s, const Stmt *other, const char **leaf, const char *guard)
{
	Leaf l[LEAVES];
	uint32_t n = meld_leaves(w->m, s, l), pos;
	const char *text = w->m->src->text;

	buf_putc(&w->t->out, '\t');
	if (guard)
		tpl_text(w->t, "@%s ", guard);
	if (s->guard)
		tpl_text(w->t, s->guard == 2 ? "@!%s " : "@%s ",
			leaf[0] ? leaf[0] : copy_name(w->fn, s->sym, w->arena));
	pos = copy_opcode(w->t, w->m, s,
		contraction_rounds(w->fn, (uint32_t)(s - w->m->stmts)) ||
			contraction_rounds(w->fn, (uint32_t)(other - w->m->stmts)));
	for (uint32_t i = s->guard != 0; i < n; i++) {
		if (!leaf[i])
			continue;
		buf_add(&w->t->out, text + pos, l[i].at.pos - pos);
		tpl_text(w->t, "%s", leaf[i]);
		pos = l[i].at.end;
	}
	buf_add(&w->t->out, text + pos, s->at.end - pos);
	buf_putc(&w->t->out, '\n');
}

/* Emits an instruction of one arm. */
static void
emit_arm_insn(Meld_writer *w, uint32_t arm, const Stmt *s, const char *guard)
{
	Leaf l[LEAVES];
	const char *text[LEAVES];
	uint32_t n = meld_leaves(w->m, s, l);

	for (uint32_t i = 0; i < n; i++)
		text[i] = meld_name(w, arm, l[i].sym);
	emit_insn(w, s, s, text, guard);
}

/* Emits a statement that is not an instruction. */
static void
emit_non_insn(Meld_writer *w, const Stmt *s)
{
	buf_putc(&w->t->out, '\t');
	buf_add(&w->t->out, w->m->src->text + s->at.pos, s->at.end - s->at.pos);
	buf_putc(&w->t->out, '\n');
}

static void
emit_select(Meld_writer *w, Type type, const char *to, const char *from[2])
{
	tpl_value(w->t, "to", "%s", to);
	tpl_value(w->t, "first", "%s", from[0]);
	tpl_value(w->t, "second", "%s", from[1]);
	tpl_value(w->t, "bits", "%u", 8 * ptx_type_size(type));
	tpl_write_section(w->t, type == TYPE_PRED ? "select_predicate" : "select");
}

/* Returns a register with the selected value; reuses an earlier select of the node if it is
 * still valid. */
static const char *
select_operand(Meld_writer *w, Type type, const char *from[2])
{
	for (uint32_t i = 0; i < w->selects.n; i++)
		if (strcmp(w->selects.at[i].from[0], from[0]) == 0 &&
			strcmp(w->selects.at[i].from[1], from[1]) == 0)
			return w->selects.at[i].to;
	const char *to = meld_temporary(w, type);
	emit_select(w, type, to, from);
	*vec_push(&w->selects) = (Lane_select){ { from[0], from[1] }, to };
	return to;
}

/* Invalidates the selects of registers that an instruction of an arm writes. */
static void
invalidate_selects(Meld_writer *w, uint32_t arm, uint32_t stmt)
{
	FN_WRITES(w->fn, stmt, r) {
		const char *name = fn_is_reg(w->fn, r->sym) ? meld_register(w, arm, r->sym) : "";
		uint32_t n = 0;
		for (uint32_t i = 0; i < w->selects.n; i++)
			if (strcmp(w->selects.at[i].from[0], name) != 0 &&
				strcmp(w->selects.at[i].from[1], name) != 0)
				w->selects.at[n++] = w->selects.at[i];
		w->selects.n = n;
	}
}

/* Emits the selects for the operands of a common instruction. text: the operands' new names. */
static void
select_operands(Meld_writer *w, uint32_t a, uint32_t b, const char *text[LEAVES])
{
	Leaf la[LEAVES], lb[LEAVES];
	uint32_t n = meld_pair_leaves(w->meld, (const uint32_t[2]){ a, b }, la, lb);

	for (uint32_t i = 0; i < n; i++) {
		text[i] = meld_name(w, 0, la[i].sym);
		if (!meld_leaves_differ(w->meld, &la[i], &lb[i]))
			continue;
		const char *from[2] = { meld_register(w, 0, la[i].sym),
			meld_register(w, 1, lb[i].sym) };
		text[i] = select_operand(w, meld_type(w, la[i].sym), from);
	}
}

/* Emits a common instruction, after the selects for its operands. */
static void
emit_shared_insn(Meld_writer *w, uint32_t a, uint32_t b)
{
	const char *text[LEAVES];

	select_operands(w, a, b, text);
	emit_insn(w, fn_stmt(w->fn, a), fn_stmt(w->fn, b), text, NULL);
	invalidate_selects(w, 0, a);
	invalidate_selects(w, 1, b);
}

static void
emit_shared_row(Meld_writer *w, const Insn_row *st)
{
	uint32_t b = st->of[1].first;

	for (uint32_t a = st->of[0].first; a <= st->of[0].last; a++) {
		const Stmt *s = fn_stmt(w->fn, a);
		while (s->kind == STMT_INSN && fn_stmt(w->fn, b)->kind != STMT_INSN)
			b++;
		if (s->kind == STMT_INSN)
			emit_shared_insn(w, a, b++);
		else if (s->kind == STMT_OPEN || s->kind == STMT_CLOSE || s->kind == STMT_DECL)
			emit_non_insn(w, s);
	}
}

/* The call that stays open. Its operands are selected before it, so that its text is that of other
 * calls. */
void
meld_emit_open_call(void *user)
{
	Meld_writer *w = user;

	emit_shared_row(w, w->meld->open);
}

static void
emit_open_row(Meld_writer *w)
{
	const Insn_row *st = w->meld->open;
	const char *text[LEAVES];

	for (uint32_t a = st->of[0].first, b = st->of[1].first; meld_next_insns(w->fn, st, &a, &b);
		a++, b++)
		select_operands(w, a, b, text);
	w->marker = &w->m->markers[w->meld->arm[0].region->marker];
	tpl_write_section(w->t, "open");
}

/* ---- code of one arm ------------------------------------------------------------------------- */

void
meld_emit_statements(void *user)
{
	Meld_writer *w = user;
	const Node_pair *p = &w->meld->pairs.at[w->pair];

	for (uint32_t i = w->run[0]; i < w->behind; i++) {
		Meld_unit u = p->rows.at[i].of[w->run[1]];
		for (uint32_t s = u.first; u.first && s <= u.last; s++) {
			const Stmt *st = fn_stmt(w->fn, s);
			if (st->kind == STMT_INSN)
				emit_arm_insn(w, w->run[1], st, NULL);
			else if (st->kind == STMT_OPEN || st->kind == STMT_CLOSE ||
				st->kind == STMT_DECL)
				emit_non_insn(w, st);
		}
	}
}

/* Emits the statements of one arm in the run. */
static void
emit_arm_run(Meld_writer *w, uint32_t arm)
{
	static const char *const mine[2] = { "%^then", "!%^then" };
	const Node_pair *p = &w->meld->pairs.at[w->pair];

	w->run[1] = arm;
	for (uint32_t i = w->run[0]; i < w->behind; i++) {
		Meld_unit u = p->rows.at[i].of[arm];
		for (uint32_t s = u.first; u.first && s <= u.last; s++)
			invalidate_selects(w, arm, s);
	}
	for (uint32_t i = w->run[0]; i < w->behind; i++) {
		const Insn_row *row = &p->rows.at[i];
		if (!row->of[arm].first)
			continue;
		if (row->execution == EXECUTE_BRANCHED) {
			tpl_value(w->t, "others", "%s", mine[1 - arm]);
			tpl_value(w->t, "n", "%u", w->skips++);
			tpl_write_section(w->t, "one_arm");
			return;
		}
		if (row->execution == EXECUTE_OWN_ARM) {
			meld_emit_statements(w);
			return;
		}
		emit_arm_insn(w, arm, fn_stmt(w->fn, row->of[arm].first),
			row->execution == EXECUTE_ALL ? NULL : mine[arm]);
	}
}

void
meld_emit_rows(void *user)
{
	Meld_writer *w = user;
	const Node_pair *p = &w->meld->pairs.at[w->pair];

	w->selects.n = 0;
	memset(w->temporaries, 0, sizeof w->temporaries);
	for (uint32_t i = 0; i < p->rows.n; i = w->behind) {
		w->run[0] = i;
		for (w->behind = i; w->behind < p->rows.n; w->behind++)
			if (p->rows.at[w->behind].of[0].first && p->rows.at[w->behind].of[1].first)
				break;
		emit_arm_run(w, 0);
		emit_arm_run(w, 1);
		if (w->behind < p->rows.n && &p->rows.at[w->behind] == w->meld->open) {
			emit_open_row(w);
			w->behind++;
		} else if (w->behind < p->rows.n) {
			emit_shared_row(w, &p->rows.at[w->behind++]);
		}
	}
}
