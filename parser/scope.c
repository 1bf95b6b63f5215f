/* SPDX-License-Identifier: MIT */
/* Scopes: the meaning of names.
 *
 * Names are resolved during parsing: an array by interned id holds the current meaning of each
 * name, and each scope has a list of meanings to restore at its end. Three cases need more:
 *
 *	banks	.reg .b32 %r<50> declares %r0 to %r49. A member becomes a symbol when the text
 *		first names it; the undo then belongs to the scope of the bank, not to the
 *		innermost one.
 *	labels	may be used before their definition, and one of an inner block hides an outer
 *		one even if it is defined after the use. Such operands are pending; the end of
 *		each scope resolves those that it can.
 *	special registers
 *		belong to the outermost scope; an inner scope may redeclare their names.
 *
 * Registers, variables and functions must be declared before their use. Source: PTX ISA 9.0,
 * chapters 4.4 and 5.4, and the behaviour of ptxas 13 where the manual says nothing. */
#include "parser/build.h"

/* ---- names ----------------------------------------------------------------------------------- */

static void
reach_name(Parser *p, uint32_t name)
{
	Symbol_table *t = &p->table;
	uint32_t cap = t->names_cap ? 2 * t->names_cap : 4096;

	while (cap <= name)
		cap *= 2;
	t->names = xrealloc(t->names, cap * sizeof *t->names);
	memset(t->names + t->names_cap, 0, (cap - t->names_cap) * sizeof *t->names);
	t->names_cap = cap;
}

uint32_t
scope_name(Parser *p, Span at)
{
	uint32_t name = intern_add(p->m->names, p->text + at.pos, at.end - at.pos);

	if (name >= p->table.names_cap)
		reach_name(p, name);
	return name;
}

/* Saves the meaning of a name, to be restored at the end of the scope at that depth. */
static void
save_name(Parser *p, uint32_t name, uint32_t depth)
{
	Symbol_table *t = &p->table;
	Scope *s = &t->scopes.at[depth];

	*vec_push(&t->undos) = (Scope_undo){ name, t->names[name], s->undo };
	s->undo = t->undos.n;
}

static Scope *
innermost_scope(Parser *p)
{
	return &p->table.scopes.at[p->table.scopes.n - 1];
}

uint32_t
scope_symbol(Parser *p, uint32_t name, Sym_kind kind, uint32_t pos)
{
	uint32_t sym = p->syms.n;

	*vec_push(&p->syms) =
		(Sym){ .name = name, .kind = (uint8_t)kind, .vec = 1, .pos = pos, .func = p->func };
	return sym;
}

/* ---- banks ----------------------------------------------------------------------------------- */

/* Computes the number in the last `digits` characters of a name, "%r17". Returns false if it is too
 * large for a member. */
static bool
split_name(const char *s, size_t len, size_t digits, uint32_t *number)
{
	uint64_t v = 0;

	for (size_t i = len - digits; i < len && v < UINT32_MAX; i++)
		v = 10 * v + (uint64_t)(s[i] - '0');
	*number = (uint32_t)v;
	return v < UINT32_MAX;
}

/* Returns the innermost bank that contains the name, as an index in p->banks, and the number of
 * digits; 0 if there is none. */
static uint32_t
find_bank(Parser *p, uint32_t name, size_t *digits)
{
	Symbol_table *t = &p->table;
	size_t len;
	const char *s = intern_text(p->m->names, name, &len);
	uint32_t best = 0, number;

	for (size_t k = 1;
		k < len && s[len - k] >= '0' && s[len - k] <= '9' && split_name(s, len, k, &number);
		k++) {
		uint32_t prefix = intern_find(p->m->names, s, len - k);
		uint32_t b = prefix && prefix < t->names_cap ? t->names[prefix].bank : 0;
		while (b && p->syms.at[t->banks.at[b].sym].aux <= number)
			b = t->banks.at[b].outer;
		if (b && (!best || t->banks.at[b].depth > t->banks.at[best].depth)) {
			best = b;
			*digits = k;
		}
	}
	return best;
}

/* Returns the name without leading zeros in its number: ptxas treats %r03 as %r3. */
static uint32_t
canonical_name(Parser *p, uint32_t name, size_t digits)
{
	size_t len;
	const char *s = intern_text(p->m->names, name, &len);
	size_t zeros = strspn(s + len - digits, "0");

	if (zeros == digits)
		zeros--;
	if (zeros == 0)
		return name;
	char *copy = arena_alloc(p->m->arena, len - zeros);
	memcpy(copy, s, len - digits);
	memcpy(copy + len - digits, s + len - digits + zeros, digits - zeros);
	name = intern_add(p->m->names, copy, len - zeros);
	if (name >= p->table.names_cap)
		reach_name(p, name);
	return name;
}

/* Returns the symbol of a bank's member, created at its first use; 0 if the name is not a member of
 * a bank. */
static uint32_t
find_member(Parser *p, uint32_t name)
{
	Symbol_table *t = &p->table;
	size_t digits = 0;
	uint32_t b = find_bank(p, name, &digits);

	if (!b)
		return 0;
	Bank bank = t->banks.at[b];
	name = canonical_name(p, name, digits);
	Name_state *n = &t->names[name];
	if (n->sym && (n->scope >= t->scopes.at[bank.depth].serial))
		return n->sym; /* declared in an inner scope, or this very member */
	save_name(p, name, bank.depth);
	Sym like = p->syms.at[bank.sym];
	bool reg = like.space == SPACE_REG;
	uint32_t sym = scope_symbol(p, name, reg ? SYM_REG : SYM_VAR, like.pos);
	p->syms.at[sym].type = like.type;
	p->syms.at[sym].space = like.space;
	p->syms.at[sym].vec = like.vec;
	p->syms.at[sym].decl = like.decl;
	p->syms.at[sym].func = like.func;
	p->syms.at[sym].aux = reg ? bank.sym : ptx_type_size((Type)like.type) * like.vec;
	n->sym = sym;
	n->scope = t->scopes.at[bank.depth].serial;
	return sym;
}

/* ---- declaring ------------------------------------------------------------------------------- */

/* Returns a name for a message, truncated if it is very long. */
static const char *
message_name(const Parser *p, uint32_t name, int *len)
{
	size_t n;
	const char *s = intern_text(p->m->names, name, &n);

	*len = n < 500 ? (int)n : 500;
	return s;
}

static void
report_redefined(Parser *p, uint32_t name, uint32_t pos, uint32_t before)
{
	int len;
	const char *s = message_name(p, name, &len);

	parser_error(p, D_REDEFINED, pos, "'%.*s' is declared twice in one scope", len, s);
	if (before != UINT32_MAX)
		parser_note(p, before, "the other one is here");
}

/* Records that a single register's name has the form of a member, for banks declared later. */
static void
note_member(Parser *p, uint32_t name)
{
	Symbol_table *t = &p->table;
	size_t len, k = 0;
	const char *s = intern_text(p->m->names, name, &len);
	uint32_t number;

	while (k + 1 < len && s[len - k - 1] >= '0' && s[len - k - 1] <= '9')
		k++;
	while (k > 1 && s[len - k] == '0')
		k--;
	if (k == 0 || !split_name(s, len, k, &number) || (k > 1 && s[len - k] == '0'))
		return;
	uint32_t prefix = intern_add(p->m->names, s, len - k);
	if (prefix >= t->names_cap)
		reach_name(p, prefix);
	if (t->names[prefix].member == 0 || t->names[prefix].member > number + 1) {
		save_name(p, prefix, t->scopes.n - 1);
		t->names[prefix].member = number + 1;
	}
}

uint32_t
scope_declare(Parser *p, uint32_t name, Sym_kind kind, uint32_t pos)
{
	Symbol_table *t = &p->table;
	uint32_t serial = innermost_scope(p)->serial, b;
	size_t digits;
	Name_state *n = &t->names[name];

	if (n->sym && n->scope == serial) {
		bool special = p->syms.at[n->sym].kind == SYM_SPECIAL ||
			p->syms.at[n->sym].kind == SYM_SINK;
		report_redefined(p, name, pos, special ? UINT32_MAX : p->syms.at[n->sym].pos);
		return n->sym;
	}
	if (kind != SYM_LABEL && kind != SYM_FUNC) {
		b = find_bank(p, name, &digits);
		if (b && t->banks.at[b].depth == t->scopes.n - 1) {
			report_redefined(p, name, pos, p->syms.at[t->banks.at[b].sym].pos);
			return t->banks.at[b].sym;
		}
		note_member(p, name);
	}
	save_name(p, name, t->scopes.n - 1);
	t->names[name].sym = scope_symbol(p, name, kind, pos);
	t->names[name].scope = serial;
	return t->names[name].sym;
}

/* Returns the symbol of a single register that conflicts with a bank declared now; 0 if there is
 * none. */
static uint32_t
find_clash(Parser *p, uint32_t prefix, uint32_t count)
{
	Symbol_table *t = &p->table;
	uint32_t k = t->names[prefix].member;
	size_t len;
	const char *s = intern_text(p->m->names, prefix, &len);
	char buf[256];

	if (k == 0 || k - 1 >= count || len > sizeof buf - 12)
		return 0;
	int n = snprintf(buf, sizeof buf, "%.*s%u", (int)len, s, k - 1);
	uint32_t name = intern_find(p->m->names, buf, (size_t)n);
	if (!name || t->names[name].scope != innermost_scope(p)->serial)
		return 0;
	return t->names[name].sym;
}

uint32_t
scope_declare_bank(Parser *p, uint32_t name, uint32_t count, uint32_t pos)
{
	Symbol_table *t = &p->table;
	uint32_t depth = t->scopes.n - 1, outer = t->names[name].bank,
		 sym = find_clash(p, name, count);

	if (sym || (outer && t->banks.at[outer].depth == depth)) {
		report_redefined(p, sym ? p->syms.at[sym].name : name, pos,
			p->syms.at[sym ? sym : t->banks.at[outer].sym].pos);
		return sym ? sym : t->banks.at[outer].sym;
	}
	save_name(p, name, depth);
	sym = scope_symbol(p, name, SYM_BANK, pos);
	p->syms.at[sym].aux = count;
	t->names[name].bank = t->banks.n;
	*vec_push(&t->banks) = (Bank){ sym, outer, depth };
	t->inner_banks += depth > 1;
	return sym;
}

/* ---- look-up --------------------------------------------------------------------------------- */

uint32_t
scope_find(Parser *p, uint32_t name)
{
	uint32_t sym = p->table.names[name].sym;

	if (sym && (p->table.inner_banks == 0 || p->syms.at[sym].kind != SYM_REG))
		return sym;
	uint32_t other = find_member(p, name);
	return other ? other : sym;
}

uint32_t
scope_resolve(Parser *p, uint32_t name, uint32_t opnd)
{
	uint32_t sym = scope_find(p, name);

	if (sym == 0 ||
		(p->syms.at[sym].kind == SYM_LABEL &&
			p->table.names[name].scope != innermost_scope(p)->serial))
		*vec_push(&p->table.pending) = (Pending_use){ opnd, name };
	return sym;
}

/* ---- scopes ---------------------------------------------------------------------------------- */

void
scope_open(Parser *p, uint32_t pos)
{
	Symbol_table *t = &p->table;
	*vec_push(&t->scopes) = (Scope){ ++t->serial, 0, t->pending.n, t->banks.n, pos };
}

/* Reports a name that is not declared, or only further down; once per scope. */
void
scope_undeclared(Parser *p, uint32_t name, uint32_t pos)
{
	Symbol_table *t = &p->table;
	int len;
	const char *s = message_name(p, name, &len);
	const Sym *sym = &p->syms.at[t->names[name].sym];

	if (t->names[name].sym && sym->kind == SYM_NONE)
		return;
	parser_error(p, D_UNDECLARED, pos, "'%.*s' is %s", len, s,
		t->names[name].sym ? "used above its declaration" : "not declared");
	if (t->names[name].sym)
		parser_note(p, sym->pos, "declared here");
	save_name(p, name, t->scopes.n - 1);
	t->names[name].sym = scope_symbol(p, name, SYM_NONE, pos);
	t->names[name].scope = innermost_scope(p)->serial;
}

/* Resolves the uses whose label is in this scope, and leaves the others to the enclosing scope. */
static void
resolve_pending(Parser *p, const Scope *s)
{
	Symbol_table *t = &p->table;
	uint32_t kept = s->pending;

	for (uint32_t i = s->pending; i < t->pending.n; i++) {
		Pending_use use = t->pending.at[i];
		Name_state n = t->names[use.name];
		Opnd *o = &p->opnds.at[use.opnd];
		if (n.sym && n.scope == s->serial) {
			if (p->syms.at[n.sym].kind == SYM_LABEL)
				o->sym = n.sym;
			else if (o->sym == 0)
				scope_undeclared(p, use.name, o->at.pos);
		} else if (t->scopes.n > 2) {
			t->pending.at[kept++] = use;
		} else if (o->sym == 0) {
			scope_undeclared(p, use.name, o->at.pos);
		}
	}
	t->pending.n = kept;
}

void
scope_close(Parser *p)
{
	Symbol_table *t = &p->table;
	Scope s = *innermost_scope(p);

	resolve_pending(p, &s);
	for (uint32_t i = innermost_scope(p)->undo; i; i = t->undos.at[i - 1].next)
		t->names[t->undos.at[i - 1].name] = t->undos.at[i - 1].old;
	if (--t->scopes.n > 1)
		t->inner_banks -= t->banks.n - s.banks;
	else
		t->undos.n = 0; /* the module's own undo list is not needed */
	t->banks.n = s.banks;
}

/* ---- the module's scope ---------------------------------------------------------------------- */

static void
declare_special(Parser *p, uint32_t k)
{
	Symbol_table *t = &p->table;
	const char *s = ptx_sregs[k].name;
	uint32_t name = intern_add(p->m->names, s, strlen(s));
	bool wide = k == SREG_CLOCK64 || k == SREG_GLOBALTIMER || k == SREG_GRIDID ||
		k == SREG_CURRENT_GRAPH_EXEC || (strncmp(s, "%pm", 3) == 0 && s[4] != '\0');

	if (name >= t->names_cap)
		reach_name(p, name);
	uint32_t sym = scope_symbol(p, name, SYM_SPECIAL, 0);
	p->syms.at[sym].type = wide           ? TYPE_U64 :
		k == SREG_IS_EXPLICIT_CLUSTER ? TYPE_PRED :
						TYPE_U32;
	p->syms.at[sym].space = SPACE_REG;
	p->syms.at[sym].aux = k;
	t->names[name].sym = sym;
	t->names[name].scope = 1;
}

void
scope_init(Parser *p)
{
	scope_open(p, 0);
	for (uint32_t k = 0; k < SREG_COUNT; k++)
		declare_special(p, k);
	uint32_t name = intern_add(p->m->names, "_", 1);
	p->table.names[name].sym = scope_symbol(p, name, SYM_SINK, 0);
	p->table.names[name].scope = 1;
}
