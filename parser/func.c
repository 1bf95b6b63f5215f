/* SPDX-License-Identifier: MIT */
/* Functions: header, parameters, directives, body.
 *
 * A function's local symbols have consecutive numbers: those of its parameters, then registers and
 * labels in the order of the body. The function's own symbol belongs to the module. A .func has its
 * return parameters before its name, so a symbol is reserved before them. Source: PTX ISA 9.0,
 * chapters 5.4, 7.1 and 11.4. */
#include "parser/build.h"

static Func *
current_func(Parser *p)
{
	return &p->funcs.at[p->func];
}

static void
begin_func(Parser *p, Span word, bool entry)
{
	uint32_t start = p->spec.at.pos == UINT32_MAX ? word.pos : p->spec.at.pos;

	p->func = 0;
	(void)scope_symbol(p, 0, SYM_NONE, 0);
	p->func = p->funcs.n;
	*vec_push(&p->funcs) = (Func){ .entry = entry,
		.linkage = p->spec.linkage,
		.at = { start, word.end },
		.word = word.pos,
		.sym = p->syms.n - 1,
		.sym0 = p->syms.n };
	scope_open(p, word.pos);
	spec_reset(p);
}

/* Gives the function its symbol: that of an earlier declaration, or the reserved one. */
static void
set_func_name(Parser *p, Span at)
{
	uint32_t id = scope_name(p, at),
		 old = p->table.names[id].scope == 1 ? p->table.names[id].sym : 0;
	Func *f = current_func(p);

	f->name = at;
	if (old && p->syms.at[old].kind == SYM_FUNC) {
		f->sym = old;
		if (p->syms.n == f->sym0) { /* nothing follows the reserved symbol: free it */
			p->syms.n--;
			f->sym0--;
		}
		return;
	}
	if (old) {
		parser_wrong(p, D_REDEFINED, at, "is declared twice in one scope");
		if (p->syms.at[old].kind != SYM_SPECIAL)
			parser_note(p, p->syms.at[old].pos, "the other one is here");
	}
	p->syms.at[f->sym] =
		(Sym){ .name = id, .kind = SYM_FUNC, .vec = 1, .pos = at.pos, .func = p->func };
	p->table.names[id].sym = f->sym; /* in the module's scope: never undone */
	p->table.names[id].scope = 1;
}

void
parser_entry(Parser *p, Span word, Span at)
{
	begin_func(p, word, true);
	set_func_name(p, at);
}

void
parser_func(Parser *p, Span word, Span attrs)
{
	begin_func(p, word, false);
	current_func(p)->attrs = attrs;
	current_func(p)->ret = p->syms.n;
}

void
parser_returns(Parser *p)
{
	current_func(p)->nret = p->syms.n - current_func(p)->ret;
}

void
parser_func_name(Parser *p, Span at)
{
	set_func_name(p, at);
}

void
parser_params(Parser *p, Span at)
{
	Func *f = current_func(p);

	f->list = at;
	f->param = f->sym0 + f->nret;
	f->nparam = p->syms.n - f->param;
}

void
parser_param(Parser *p, Span at, Span suffix)
{
	uint32_t before = p->syms.n, sym = scope_declare(p, scope_name(p, at), SYM_PARAM, at.pos);

	if ((p->spec.space != SPACE_PARAM && p->spec.space != SPACE_REG) || !p->spec.typed ||
		p->text[suffix.pos] == '<')
		parser_error(p, D_SYNTAX, at.pos,
			"a parameter is declared '.param' or '.reg' with a type, and singly");
	if (sym >= before) {
		Sym *s = &p->syms.at[sym];
		s->type = p->spec.type;
		s->space = p->spec.space;
		s->vec = p->spec.vec;
		decl_var(p, sym, suffix, (Span){ suffix.end, suffix.end });
	}
	spec_reset(p);
}

/* ---- directives ------------------------------------------------------------------------------ */

static void
parse_dimensions(Parser *p, uint32_t *dim, Span numbers)
{
	uint32_t pos = numbers.pos, n = 0;
	Span number;

	while (expr_next(p->text, &pos, numbers.end, &number)) {
		uint64_t v = expr_number(p, number, UINT32_MAX, "number of threads");
		if (n == 3) {
			parser_error(p, D_RANGE, number.pos, "more than three dimensions");
			return;
		}
		dim[n++] = (uint32_t)v;
	}
	for (; n < 3; n++)
		dim[n] = 1;
}

void
parser_limit(Parser *p, Directive which, Span numbers)
{
	if (p->func == 0) /* the limit is of a prototype in a body, or follows an error */
		return;
	if (which == DIR_MAXNTID)
		parse_dimensions(p, current_func(p)->maxntid, numbers);
	else if (which == DIR_REQNTID)
		parse_dimensions(p, current_func(p)->reqntid, numbers);
}

void
parser_flag(Parser *p, Directive which, Span at)
{
	/* the flag may also be of a prototype in a body */
	if (which != DIR_NORETURN || p->func == 0 || current_func(p)->body)
		return;
	current_func(p)->noreturn = true;
	if (current_func(p)->entry)
		parser_error(p, D_SYNTAX, at.pos, "an entry cannot be '.noreturn'");
}

/* ---- the body -------------------------------------------------------------------------------- */

void
parser_body(Parser *p, Span open)
{
	Func *f = current_func(p);
	Sym *s = &p->syms.at[f->sym];
	size_t len;
	const char *text = intern_text(p->m->names, s->name, &len);

	if (s->func != p->func && p->funcs.at[s->func].body) {
		parser_error(p, D_REDEFINED, open.pos, "a second body for function '%.*s'",
			(int)len, text);
		parser_note(p, p->funcs.at[s->func].block.pos, "the first one is here");
	}
	s->func = p->func;
	f->body = true;
	f->block = open;
	f->stmt = p->stmts.n;
	p->table.scopes.at[p->table.scopes.n - 1].pos = open.pos;
	p->stmt.opnd = p->opnds.n;
}

void
parser_body_end(Parser *p, Span close)
{
	current_func(p)->block.end = close.end;
	current_func(p)->nstmt = p->stmts.n - current_func(p)->stmt;
}

static void
check_label(Parser *p, const Opnd *o)
{
	uint8_t kind = p->syms.at[o->sym].kind;

	if (o->kind == OPND_SYM && (kind == SYM_LABEL || kind == SYM_NONE))
		return;
	parser_wrong(p, D_UNDECLARED, o->at, "is no label");
}

/* Checks that the operands of branches are labels. */
static void
check_branches(Parser *p)
{
	for (uint32_t i = 0; i < p->branches.n; i++) {
		const Stmt *s = &p->stmts.at[p->branches.at[i]];
		uint32_t at = s->opnd, insn = s->kind == STMT_INSN,
			 first = insn && s->op == OP_BRX ? 1 : 0;
		for (uint32_t k = 0; k < s->nopnd; k++, at += p->opnds.at[at].tree)
			if (k >= first)
				check_label(p, &p->opnds.at[at]);
		if (insn && s->nopnd != first + 1)
			parser_error(p, D_SYNTAX, s->at.pos, "a branch has one label");
	}
	p->branches.n = 0;
}

void
parser_func_end(Parser *p, Span at, Span dirs)
{
	Func *f = current_func(p);

	scope_close(p);
	check_branches(p);
	f->at.end = at.end;
	f->dirs = dirs;
	f->nsym = p->syms.n - f->sym0;
	parser_item(p, ITEM_FUNC, f->at, dirs);
	p->items.at[p->items.n - 1].ref = p->func;
	p->func = 0;
}
