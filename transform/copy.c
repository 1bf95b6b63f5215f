/* CCC: copying statements of the module with their registers and labels replaced. See copy.h. */
#include <stdio.h>
#include <string.h>
#include "transform/copy.h"

/* ---- names ------------------------------------------------------------------------------- */

/* The declaration of a register inside braces, as a statement's number in the function: others of its name may stand in
 * other braces. 0: it is declared outside of all. */
static uint32_t
inner_declaration(const Fn *fn, uint32_t sym)
{
	uint32_t s = fn->m->syms[sym].decl;

	if (s < fn->f->stmt || s >= fn->f->stmt + fn->f->nstmt || fn_depth(fn, s) == 0)
		return 0;
	return s - fn->f->stmt;
}

/* The new register that stands for sym (a component of it, if special); tag tells families apart. */
static const char *
renamed(Emit *e, uint32_t sym, uint8_t sel, const char *tag)
{
	size_t len;
	const char *name = ptx_name(e->m, sym, &len), *mark = *name == '%' ? "%" : "";
	uint32_t inner = inner_declaration(e->c->fn, sym);
	Buf b = { 0 };

	buf_printf(&b, "%sccc%u%s", mark, e->c->number, tag);
	if (inner)
		buf_printf(&b, "b%u", inner);
	buf_printf(&b, "$%.*s", (int)(len - strlen(mark)), name + strlen(mark));
	if (sel)
		buf_printf(&b, "_%c", sel);
	const char *s = arena_strndup(e->c->arena, b.at, b.n);
	buf_free(&b);
	return s;
}

const char *
copy_own(Emit *e, uint32_t sym, uint8_t sel)
{
	return renamed(e, sym, sel, e->m->syms[sym].kind == SYM_SPECIAL ? "s" : "");
}
const char *
copy_recomputed(Emit *e, uint32_t sym)
{
	return renamed(e, sym, 0, "u");
}

static bool
owned(const Emit *e, uint32_t sym)
{
	return fn_is_reg(e->c->fn, sym) && bits_has(e->c->own, fn_local(e->c->fn, sym));
}

static Ccc_from
from(const Emit *e, uint32_t sym)
{
	return (Ccc_from)e->c->from[fn_local(e->c->fn, sym)];
}

/* The text that stands for an operand's symbol in the present role; NULL: its own. */
static const char *
substitute(Emit *e, uint32_t sym, uint8_t sel)
{
	const Fn *fn = e->c->fn;
	if (e->role == AS_ENTRY && fn_is_reg(fn, sym) &&
		bits_has(e->c->again_syms, fn_local(fn, sym)))
		return copy_recomputed(e, sym);
	if (e->role != AS_PATH)
		return NULL;
	if (e->m->syms[sym].kind == SYM_SPECIAL &&
		ptx_sregs[e->m->syms[sym].aux].flags & SREGF_LANE)
		return copy_own(e, sym, sel);
	if (owned(e, sym))
		return copy_own(e, sym, 0);
	if (fn_is_reg(fn, sym) && from(e, sym) == FROM_AGAIN)
		return copy_recomputed(e, sym);
	return NULL;
}

uint32_t
copy_exit_number(const Ccc *c, uint32_t block, uint32_t stmt)
{
	uint32_t k = 0;
	while (k < c->nexits && (c->exits[k].block != block || c->exits[k].stmt != stmt))
		k++;
	if (k == c->nexits)
		die("way out of the loop not found");
	return k;
}

const char *
copy_name(Emit *e, uint32_t sym)
{
	size_t len;
	const char *name = ptx_name(e->m, sym, &len);
	return arena_strndup(e->c->arena, name, len);
}

const char *
copy_label(Emit *e, uint32_t b)
{
	Buf name = { 0 };
	buf_printf(&name, e->drain ? "^d%u" : "^b%u", b);
	const char *text = arena_strndup(e->c->arena, name.at, name.n);
	buf_free(&name);
	return text;
}

static const char *
exit_label(Emit *e, uint32_t k)
{
	Buf name = { 0 };
	e->exit_used |= UINT64_C(1) << (k < 63 ? k : 63);
	buf_printf(&name, "^exit%u", k);
	const char *text = arena_strndup(e->c->arena, name.at, name.n);
	buf_free(&name);
	return text;
}

const char *
copy_target(Emit *e, uint32_t s)
{
	const Ccc *c = e->c;
	bool in_loop = ccc_in_path(c, e->block) ||
		loop_contains(c->fn->loops, c->site->loop, e->block);
	if (e->role == AS_PATH)
		return ccc_in_path(c, s) ? copy_label(e, s) : e->drain ? "^done" : "^ran";
	if (s == c->path->r.entry)
		return "^want";
	if (s == ccc_header(c) && in_loop && !c->in_step)
		return "^vote";
	return bits_has(c->cloned, s) ? copy_label(e, s) : exit_label(e, copy_exit_number(c, s, 0));
}

void
copy_branch(Emit *e, uint32_t s, const char *following)
{
	const char *to = copy_target(e, s);
	if (strcmp(to, following))
		tpl_text(e->t, "\tbra.uni \t$%s;\n", to);
}

/* ---- statements -------------------------------------------------------------------------- */

static void
copy(Emit *e, uint32_t pos, uint32_t end)
{
	buf_add(&e->t->out, e->m->src->text + pos, end - pos);
}

static bool
word_char(char ch)
{
	return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || (ch >= '0' && ch <= '9') ||
		ch == '_' || ch == ':';
}

/* Opcode and modifiers. Tasks of different iterations run together, and parked lanes run along:
 * what was .uni may no longer be so. */
static void
copy_head(Emit *e, const Stmt *s)
{
	const char *text = e->m->src->text;
	uint32_t pos = s->head;
	if (s->guard || ptx_op(e->m, s) == OP_BRX)
		for (uint32_t i = s->head; i + 4 <= s->head_end; i++)
			if (!memcmp(text + i, ".uni", 4) &&
				(i + 4 == s->head_end || !word_char(text[i + 4]))) {
				copy(e, pos, i);
				pos = i + 4;
			}
	copy(e, pos, s->head_end);
}

/* The guard: "@p " or "@!p ", renamed. */
static void
copy_guard(Emit *e, const Stmt *s)
{
	const char *other = s->guard ? substitute(e, s->sym, 0) : NULL;
	if (other)
		buf_printf(&e->t->out, s->guard == 2 ? "@!%s " : "@%s ", other);
	else
		copy(e, s->at.pos, s->head);
}

/* The end of the name at the start of an operand, which may be spelt otherwise than the symbol
 * (%r03 for %r3), and have a component. */
static uint32_t
name_end(const Module *m, Span at)
{
	uint32_t i = at.pos;
	while (i < at.end &&
		(word_char(m->src->text[i]) || m->src->text[i] == '%' || m->src->text[i] == '$') &&
		m->src->text[i] != ':')
		i++;
	return i;
}

/* One instruction with its symbols replaced; spans of operands ascend in the text. */
void
copy_insn(Emit *e, const Stmt *s)
{
	const Fn *fn = e->c->fn;
	copy_guard(e, s);
	copy_head(e, s);
	uint32_t pos = s->head_end, o = s->opnd;
	for (uint32_t k = 0; k < s->nopnd; k++)
		for (uint32_t last = o + e->m->opnds[o].tree; o < last; o++) {
			const Opnd *x = &e->m->opnds[o];
			if (x->kind != OPND_SYM || x->at.pos < pos)
				continue;
			const Sym *y = &e->m->syms[x->sym];
			uint32_t label = y->kind == SYM_LABEL && x->sym >= fn->f->sym0 ?
				fn->cfg->block_of_label[fn_local(fn, x->sym)] :
				0;
			const char *other = label ? NULL : substitute(e, x->sym, x->sel);
			if (!label && !other)
				continue;
			copy(e, pos, x->at.pos);
			if (label)
				tpl_text(e->t, "$%s", copy_target(e, label));
			else
				buf_puts(&e->t->out, other);
			pos = y->kind == SYM_SPECIAL ? x->at.end : name_end(e->m, x->at);
		}
	copy(e, pos, s->at.end);
}

/* brx.idx index, table: the table again, with this copy's labels, under a name of its own. */
static void
copy_brx(Emit *e, uint32_t stmt)
{
	const Fn *fn = e->c->fn;
	const Stmt *s = fn_stmt(fn, stmt);
	const Opnd *x = &e->m->opnds[ptx_operand(e->m, s, 1)];
	const Stmt *table = fn_stmt(fn, e->m->syms[x->sym].decl);
	const char *name = e->drain ? "dtable" : "table";
	tpl_text(e->t, "\n$^%s%u: .branchtargets ", name, stmt);
	for (uint32_t k = 0; k < table->nopnd; k++) {
		uint32_t label = e->m->opnds[ptx_operand(e->m, table, k)].sym;
		tpl_text(e->t, "%s$%s", k ? ", " : "",
			copy_target(e, fn->cfg->block_of_label[fn_local(fn, label)]));
	}
	buf_puts(&e->t->out, ";\n\t");
	copy_guard(e, s);
	copy_head(e, s);
	uint32_t index = ptx_operand(e->m, s, 0);
	const char *other = substitute(e, e->m->opnds[index].sym, 0);
	tpl_text(e->t, " \t%s", "");
	if (other)
		buf_puts(&e->t->out, other);
	else
		copy(e, e->m->opnds[index].at.pos, e->m->opnds[index].at.end);
	tpl_text(e->t, ", $^%s%u;", name, stmt);
}

/* Tells where the code of a .loc was inlined, unless the text has told it: the copy may leave out, or have further down, what
 * told it in the original. */
static void
copy_callers(Emit *e, uint32_t loc)
{
	const Fn *fn = e->c->fn;
	uint32_t caller = fn->locs->caller[loc - fn->f->stmt];

	bits_set(e->told, fn->locs->first[loc - fn->f->stmt] - fn->f->stmt);
	if (!caller || caller < e->m->markers[e->c->site->r.marker].stmt || bits_has(e->told, caller - fn->f->stmt))
		return;
	copy_callers(e, caller);
	copy(e, e->m->stmts[caller].at.pos, e->m->stmts[caller].at.end);
	tpl_text(e->t, "\n\t");
}

void
copy_stmt(Emit *e, uint32_t stmt)
{
	const Fn *fn = e->c->fn;
	const Stmt *s = fn_stmt(fn, stmt);
	Op op = s->kind == STMT_INSN ? ptx_op(e->m, s) : OP_UNKNOWN;
	if (s->kind == STMT_LABEL || s->kind == STMT_MARKER || s->kind == STMT_TARGETS)
		return;
	copy(e, s[-1].at.end < s->at.pos ? s[-1].at.end : s->at.pos, s->at.pos);
	if (s->kind == STMT_LOC && fn->locs)
		copy_callers(e, stmt);
	if (s->kind != STMT_INSN) {
		copy(e, s->at.pos, s->at.end);
	} else if (op == OP_BRX) {
		copy_brx(e, stmt);
	} else if (e->role == AS_OWNER && (op == OP_RET || op == OP_EXIT)) {
		copy_guard(e, s);
		tpl_text(e->t, "bra \t$%s;", exit_label(e, copy_exit_number(e->c, 0, stmt)));
	} else {
		if (e->role == AS_OWNER && e->c->in_step &&
			bits_has(e->c->predicated, stmt - fn->f->stmt))
			tpl_text(e->t, bits_has(e->c->prefix, e->block) ? "@%%^want " : "@%%^in ");
		copy_insn(e, s);
	}
}

void
copy_new_line(Emit *e)
{
	if (e->t->out.n && e->t->out.at[e->t->out.n - 1] != '\n')
		buf_putc(&e->t->out, '\n');
}

void
copy_line(Emit *e, uint32_t stmt)
{
	tpl_text(e->t, e->role == AS_SLICE && e->c->in_step ? "\t@%%^want " : "\t");
	copy_insn(e, fn_stmt(e->c->fn, stmt));
	buf_putc(&e->t->out, '\n');
}

void
copy_block(Emit *e, uint32_t b, const char *following)
{
	const Block *k = &e->c->fn->cfg->blocks[b];
	e->block = b;
	copy_new_line(e);
	tpl_text(e->t, "$%s:", copy_label(e, b));
	for (uint32_t s = k->stmt; s < k->end; s++)
		copy_stmt(e, s);
	copy_new_line(e);
	if (k->falls)
		copy_branch(e, b + 1, following);
}
