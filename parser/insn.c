/* SPDX-License-Identifier: MIT */
/* Statements and operands.
 *
 * Operands of a statement are appended as they are read, so the root of a tree comes after its
 * leaves; parser_node moves the few nodes up by one and inserts the root before them. The statement
 * itself is written last, at its semicolon. */
#include "parser/build.h"

/* ---- operands -------------------------------------------------------------------------------- */

static uint32_t
add_operand(Parser *p, Opnd_kind kind, uint32_t sym, Span at)
{
	uint32_t i = p->opnds.n;

	*vec_push(&p->opnds) = (Opnd){ .kind = (uint8_t)kind, .tree = 1, .sym = sym, .at = at };
	return i;
}

uint32_t
parser_imm(Parser *p, Span at)
{
	if (at.end - at.pos == 7 && memcmp(p->text + at.pos, "WARP_SZ", 7) == 0)
		return parser_symbol(p, at);
	return add_operand(p, OPND_IMM, 0, at);
}

uint32_t
parser_symbol(Parser *p, Span at)
{
	uint32_t name = scope_name(p, at);
	uint32_t i = p->opnds.n;

	return add_operand(p, OPND_SYM, scope_resolve(p, name, i), at);
}

/* Reads r.x, also with white space before the dot. */
uint32_t
parser_component(Parser *p, Span at)
{
	Span name = at, sel = { at.end, at.end };
	const char *s = p->text;

	while (s[sel.pos - 1] != '.')
		sel.pos--;
	for (name.end = name.pos; s[name.end] != '.' && s[name.end] > ' ' && s[name.end] != '/';)
		name.end++;
	uint32_t i = parser_symbol(p, name), n = sel.end - sel.pos;
	char c = s[sel.pos];
	bool video =
		n > 1 && (c == 'b' || c == 'h') && s[sel.pos + 1] >= '0' && s[sel.pos + 1] <= '3';
	if (expr_skip(s, name.end, at.end) != sel.pos - 1 ||
		(!video && (n != 1 || !strchr("xyzwrgba", c)))) {
		parser_wrong(
			p, D_SYNTAX, (Span){ name.end, at.end }, "is no component of a register");
		return i;
	}
	p->opnds.at[i].at = at;
	p->opnds.at[i].sel = video ? (uint8_t)(c - 'a' + 'A') : (uint8_t)c;
	return i;
}

/* Inserts a node before the n nodes that start at first. */
static uint32_t
wrap_operands(Parser *p, Opnd_kind kind, uint32_t first, uint32_t n, Span at)
{
	if (n >= UINT16_MAX) {
		parser_error(p, D_LIMIT, at.pos, "more than %u operands in one", UINT16_MAX - 1);
		p->opnds.n = first + 1;
		return first;
	}
	(void)vec_push(&p->opnds);
	Opnd *o = &p->opnds.at[first];
	memmove(o + 1, o, (p->opnds.n - 1 - first) * sizeof *o);
	*o = (Opnd){ .kind = (uint8_t)kind, .tree = (uint16_t)(n + 1), .at = at };
	for (uint32_t i = p->table.pending.n; i-- > 0 && p->table.pending.at[i].opnd >= first;)
		p->table.pending.at[i].opnd++;
	return first;
}

uint32_t
parser_node(Parser *p, Opnd_kind kind, uint32_t first, Span at)
{
	return wrap_operands(p, kind, first, p->opnds.n - first, at);
}

uint32_t
parser_empty_list(Parser *p, Span at)
{
	return add_operand(p, OPND_LIST, 0, at);
}

/* ---- statements ------------------------------------------------------------------------------ */

/* Writes a statement with all operands read since the last one. */
static Stmt *
add_statement(Parser *p, Stmt_kind kind, Span at)
{
	uint32_t n = 0;

	for (uint32_t i = p->stmt.opnd; i < p->opnds.n; i += p->opnds.at[i].tree)
		n++;
	if (n > UINT16_MAX) {
		parser_error(p, D_LIMIT, at.pos, "more than %u operands", UINT16_MAX);
		n = UINT16_MAX;
	}
	Stmt *s = vec_push(&p->stmts);
	*s = (Stmt){ .at = at, .opnd = p->stmt.opnd, .nopnd = (uint16_t)n, .kind = (uint8_t)kind };
	p->stmt.opnd = p->opnds.n;
	return s;
}

void
parser_stmt(Parser *p, Stmt_kind kind, Span at)
{
	add_statement(p, kind, at);
}

void
parser_guard(Parser *p, uint8_t kind, Span at)
{
	uint32_t name = scope_name(p, at);

	p->stmt.guard_kind = kind;
	const Sym *sym = &p->syms.at[p->stmt.guard = scope_find(p, name)];
	if (!p->stmt.guard)
		scope_undeclared(p, name, at.pos);
	else if (sym->type != TYPE_PRED && sym->kind != SYM_NONE)
		parser_wrong(p, D_SYNTAX, at, "guards an instruction but is no predicate");
}

/* Whether the parentheses at both ends match each other. (1)+(2) and (.u64)-1 are not lists. */
static bool
parentheses_match(const char *text, Span at)
{
	int depth = 0;

	for (uint32_t i = at.pos; i < at.end; i = expr_skip(text, i + 1, at.end)) {
		depth += (text[i] == '(') - (text[i] == ')');
		if (depth == 0)
			return i + 1 == at.end;
	}
	return false;
}

/* "(4)" is parsed as a constant; as an argument of a call it is a list of one. */
static void
constant_lists(Parser *p, const Stmt *s)
{
	for (uint32_t i = s->opnd; i < p->opnds.n; i += p->opnds.at[i].tree) {
		Opnd o = p->opnds.at[i];
		if (o.kind != OPND_IMM || p->text[o.at.pos] != '(' ||
			!parentheses_match(p->text, o.at))
			continue;
		Span in = { expr_skip(p->text, o.at.pos + 1, o.at.end), o.at.end - 1 };
		p->opnds.at[i].at = in;
		wrap_operands(p, OPND_LIST, i, 1, o.at);
	}
}

/* Rejects lists outside of calls. */
static void
refuse_lists(Parser *p, const Stmt *s)
{
	for (uint32_t i = s->opnd; i < p->opnds.n; i += p->opnds.at[i].tree)
		if (p->opnds.at[i].kind == OPND_LIST)
			parser_error(p, D_SYNTAX, p->opnds.at[i].at.pos,
				"parentheses around an operand that is not constant");
}

void
parser_insn(Parser *p, Span at, Span head)
{
	Stmt *s = add_statement(p, STMT_INSN, at);

	s->sym = p->stmt.guard;
	s->guard = p->stmt.guard_kind;
	s->head = head.pos;
	s->head_end = head.end;
	insn_set_op(p->ops, p->text, s);
	if (s->op == OP_CALL) {
		constant_lists(p, s);
		p->stmt.opnd = p->opnds.n;
	} else {
		refuse_lists(p, s);
	}
	if (s->op == OP_BRA || s->op == OP_BRX)
		*vec_push(&p->branches) = p->stmts.n - 1;
	p->stmt.guard = 0;
	p->stmt.guard_kind = 0;
}

static uint32_t
define_label(Parser *p, Span name)
{
	uint32_t sym = scope_declare(p, scope_name(p, name), SYM_LABEL, name.pos);

	p->syms.at[sym].decl = p->stmts.n;
	return sym;
}

void
parser_label(Parser *p, Span at, Span name)
{
	uint32_t sym = define_label(p, name);

	add_statement(p, STMT_LABEL, at)->sym = sym;
}

void
parser_table(Parser *p, Span at, Span name, bool branch)
{
	uint32_t sym = define_label(p, name);

	add_statement(p, STMT_TARGETS, at)->sym = sym;
	if (branch)
		*vec_push(&p->branches) = p->stmts.n - 1;
}

void
parser_proto(Parser *p, Span at, Span name, Span sink)
{
	uint32_t sym = define_label(p, name);

	if (sink.end - sink.pos != 1 || p->text[sink.pos] != '_')
		parser_error(p, D_SYNTAX, sink.pos, "a prototype's name is '_'");
	add_statement(p, STMT_PROTO, at)->sym = sym;
	spec_reset(p);
}

void
parser_scope(Parser *p, Span open)
{
	add_statement(p, STMT_OPEN, open);
	scope_open(p, open.pos);
}

void
parser_scope_end(Parser *p, Span close)
{
	scope_close(p);
	add_statement(p, STMT_CLOSE, close);
}

static void
expect_word(Parser *p, Span at, const char *word)
{
	if (at.end - at.pos != strlen(word) || memcmp(p->text + at.pos, word, at.end - at.pos) != 0)
		parser_error(p, D_SYNTAX, at.pos, "expected '%s' here", word);
}

void
parser_inlined(Parser *p, Span function_name, Span inlined_at)
{
	expect_word(p, function_name, "function_name");
	expect_word(p, inlined_at, "inlined_at");
}
