/* SPDX-License-Identifier: MIT */
/* Declarations, and module-level statements other than functions.
 *
 * The words of a declaration are collected in Parser.spec, from which each declared name takes its
 * space, type and alignment. Source: PTX ISA 9.0, chapters 5.1 to 5.4 and 11.1 to 11.7. */
#include "parser/build.h"

void
spec_reset(Parser *p)
{
	p->spec = (Spec){ .at = { UINT32_MAX, 0 }, .vec = 1 };
}

static void
extend_spec(Parser *p, Span at)
{
	if (p->spec.at.pos == UINT32_MAX)
		p->spec.at.pos = at.pos;
	p->spec.at.end = at.end;
}

static void
report_wrong(Parser *p, Span at, const char *why)
{
	parser_wrong(p, D_SYNTAX, at, why);
}

/* ---- module-level statements ----------------------------------------------------------------- */

void
parser_item(Parser *p, Item_kind kind, Span at, Span spec)
{
	Item_kind header = p->items.n == 0 ? ITEM_VERSION : ITEM_TARGET;

	if (p->items.n < 2 && kind != header && p->errors == 0)
		parser_error(p, D_SYNTAX, at.pos, "expected '%s' here",
			header == ITEM_VERSION ? ".version" : ".target");
	*vec_push(&p->items) = (Item){ .at = at, .kind = (uint8_t)kind, .spec = spec };
}

static Item *
last_item(Parser *p)
{
	return &p->items.at[p->items.n - 1];
}

/* The version is major.minor with a minor number of one digit. */
void
parser_version(Parser *p, Span at, Span number)
{
	const char *s = p->text + number.pos;
	uint32_t n = number.end - number.pos, dot = n < 2 ? 0 : n - 2;
	uint64_t major, minor;

	if (p->m->version != 0)
		report_wrong(p, at, "is a second version");
	if (s[dot] == '.' && dot <= 2 && expr_integer(s, dot, &major) &&
		expr_integer(s + dot + 1, 1, &minor) && major > 0) {
		p->m->version = (uint32_t)(10 * major + minor);
	} else {
		p->m->version = 10;
		parser_wrong(p, D_RANGE, number, "is no PTX version");
	}
	parser_item(p, ITEM_VERSION, at, number);
}

void
parser_target_word(Parser *p, Span at)
{
	const char *s = p->text + at.pos;
	uint32_t n = at.end - at.pos, v = 0, i = 3;

	if (n == 5 && memcmp(s, "debug", 5) == 0)
		p->m->debug = true;
	if (n < 5 || ((s[0] | 0x20) != 's') || ((s[1] | 0x20) != 'm') || s[2] != '_')
		return;
	for (; i < n && s[i] >= '0' && s[i] <= '9' && v < 100000; i++)
		v = 10 * v + (uint32_t)(s[i] - '0');
	p->m->target = v;
}

void
parser_target(Parser *p, Span at)
{
	for (uint32_t i = 0; i < p->items.n; i++)
		if (p->items.at[i].kind == ITEM_TARGET)
			report_wrong(p, at, "is a second target");
	parser_item(p, ITEM_TARGET, at, (Span){ expr_skip(p->text, at.pos + 7, at.end), at.end });
}

void
parser_address_size(Parser *p, Span at, Span number)
{
	uint64_t v = expr_number(p, number, 64, "address size");

	if (v != 32 && v != 64)
		report_wrong(p, number, "is no address size: 32 or 64");
	if (p->items.n > 0 && last_item(p)->kind != ITEM_TARGET)
		report_wrong(p, at, "must follow '.target'");
	p->m->address_size = (uint32_t)v;
	parser_item(p, ITEM_ADDRESS_SIZE, at, number);
}

void
parser_file(Parser *p, Span at, Span number, Span name)
{
	parser_item(p, ITEM_FILE, at, name);
	last_item(p)->ref = (uint32_t)expr_number(p, number, UINT32_MAX, "file number");
}

void
parser_alias(Parser *p, Span at, Span a, Span b)
{
	Span both[] = { a, b };

	for (int i = 0; i < 2; i++) {
		uint32_t name = scope_name(p, both[i]);
		if (!scope_find(p, name))
			scope_undeclared(p, name, both[i].pos);
	}
	parser_item(p, ITEM_ALIAS, at, (Span){ a.pos, b.end });
}

/* ---- specifiers ------------------------------------------------------------------------------ */

static const struct { const char *name; uint8_t size;
} types[] = {
	/* ORDER Type */
	{ "", 0 },
	{ "pred", 0 },
	{ "b8", 1 },
	{ "b16", 2 },
	{ "b32", 4 },
	{ "b64", 8 },
	{ "b128", 16 },
	{ "u8", 1 },
	{ "u16", 2 },
	{ "u32", 4 },
	{ "u64", 8 },
	{ "s8", 1 },
	{ "s16", 2 },
	{ "s32", 4 },
	{ "s64", 8 },
	{ "f16", 2 },
	{ "f16x2", 4 },
	{ "f32", 4 },
	{ "f64", 8 },
	{ "texref", 0 },
	{ "surfref", 0 },
	{ "samplerref", 0 },
};

uint32_t
ptx_type_size(Type t)
{
	return types[t].size;
}

const char *
ptx_type_name(Type t)
{
	return types[t].name;
}

bool
type_parse(const char *word, size_t n, Type *type)
{
	for (size_t i = 1; i < sizeof types / sizeof *types; i++) {
		if (types[i].name[0] == word[0] && strlen(types[i].name) == n &&
			memcmp(types[i].name, word, n) == 0) {
			*type = (Type)i;
			return true;
		}
	}
	return false;
}

void
parser_linkage(Parser *p, Linkage linkage, Span at)
{
	spec_reset(p);
	p->spec.linkage = (uint8_t)linkage;
	if (linkage != LINK_NONE)
		extend_spec(p, at);
}

void
parser_space(Parser *p, Space space, Span at)
{
	extend_spec(p, at);
	if (p->spec.pointer) { /* the space that the pointer refers to */
		p->spec.ptr.end = at.end;
		return;
	}
	if (p->spec.space != SPACE_NONE)
		report_wrong(p, at, "is a second state space");
	if (p->spec.typed)
		report_wrong(p, at, "comes after the type");
	p->spec.space = (uint8_t)space;
}

void
parser_const_bank(Parser *p, Span at, Span number)
{
	if (at.end - at.pos < 6 || memcmp(p->text + at.pos, ".const", 6) != 0)
		report_wrong(p, at, "has no banks, only '.const' has");
	p->spec.cbank = (uint8_t)(1 + expr_number(p, number, 10, "constant bank"));
	parser_space(p, SPACE_CONST, at);
}

void
parser_align(Parser *p, Span at, Span number)
{
	uint32_t before = p->errors;
	uint64_t v = expr_number(p, number, UINT32_MAX, "alignment");

	if ((v == 0 || (v & (v - 1)) != 0) && p->errors == before)
		report_wrong(p, number, "is no power of two");
	if (p->spec.typed && p->spec.space != SPACE_PARAM)
		report_wrong(p, at, "comes after the type");
	extend_spec(p, at);
	if (p->spec.pointer)
		p->spec.ptr.end = at.end;
	else
		p->spec.align = (uint32_t)v;
}

void
parser_attribute(Parser *p, Span at)
{
	extend_spec(p, at);
	p->spec.attr = at;
	p->spec.pointer = false;
}

/* The words that follow (.global .align 4) describe the memory that the pointer refers to. */
void
parser_ptr(Parser *p, Span at)
{
	extend_spec(p, at);
	p->spec.pointer = true;
	p->spec.ptr = at;
}

void
parser_type(Parser *p, Span at)
{
	const char *s = p->text + at.pos + 1;
	size_t n = at.end - at.pos - 1;
	Type type;

	extend_spec(p, at);
	p->spec.pointer = false;
	if (n == 2 && s[0] == 'v' && (s[1] == '2' || s[1] == '4')) {
		if (p->spec.typed)
			report_wrong(p, at, "comes after the type");
		p->spec.vec = (uint8_t)(s[1] - '0');
		return;
	}
	if (!type_parse(s, n, &type)) {
		report_wrong(p, at, "is no type or attribute of a declaration");
		return;
	}
	if (p->spec.typed)
		report_wrong(p, at, "is a second type");
	p->spec.typed = true;
	p->spec.type = (uint8_t)type;
}

/* ---- declared names -------------------------------------------------------------------------- */

/* Returns the number of values at the outermost level of an initialiser in braces. */
static uint64_t
count_values(const char *text, Span at)
{
	uint64_t n = 0;
	int depth = 0;
	bool any = false;

	for (uint32_t i = at.pos; i < at.end; i = expr_skip(text, i + 1, at.end)) {
		char c = text[i];
		if (c == '{' || c == '(')
			depth++;
		else if (c == '}' || c == ')')
			depth--;
		else if (c == ',' && depth == 1)
			n++;
		any |= depth > 0 && i > at.pos;
	}
	return any ? n + 1 : 0;
}

/* Returns the product of the dimensions "[2][3]"; 0 if the first is empty and no initialiser gives
 * the number. */
static uint64_t
element_count(Parser *p, Span dims, Span init)
{
	uint64_t n = 1, limit = UINT64_C(1) << 48;
	Span number;
	uint32_t pos = dims.pos;

	if (dims.pos == dims.end)
		return 1;
	pos = expr_skip(p->text, pos + 1, dims.end);
	if (p->text[pos] == ']')
		n = init.pos < init.end && p->text[init.pos] == '{' ? count_values(p->text, init) :
								      0;
	while (expr_next(p->text, &pos, dims.end, &number)) {
		uint64_t k = expr_number(p, number, limit, "array size");
		if (k && n > limit / k) {
			parser_error(p, D_RANGE, dims.pos, "array of more than 2^48 elements");
			return 0;
		}
		n *= k;
	}
	return n;
}

void
decl_var(Parser *p, uint32_t sym, Span dims, Span init)
{
	Sym *s = &p->syms.at[sym];
	uint64_t size = (uint64_t)ptx_type_size((Type)s->type) * s->vec;
	Var v = { .sym = sym,
		.linkage = p->spec.linkage,
		.cbank = p->spec.cbank,
		.attr = p->spec.attr,
		.ptr = p->spec.ptr,
		.dims = dims,
		.init = init };

	v.bytes = size * element_count(p, dims, init);
	v.align = p->spec.align ? p->spec.align : size ? (uint32_t)size : 1;
	if (s->kind != SYM_BANK)
		s->aux = v.bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)v.bytes;
	*vec_push(&p->vars) = v;
}

/* Whether this declaration may repeat an earlier one: one of them must be external. */
static bool
is_repeatable(const Parser *p, uint32_t old)
{
	for (uint32_t i = p->vars.n; i-- > 0 && p->vars.at[i].sym >= old;)
		if (p->vars.at[i].sym == old)
			return p->spec.linkage == LINK_EXTERN ||
				p->vars.at[i].linkage == LINK_EXTERN;
	return false;
}

/* Returns the symbol of a declared name: a bank, a register or a variable. */
static uint32_t
declare_symbol(Parser *p, Span name, Span suffix)
{
	uint32_t id = scope_name(p, name), old = p->table.names[id].sym, pos = suffix.pos;
	bool reg = p->spec.space == SPACE_REG;
	Span number;

	if (name.end - name.pos == 1 && p->text[name.pos] == '_')
		report_wrong(p, name, "cannot be declared");
	if (suffix.pos < suffix.end && p->text[suffix.pos] == '<' &&
		expr_next(p->text, &pos, suffix.end, &number)) {
		uint32_t n = (uint32_t)expr_number(p, number, UINT32_MAX, "number of registers");
		return scope_declare_bank(p, id, n, name.pos);
	}
	if (!old || p->table.scopes.n > 1 || p->syms.at[old].kind != SYM_VAR ||
		!is_repeatable(p, old))
		return scope_declare(p, id, reg ? SYM_REG : SYM_VAR, name.pos);
	uint32_t sym = scope_symbol(p, id, SYM_VAR, name.pos);
	*vec_push(&p->renewed) = (Renewed_symbol){ old, sym };
	p->table.names[id].sym = sym;
	return sym;
}

void
parser_declare(Parser *p, Span name, Span suffix, Span init)
{
	uint32_t before = p->syms.n, sym = declare_symbol(p, name, suffix);

	if (!p->spec.typed || p->spec.space == SPACE_NONE)
		report_wrong(p, name, p->spec.typed ? "has no state space" : "has no type");
	if (sym < before) /* redefined */
		return;
	Sym *s = &p->syms.at[sym];
	s->type = p->spec.type;
	s->space = p->spec.space;
	s->vec = p->spec.vec;
	s->decl = p->func ? p->stmts.n : 0;
	p->m->registers |= !p->func && s->space == SPACE_REG;
	if (s->kind == SYM_VAR || (s->kind == SYM_BANK && s->space != SPACE_REG))
		decl_var(p, sym, s->kind == SYM_BANK ? (Span){ suffix.end, suffix.end } : suffix,
			init);
	if (p->var_item == 0)
		p->var_item = sym;
}

void
parser_init_name(Parser *p, Span at)
{
	uint32_t name = scope_name(p, at), sym = scope_find(p, name);

	if (!sym && p->table.scopes.n == 1)
		scope_undeclared(p, name, at.pos);
}

void
parser_init_generic(Parser *p, Span word, Span name)
{
	if (word.end - word.pos != 7 || memcmp(p->text + word.pos, "generic", 7) != 0)
		report_wrong(p, word, "is no operator of an initialiser, 'generic' is");
	parser_init_name(p, name);
}

void
parser_variables(Parser *p, Span at)
{
	uint32_t first = p->var_item;

	at.pos = p->spec.at.pos;
	parser_item(p, ITEM_VAR, at, p->spec.at);
	last_item(p)->linkage = p->spec.linkage;
	last_item(p)->ref = first;
	last_item(p)->n = first ? p->syms.n - first : 0;
	p->var_item = 0;
	spec_reset(p);
}

void
parser_declaration(Parser *p, Span at, Span spec)
{
	parser_stmt(p, STMT_DECL, at);
	Stmt *s = &p->stmts.at[p->stmts.n - 1];
	s->sym = p->var_item;
	s->head = spec.pos;
	s->head_end = spec.end;
	p->var_item = 0;
	spec_reset(p);
}
