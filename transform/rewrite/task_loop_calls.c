/* SPDX-License-Identifier: MIT */
/* Passes the block's number to functions that a kernel with a task loop calls (task_loop.c).
 *
 * A function that reads %ctaid, directly or through its callees, is copied. The copy has one
 * more parameter for each of x, y and z that is read, before the others, because an array
 * without a length must come last. In the copy, registers loaded from these parameters replace
 * %ctaid, and calls of other such functions lead to their copies. The original function remains
 * for other callers. Copies follow the last function; their prototypes precede the first kernel
 * with a task loop.
 *
 *   refuses:  functions that may be called through a pointer, which leads to the original; a
 *             number read as a vector or not as 32 bits (task_loop.c); parameters in registers,
 *             which code without a stack has; functions that declare variables in the
 *             module's memory, which copying would duplicate
 *   correct because: a copy differs from the function in the block numbers only, and receives
 *             those of its caller: a kernel passes its iteration's, a copy its own unchanged
 *             parameters. So in any chain of calls from the kernel %ctaid is that of the block
 *             whose work is executed. Only kernels with a task loop and copies call copies.
 *             New names are unique in the module or function.
 *   cost:     a register for each of x, y, z at each call, and the function's code twice.
 *             Annotated loops in a copy are not transformed: it has no markers. */
#include <stdio.h>
#include "transform/plan/plan.h"
#include "transform/rewrite/task_loop_calls.h"
#include "transform/text/unique_names.h"

/* ---- functions that read the block's number -------------------------------------------------- */

static uint8_t
bit_of(char digit)
{
	return (uint8_t)(1u << (digit - 'x'));
}

static bool
is_block(const Module *m, const Ptx_refs *r)
{
	const Sym *y = &m->syms[r->sym];
	char digit = (char)m->opnds[r->opnd].sel;

	return y->kind == SYM_SPECIAL && y->aux == SREG_CTAID && digit >= 'x' && digit <= 'z';
}

static uint8_t
direct_reads(const Module *m, const Func *f)
{
	uint8_t reads = 0;

	PTX_STMTS(f, s)
		if (m->stmts[s].kind == STMT_INSN)
			PTX_REFS(m, &m->stmts[s], r)
				if (is_block(m, &r))
					reads |= bit_of((char)m->opnds[r.opnd].sel);
	return reads;
}

Task_loop_calls *
task_loop_calls_build(const Module *m, const Effects *effects, Arena *a)
{
	Task_loop_calls *c = arena_zalloc(a, sizeof *c);
	char prefix[32];
	bool more = true;
	int n = snprintf(prefix, sizeof prefix, "ccc%u_", unique_first_number(m));

	*c = (Task_loop_calls){ m, effects, arena_array(a, m->nfuncs, 1),
		arena_strndup(a, prefix, (size_t)n) };
	for (uint32_t f = 1; f < m->nfuncs; f++)
		c->reads[f] = direct_reads(m, &m->funcs[f]);
	while (more) {
		more = false;
		for (uint32_t f = 1; f < m->nfuncs; f++) {
			uint8_t reads = c->reads[f];
			for (uint32_t i = effects->callee_of[f]; i < effects->callee_of[f + 1]; i++)
				reads |= c->reads[effects->callees[i]];
			more |= reads != c->reads[f];
			c->reads[f] = reads;
		}
	}
	return c;
}

static Verdict
refuse_call(Arena *a, uint32_t pos, const char *why)
{
	return verdict_note(verdict(a, D_CALL, pos, "%s", why), a, DIAG_NOWHERE,
		"pass blockIdx as an argument, or make the function inline");
}

Verdict
task_loop_calls_check(const Task_loop_calls *c, uint32_t kernel, uint32_t func, Arena *a)
{
	const Func *f = &c->m->funcs[func];
	uint32_t pos = f->name.pos;

	if (!c->reads[func])
		return VERDICT_YES;
	if (c->effects->func[kernel] & EFF_INDIRECT)
		return refuse_call(a, pos,
			"a function that reads the block's number may be called through a pointer");
	PTX_SYMS(f, i) {
		const Sym *y = &c->m->syms[i];
		if (y->kind == SYM_PARAM && y->space == SPACE_REG)
			return refuse_call(a, pos,
				"a function that reads the block's number has parameters in registers");
		if (y->kind == SYM_VAR && y->space != SPACE_LOCAL && y->space != SPACE_PARAM)
			return refuse_call(a, pos,
				"a function that reads the block's number declares variables");
	}
	return VERDICT_YES;
}

void
task_loop_calls_mark_needed(const Task_loop_calls *c, uint32_t kernel, Bits needed)
{
	Arena *a = arena_new();
	Bits seen = bits_new(a, c->m->nfuncs);

	effects_flood(c->effects, kernel, seen);
	BITS_EACH(f, seen)
		if (f != kernel && c->reads[f])
			bits_set(needed, f);
	arena_free(a);
}

/* ---- emission -------------------------------------------------------------------------------- */

static void
write_copy_name(const Task_loop_calls *c, uint32_t func, Buf *b)
{
	buf_printf(b, "%.*s$%sblock", PTX_NAME(c->m, c->m->funcs[func].sym), c->prefix);
}

/* Writes "%ccc1_x, %ccc1_y" for a call, or ".param .b32 ccc1_of_x, ..." as parameters. */
static void
write_number_args(uint8_t reads, const char *before, const char *behind, Buf *b)
{
	for (char digit = 'x'; digit <= 'z'; digit++)
		if (reads & bit_of(digit))
			buf_printf(b, "%s%s%s%c", reads & (bit_of(digit) - 1) ? ", " : "", before,
				behind, digit);
}

/* Inserts the numbers before the other arguments. */
static void
edit_call(const Task_loop_calls *c, const Stmt *s, const char *prefix, uint32_t at0, Edits *e)
{
	const Module *m = c->m;
	uint32_t k = m->opnds[ptx_operand(m, s, 0)].kind == OPND_LIST, args;
	const Opnd *callee = &m->opnds[ptx_operand(m, s, k)];
	uint32_t func = m->syms[callee->sym].func;
	Buf b = { 0 };

	write_copy_name(c, func, &b);
	edit_replace(e, edit_span_from(callee->at, at0), b.at, b.n);
	b.n = 0;
	args = ptx_operand(m, s, k + 1);
	const Opnd *list = args ? &m->opnds[args] : NULL;
	bool bare = list && m->src->text[list->at.pos] != '(';
	buf_puts(&b, !list ? ", (" : bare ? "(" : "");
	write_number_args(c->reads[func], "%", prefix, &b);
	buf_puts(&b, !list ? ")" : list->tree > 1 ? ", " : "");
	edit_insert(e, (list ? list->at.pos + !bare : callee->at.end) - at0, b.at, b.n);
	if (bare)
		edit_insert(e, list->at.end - at0, ")", 1);
	buf_free(&b);
}

void
task_loop_calls_edit_stmt(
	const Task_loop_calls *c, const Stmt *s, const char *prefix, uint32_t at0, Edits *e)
{
	const Module *m = c->m;
	uint32_t callee;
	Buf b = { 0 };

	if (s->kind != STMT_INSN)
		return;
	PTX_REFS(m, s, r) {
		if (!is_block(m, &r))
			continue;
		b.n = 0;
		buf_printf(&b, "%%%s%c", prefix, m->opnds[r.opnd].sel);
		edit_replace(e, edit_span_from(m->opnds[r.opnd].at, at0), b.at, b.n);
	}
	buf_free(&b);
	if (!(ptx_flags(m, s) & OPF_CALL))
		return;
	callee = effects_callee(m, (uint32_t)(s - m->stmts));
	if (callee && c->reads[callee])
		edit_call(c, s, prefix, at0, e);
}

/* Edits the head of a function's copy: no linkage, another name, additional parameters. */
static void
edit_head(const Task_loop_calls *c, uint32_t func, Edits *e)
{
	const Func *f = &c->m->funcs[func];
	bool listed = f->list.end != 0;
	Buf b = { 0 };

	edit_replace(e, (Span){ 0, f->word - f->at.pos }, "", 0);
	write_copy_name(c, func, &b);
	edit_replace(e, edit_span_from(f->name, f->at.pos), b.at, b.n);
	b.n = 0;
	buf_puts(&b, listed ? "" : "(");
	Buf start = { 0 };
	buf_printf(&start, "\n\t.param .b32 %s", c->prefix);
	write_number_args(c->reads[func], start.at, "of_", &b);
	buf_free(&start);
	buf_puts(&b, !listed ? ")" : f->nparam ? "," : "\n");
	edit_insert(e, (listed ? f->list.pos + 1 : f->name.end) - f->at.pos, b.at, b.n);
	buf_free(&b);
}

/* Appends the edited text of a function, from its start to position `end`. */
static void
add_edited(const Module *m, const Func *f, uint32_t end, Edits *e, Buf *to)
{
	Source part = { .text = m->src->text + f->at.pos, .len = end - f->at.pos };

	edit_apply(e, &part, to);
	edit_release(e);
}

static void
add_prototype(const Task_loop_calls *c, uint32_t func, Arena *a, Buf *to)
{
	const Func *f = &c->m->funcs[func];
	Edits *e = edit_new(a);

	edit_head(c, func, e);
	add_edited(c->m, f, f->block.pos, e, to);
	buf_puts(to, ";\n\n");
}

static void
add_copy(const Task_loop_calls *c, uint32_t func, Tpl *t, Buf *to)
{
	const Func *f = &c->m->funcs[func];
	Edits *e = edit_new(t->arena);

	edit_head(c, func, e);
	tpl_begin(t, c->prefix);
	tpl_flag(t, "x", c->reads[func] & bit_of('x'));
	tpl_flag(t, "y", c->reads[func] & bit_of('y'));
	tpl_flag(t, "z", c->reads[func] & bit_of('z'));
	t->out.n = 0;
	tpl_write_section(t, "called");
	tpl_end(t);
	edit_insert(e, f->block.pos + 1 - f->at.pos, "\n", 1);
	edit_insert(e, f->block.pos + 1 - f->at.pos, t->out.at, t->out.n);
	PTX_STMTS(f, s)
		if (c->m->stmts[s].kind == STMT_MARKER)
			edit_replace(e, edit_span_from(c->m->stmts[s].at, f->at.pos), "", 0);
		else
			task_loop_calls_edit_stmt(c, &c->m->stmts[s], c->prefix, f->at.pos, e);
	buf_puts(to, "\n\n");
	add_edited(c->m, f, f->at.end, e, to);
}

void
task_loop_calls_write(const Task_loop_calls *c, Bits needed, uint32_t pos, Edits *e, Tpl *t)
{
	Buf heads = { 0 }, copies = { 0 };

	BITS_EACH(f, needed) {
		add_prototype(c, f, t->arena, &heads);
		add_copy(c, f, t, &copies);
	}
	if (heads.n) {
		edit_insert(e, pos, heads.at, heads.n);
		edit_insert(e, ptx_functions_end(c->m), copies.at, copies.n);
	}
	buf_free(&heads);
	buf_free(&copies);
}
