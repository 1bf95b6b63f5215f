/* SPDX-License-Identifier: MIT */
/* Properties of instructions: look-up of the opcode, its flags, the symbols that it names.
 *
 * The opcode is looked up once per statement, during parsing, in a small hash table of the words of
 * ops.def, and the type and the state space are parsed from its modifiers. Heads with equal text
 * share the result through a cache. Other modifiers are looked for in the text on demand. */
#include "parser/build.h"

const Op_info ptx_ops[OP_COUNT] = {
	{ "(unknown)", 0, COST_MEM },
#define OP(id, name, flags, cost) { name, flags, cost },
#include "parser/ops.def"
#undef OP
};

const Sreg_info ptx_sregs[SREG_COUNT] = {
#define SREG(id, name, flags) { name, flags },
#include "parser/sreg.def"
#undef SREG
};

/* ---- words of an instruction's head, which may be separated by white space ------------------- */

static bool
word_char(char c)
{
	return name_char(c) || c == ':';
}

/* Finds the next modifier at or after *s, without its dot. Returns false at the end. */
static bool
next_modifier(const char **s, const char *end, const char **word, size_t *n)
{
	while (*s < end && **s != '.') {
		uint32_t gap = word_char(**s) ? 0 : expr_skip(*s, 0, (uint32_t)(end - *s));
		*s += gap ? gap : 1;
	}
	if (*s >= end)
		return false;
	*word = ++*s;
	while (*s < end && word_char(**s))
		++*s;
	*n = (size_t)(*s - *word);
	return true;
}

static bool
head_has_word(const char *s, const char *end, const char *word, size_t len)
{
	const char *w;
	size_t n;

	while (next_modifier(&s, end, &w, &n))
		if (n == len && memcmp(w, word, len) == 0)
			return true;
	return false;
}

/* ---- look-up --------------------------------------------------------------------------------- */

enum { SLOTS = 1024 };

struct Op_table {
	uint16_t first[SLOTS]; /* first row of ops.def with this opcode word; 0: free */
	uint8_t len[OP_COUNT]; /* length of the opcode word */
	Stmt seen[SLOTS];      /* by hash of the head's text: the last such instruction */
};

static uint32_t
hash_text(const char *s, size_t n)
{
	uint32_t h = (uint32_t)n;

	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)s[i]) * 0x9e3779b1u;
	return h >> 22;
}

Op_table *
op_table_new(Arena *a)
{
	Op_table *t = arena_zalloc(a, sizeof *t);

	for (uint16_t op = 1; op < OP_COUNT; op++) {
		const char *s = ptx_ops[op].name;
		size_t n = strcspn(s, ".");
		t->len[op] = (uint8_t)n;
		if (op > 1 && t->len[op - 1] == n && memcmp(ptx_ops[op - 1].name, s, n) == 0)
			continue;
		uint32_t i = hash_text(s, n);
		while (t->first[i % SLOTS])
			i++;
		t->first[i % SLOTS] = op;
	}
	return t;
}

/* Whether the head contains all modifiers of a row's name, ".async.bulk". */
static bool
row_matches(const char *name, const char *head, const char *end)
{
	while (*name == '.') {
		size_t n = strcspn(name + 1, ".");
		if (!head_has_word(head, end, name + 1, n))
			return false;
		name += n + 1;
	}
	return true;
}

static Op
op_find(const Op_table *t, const char *head, const char *end)
{
	size_t n = 0;
	uint16_t op;

	while (head + n < end && word_char(head[n]))
		n++;
	for (uint32_t i = hash_text(head, n);; i++) {
		op = t->first[i % SLOTS];
		if (op == 0)
			return OP_UNKNOWN;
		if (t->len[op] == n && memcmp(ptx_ops[op].name, head, n) == 0)
			break;
	}
	for (; op < OP_COUNT && t->len[op] == n && memcmp(ptx_ops[op].name, head, n) == 0; op++)
		if (ptx_ops[op].name[n] == '\0' || row_matches(ptx_ops[op].name + n, head + n, end))
			return (Op)op;
	return OP_UNKNOWN;
}

Op
ptx_op(const Module *m, const Stmt *s)
{
	(void)m;
	return s->kind == STMT_INSN ? (Op)s->op : OP_UNKNOWN;
}

bool
ptx_has(const Module *m, const Stmt *s, const char *word)
{
	return head_has_word(
		m->src->text + s->head, m->src->text + s->head_end, word, strlen(word));
}

/* ---- modifiers ------------------------------------------------------------------------------- */

static bool
has_any_modifier(const char *text, const Stmt *s, const char *const *words)
{
	const char *at = text + s->head, *end = text + s->head_end, *w;
	size_t n;

	while (next_modifier(&at, end, &w, &n))
		for (const char *const *x = words; *x; x++)
			if (**x == *w && strncmp(w, *x, n) == 0 && (*x)[n] == '\0')
				return true;
	return false;
}

bool
ptx_has_any(const Module *m, const Stmt *s, const char *const *words)
{
	return has_any_modifier(m->src->text, s, words);
}

static Space
parse_space(const char *text, const Stmt *s)
{
	static const struct {
		const char *word;
		Space space;
	} spaces[] = { { "global", SPACE_GLOBAL }, { "shared", SPACE_SHARED },
		{ "local", SPACE_LOCAL }, { "const", SPACE_CONST }, { "param", SPACE_PARAM } };
	const char *at = text + s->head, *end = text + s->head_end, *w;
	size_t n;

	while (next_modifier(&at, end, &w, &n)) {
		for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
			if (*w != *spaces[i].word)
				continue;
			size_t k = strlen(spaces[i].word);
			if (n >= k && memcmp(w, spaces[i].word, k) == 0 &&
				(n == k || w[k] == ':' || w[k] == '['))
				return spaces[i].space;
		}
	}
	return SPACE_GENERIC;
}

static Type
parse_type(const char *text, const Stmt *s)
{
	static const struct {
		const char *word;
		Type type;
	} packed[] = { { "bf16", TYPE_B16 }, { "bf16x2", TYPE_B32 }, { "tf32", TYPE_B32 },
		{ "u16x2", TYPE_B32 }, { "s16x2", TYPE_B32 }, { "f32x2", TYPE_B64 } };
	const char *at = text + s->head, *end = text + s->head_end, *w;
	Type found = TYPE_NONE;
	size_t n;

	while (next_modifier(&at, end, &w, &n)) {
		if (type_parse(w, n, &found))
			continue;
		for (size_t i = 0; i < sizeof packed / sizeof *packed; i++)
			if (strlen(packed[i].word) == n && memcmp(w, packed[i].word, n) == 0)
				found = packed[i].type;
	}
	return found;
}

void
insn_set_op(Op_table *t, const char *text, Stmt *s)
{
	static const char *const ordered[] = { "volatile", "acquire", "release", "acq_rel",
		"relaxed", "mmio", "cv", NULL };
	const char *head = text + s->head, *end = text + s->head_end;
	uint32_t len = s->head_end - s->head;
	Stmt *seen = &t->seen[hash_text(head, len)];

	if (seen->head_end - seen->head != len || memcmp(text + seen->head, head, len) != 0) {
		*seen = *s;
		seen->op = (uint16_t)op_find(t, head, end);
		seen->type = parse_type(text, s) & 0xffu;
		seen->space = parse_space(text, s) & 0x7fu;
		seen->ordered = has_any_modifier(text, s, ordered);
	}
	s->op = seen->op;
	s->type = seen->type;
	s->space = seen->space;
	s->ordered = seen->ordered;
}

/* ---- flags ----------------------------------------------------------------------------------- */

uint32_t
ptx_flags(const Module *m, const Stmt *s)
{
	uint32_t flags = ptx_ops[s->op].flags;

	switch (s->op) {
	case OP_LD:
	case OP_ST:
		if (s->ordered)
			flags |= OPF_EFFECT;
		break;
	case OP_MOV: { /* a register that changes by itself: two reads may differ */
		uint32_t k = ptx_operand(m, s, 1);
		const Sym *r = &m->syms[k && m->opnds[k].kind == OPND_SYM ? m->opnds[k].sym : 0];
		if (r->kind == SYM_SPECIAL && ptx_sregs[r->aux].flags & SREGF_TIME)
			flags = (flags & ~(uint32_t)OPF_PURE) | OPF_VARIES;
		break;
	}
	default:
		break;
	}
	return flags;
}

Space
ptx_space(const Module *m, const Stmt *s)
{
	return s->kind == STMT_INSN ? (Space)s->space : parse_space(m->src->text, s);
}

Type
ptx_insn_type(const Module *m, const Stmt *s)
{
	return s->kind == STMT_INSN ? (Type)s->type : parse_type(m->src->text, s);
}

/* ---- symbols of a statement ------------------------------------------------------------------ */

enum { READ = 1, WRITE = 2 };

/* Returns the number of leading operands that the instruction writes. */
static uint32_t
count_destinations(const Module *m, const Stmt *s)
{
	const Opnd *first = &m->opnds[s->opnd];

	if (s->nopnd == 0)
		return 0;
	if (s->op == OP_CALL)
		return first->kind == OPND_LIST && s->nopnd > 1 &&
			first[first->tree].kind != OPND_LIST;
	if (!(ptx_ops[s->op].flags & OPF_WRITES1) || first->kind == OPND_ADDR)
		return 0;
	return s->op == OP_TCGEN05_LD && ptx_has(m, s, "red") ? 2 : 1;
}

Ptx_refs
ptx_refs(const Module *m, const Stmt *s)
{
	Ptx_refs r = { .m = m, .s = s, .next = s->opnd, .end = s->opnd };

	if (s->kind == STMT_INSN)
		r.ndest = count_destinations(m, s);
	if (s->kind == STMT_INSN && s->guard) {
		r.sym = s->sym;
		r.left = READ;
	}
	return r;
}

/* Returns how the statement accesses its top-level operand k. */
static uint8_t
access_to(const Ptx_refs *r, uint32_t k)
{
	bool dest = k < r->ndest;

	if (r->s->kind == STMT_INSN &&
		(r->s->op == OP_UNKNOWN || (dest && r->s->op == OP_WGMMA_MMA_ASYNC)))
		return READ | WRITE;
	return dest ? WRITE : READ;
}

/* Returns the accesses to report for the current operand. The operands of an address or an index
 * are only read. */
static uint8_t
report_ref(const Ptx_refs *r, const Opnd *o)
{
	uint8_t kind = r->m->syms[o->sym].kind;

	if (kind == SYM_NONE || kind == SYM_FUNC || kind == SYM_SINK || kind == SYM_BANK)
		return 0;
	if (r->access == WRITE && r->opnd < r->inside)
		return READ;
	if (r->access == WRITE && o->sel && ptx_is_reg(r->m, o->sym))
		return READ | WRITE; /* the other components keep their values */
	return r->access;
}

/* Advances to the next operand of the trees; false if there is none. */
static bool
next_operand(Ptx_refs *r)
{
	const Opnd *o = &r->m->opnds[r->next];

	if (r->next == r->end) {
		if (r->k == r->s->nopnd || (r->s->kind != STMT_INSN && r->s->kind != STMT_TARGETS))
			return false;
		r->end += o->tree;
		r->inside = r->next;
		r->access = access_to(r, r->k++);
	}
	r->opnd = r->next++;
	if (o->kind == OPND_ADDR || o->kind == OPND_INDEX)
		r->inside = r->opnd + o->tree;
	if (o->kind == OPND_SYM) {
		r->sym = o->sym;
		r->left = report_ref(r, o);
	}
	return true;
}

bool
ptx_next_ref(Ptx_refs *r)
{
	while (!r->left)
		if (!next_operand(r))
			return false;
	r->written = !(r->left & READ);
	r->left &= r->written ? 0 : WRITE;
	return true;
}
