/* SPDX-License-Identifier: MIT */
/* Decodes statements for the lanes of a trial (trial.h). */
#include <string.h>
#include "validate/trial/operations.h"

/* ---- words of an opcode ---------------------------------------------------------------------- */

typedef struct { const char *word; uint8_t how; } Word_how;

static const Word_how compares[] = { { "eq", HOW_EQ }, { "ne", HOW_NE }, { "lt", HOW_LT },
	{ "le", HOW_LE }, { "gt", HOW_GT }, { "ge", HOW_GE }, { "lo", HOW_LO }, { "ls", HOW_LS },
	{ "hi", HOW_HI }, { "hs", HOW_HS }, { "equ", HOW_EQ }, { "neu", HOW_NE }, { "ltu", HOW_LT },
	{ "leu", HOW_LE }, { "gtu", HOW_GT }, { "geu", HOW_GE }, { NULL, HOW_OTHER } };
static const Word_how joins[] = { { "and", HOW_AND }, { "or", HOW_OR }, { "xor", HOW_XOR },
	{ NULL, HOW_NONE } };
static const Word_how products[] = { { "wide", HOW_WIDE }, { "hi", HOW_HI }, { "sat", HOW_OTHER },
	{ NULL, HOW_NONE } };
static const Word_how finds[] = { { "shiftamt", HOW_SHIFTAMT }, { NULL, HOW_NONE } };
static const Word_how folds[] = { { "add", HOW_ADD }, { "min", HOW_MIN }, { "max", HOW_MAX },
	{ "and", HOW_AND }, { "or", HOW_OR }, { "xor", HOW_XOR }, { "exch", HOW_EXCH },
	{ "inc", HOW_INC }, { "cas", HOW_CAS }, { NULL, HOW_OTHER } };
static const Word_how votes[] = { { "all", HOW_ALL }, { "any", HOW_ANY }, { "uni", HOW_UNI },
	{ "ballot", HOW_BALLOT }, { NULL, HOW_OTHER } };
static const Word_how shuffles[] = { { "up", HOW_UP }, { "down", HOW_DOWN }, { "bfly", HOW_BFLY },
	{ "idx", HOW_IDX }, { NULL, HOW_OTHER } };
static const Word_how sides[] = { { "l", HOW_LEFT }, { NULL, HOW_NONE } };
static const Word_how wraps[] = { { "wrap", HOW_WRAP }, { NULL, HOW_NONE } };
static const Word_how dots[] = { { "s32", HOW_OTHER }, { NULL, HOW_NONE } };
static const Word_how plain[] = { { "sat", HOW_OTHER }, { "NaN", HOW_OTHER },
	{ "xorsign", HOW_OTHER }, { NULL, HOW_NONE } };

/* The first entry of the list that is a modifier of the opcode, or the last entry if none is. */
static uint8_t
read_modifier(const Module *m, const Stmt *t, const Word_how *list)
{
	const char *at = m->src->text + t->head, *end = m->src->text + t->head_end;
	uint32_t found = 0;

	while (list[found].word)
		found++;
	while (at < end && (at = memchr(at, '.', (size_t)(end - at))) != NULL) {
		const char *word = ++at;
		while (at < end && *at != '.')
			at++;
		for (uint32_t i = 0; i < found; i++)
			if (strncmp(list[i].word, word, (size_t)(at - word)) == 0 &&
				!list[i].word[at - word])
				found = i;
	}
	return list[found].how;
}

/* Whether the opcode accesses memory. */
static bool
has_space(Op op)
{
	return op == OP_LD || op == OP_ST || op == OP_ATOM || op == OP_RED;
}

static bool
may_sync(Op op)
{
	return op == OP_VOTE || op == OP_SHFL || op == OP_REDUX || op == OP_MATCH;
}

static void
read_modifiers(const Module *m, const Stmt *t, Trial_opcode *a)
{
	a->how = HOW_NONE;
	switch ((Op)a->op) {
	case OP_SETP:
		a->how = read_modifier(m, t, compares);
		a->with = read_modifier(m, t, joins);
		break;
	case OP_MUL: case OP_MAD: a->how = read_modifier(m, t, products); break;
	case OP_SHF:
		a->how = read_modifier(m, t, sides);
		a->with = read_modifier(m, t, wraps);
		break;
	case OP_DP4A: a->how = read_modifier(m, t, dots); break;
	case OP_BFIND: a->how = read_modifier(m, t, finds); break;
	case OP_REDUX: case OP_ATOM: case OP_RED: a->how = read_modifier(m, t, folds); break;
	case OP_VOTE: case OP_MATCH: a->how = read_modifier(m, t, votes); break;
	case OP_SHFL: a->how = read_modifier(m, t, shuffles); break;
	default: a->how = read_modifier(m, t, plain); break;
	}
}

/* Target type of a conversion between two integer types without other modifiers. */
static Type
converts_to(const Module *m, const Stmt *t)
{
	const char *at = m->src->text + t->head, *end = m->src->text + t->head_end;
	const char *dot = memchr(at, '.', (size_t)(end - at));
	const char *next = dot ? memchr(dot + 1, '.', (size_t)(end - dot - 1)) : NULL;

	if (!next || memchr(next + 1, '.', (size_t)(end - next - 1)))
		return TYPE_NONE;
	for (Type k = TYPE_U8; k <= TYPE_S64; k++)
		if (strlen(ptx_type_name(k)) == (size_t)(next - dot - 1) &&
			memcmp(ptx_type_name(k), dot + 1, (size_t)(next - dot - 1)) == 0)
			return k;
	return TYPE_NONE;
}

/* Decodes the opcode and its modifiers. The name of a load or store covers only its type, not its
 * cache operators. */
static const Opcode_info *
read_head(const Trial_text *c, const Stmt *t)
{
	uint64_t text = trial_mix_text(2, c->m->src->text + t->head, t->head_end - t->head);
	Opcode_info *h = &c->heads[text % TRIAL_HEADS];

	if (h->text == text)
		return h;
	Op op = ptx_op(c->m, t);
	Trial_opcode code = { .op = (uint16_t)op,
		.type = (uint8_t)ptx_insn_type(c->m, t),
		.space = has_space(op) ? (uint8_t)ptx_space(c->m, t) : SPACE_GENERIC };
	code.size = (uint8_t)ptx_type_size((Type)code.type);
	code.from = op == OP_CVT ? (uint8_t)converts_to(c->m, t) : code.type;
	code.name = op == OP_LD || op == OP_ST || op == OP_LDU ?
		trial_mix(op == OP_ST, code.type) : text;
	read_modifiers(c->m, t, &code);
	*h = (Opcode_info){ .text = text, .code = code, .flags = ptx_flags(c->m, t),
		.sync = may_sync(op) && ptx_has(c->m, t, "sync") };
	return h;
}

/* ---- operands -------------------------------------------------------------------------------- */

typedef struct {
	Trial_text *c;
	Trial_insn *a;
	Trial_operand *list;
	uint32_t n;
	bool many;
} Operand_reader;

/* The next operand, initially a constant. Excess operands overwrite the last one and set `many`. */
static Trial_operand *
add_operand(Operand_reader *r)
{
	r->many |= r->n == MOST_ARGS;
	Trial_operand *x = &r->list[r->many ? MOST_ARGS - 1u : r->n++];
	*x = (Trial_operand){ .kind = ARG_CONST };
	return x;
}

uint64_t
trial_address(const Trial_text *c, uint32_t sym)
{
	size_t n;
	const char *name = ptx_name(c->m, sym, &n);

	return trial_mix_text(1, name, n) & 0x3fffff00;
}

static Value_holder *
make_holder(Trial_text *c, uint8_t kind, uint32_t reg, uint8_t sel)
{
	Value_holder *h = arena_alloc(c->arena, sizeof *h);

	h->kind = kind;
	h->reg = reg;
	h->sel = sel;
	for (uint32_t k = 0; k < TRIAL_WARPS; k++)
		h->of[k].has = h->of[k].wrote = 0;
	if (kind != ARG_CONST) {
		h->next = c->all;
		c->all = h;
	}
	return h;
}

/* The holder of a special register or constant, from a cache. */
static Value_holder *
make_fixed_holder(Trial_text *c, const Trial_operand *x, uint32_t reg, uint8_t sel)
{
	Value_holder **known = &c->known[trial_mix(x->value + sel, reg) % TRIAL_KNOWN], *h = *known;

	if (h && h->kind == x->kind && h->reg == reg && h->sel == sel &&
		(x->kind == ARG_SPECIAL || h->of[0].v[0] == x->value))
		return h;
	h = *known = make_holder(c, x->kind, reg, sel);
	if (x->kind == ARG_CONST) {
		h->of[0].v[0] = x->value;
		trial_fill_constant(h, 0);
	}
	return h;
}

Value_holder *
trial_holder(Trial_text *c, uint32_t reg)
{
	if (!c->holders[reg])
		c->holders[reg] = make_holder(c, ARG_REG, reg, 0);
	return c->holders[reg];
}

static void
read_symbol(Trial_text *c, const Opnd *o, Trial_operand *x)
{
	const Sym *y = &c->m->syms[o->sym];

	if (y->kind == SYM_SPECIAL) {
		x->kind = ARG_SPECIAL;
		x->holder = make_fixed_holder(c, x, y->aux, o->sel);
	} else if (ptx_is_reg_of(c->m, c->f, o->sym)) {
		x->kind = ARG_REG;
		x->type = y->type;
		x->reg = ptx_local_sym(c->f, o->sym);
		x->holder = trial_holder(c, x->reg);
	} else {
		trial_add_variable(c->shared, &c->nshared, c, o->sym, SPACE_SHARED);
		x->value = trial_address(c, o->sym);
	}
}

/* Value of a floating-point literal. Sums and products are those of integers, so an odd number
 * serves best; identity elements stay. */
static uint64_t
read_literal(Type t, uint64_t v)
{
	uint32_t size = ptx_type_size(t), fraction = t == TYPE_F64 ? 52 : 23;
	uint64_t mask = size == 8 ? UINT64_MAX : UINT32_MAX, one = t == TYPE_F64 ? 0x3ff : 0x7f;
	uint64_t high = v >> fraction & (2 * one + 1), low = v & ((UINT64_C(1) << fraction) - 1);

	if (low == 0 && (high == 0 || high == one || high == 2 * one + 1))
		return v;
	return (trial_mix(v, 3) & mask) | 1;
}

static uint64_t
read_immediate(const Trial_text *c, const Trial_insn *a, const Opnd *o)
{
	uint64_t v = 0;

	if (!ptx_imm_sized(c->m, o, a->code.size, &v))
		return 0;
	if (a->code.type == TYPE_PRED && a->code.op != OP_VOTE)
		return v != 0;
	return a->code.type == TYPE_F32 || a->code.type == TYPE_F64 ?
		read_literal((Type)a->code.type, v) :
		v;
}

static void
read_operand(Operand_reader *r, const Opnd *o)
{
	Trial_text *c = r->c;
	int64_t offset = 0;
	Trial_operand *x;

	switch ((Opnd_kind)o->kind) {
	case OPND_IMM: add_operand(r)->value = read_immediate(c, r->a, o); break;
	case OPND_SYM: read_symbol(c, o, add_operand(r)); break;
	case OPND_NEG:
	case OPND_NOT:
		x = add_operand(r);
		read_symbol(c, o + 1, x);
		x->flip = x->kind == ARG_REG;
		break;
	case OPND_SUM:
	case OPND_ADDR:
		if (!ptx_offset(c->m, o, &offset) && o->tree > 2)
			r->a->does = DO_UNKNOWN;
		x = add_operand(r);
		if (o->tree > 1 && o[1].kind == OPND_SYM)
			read_symbol(c, o + 1, x);
		if (o->tree > 1 && o[1].kind == OPND_IMM)
			x->value = read_immediate(c, r->a, o + 1);
		x->value += (uint64_t)offset;
		for (uint32_t k = 2; k < o->tree; k += o[k].tree) /* coordinates of textures */
			read_operand(r, o + k);
		break;
	case OPND_PAIR:
	case OPND_VEC:
		for (uint32_t k = 1; k < o->tree; k += o[k].tree)
			read_operand(r, o + k);
		break;
	case OPND_LIST: /* arguments in parameter space are recorded by their stores */
		for (uint32_t k = 1; k < o->tree; k += o[k].tree)
			if (o[k].kind == OPND_SYM && ptx_is_reg_of(c->m, c->f, o[k].sym))
				read_operand(r, o + k);
		break;
	case OPND_INDEX:
	case OPND_NONE: r->a->does = DO_UNKNOWN; break;
	}
}

/* Copies the operands, padded to at least `least`. */
static Trial_operand *
store_operands(const Operand_reader *r, uint32_t least)
{
	Trial_text *c = r->c;
	uint32_t n = r->n > least ? r->n : least, k = 0;
	Trial_operand *list = arena_alloc(c->arena, n * sizeof *list);

	if (!c->nothing.holder) {
		c->nothing = (Trial_operand){ .kind = ARG_CONST, .plain = true };
		c->nothing.holder = make_fixed_holder(c, &c->nothing, 0, 0);
	}
	for (; k < r->n; k++)
		list[k] = r->list[k];
	for (; k < n; k++)
		list[k] = c->nothing;
	return list;
}

static uint64_t
mask_of(Type t)
{
	uint32_t size = ptx_type_size(t);

	return t == TYPE_PRED ? 1 : size >= 8 ? UINT64_MAX : (UINT64_C(1) << 8 * size) - 1;
}

static void
read_operands(Trial_text *c, const Stmt *t, Trial_insn *a, uint32_t flags)
{
	Trial_operand list[MOST_ARGS];
	Operand_reader r = { .c = c, .a = a, .list = list };
	const Opnd *o = &c->m->opnds[t->opnd];
	uint32_t k = 0;

	if (t->nopnd && (flags & OPF_WRITES1 || (a->does == DO_CALL && o->kind == OPND_LIST))) {
		read_operand(&r, o);
		o += o->tree;
		k++;
	}
	for (uint32_t i = 0; i < r.n; i++)
		list[i].value = mask_of((Type)list[i].type);
	a->results = store_operands(&r, 0);
	a->nresults = (uint8_t)r.n;
	r.n = 0;
	for (; k < t->nopnd; k++, o += o->tree)
		read_operand(&r, o);
	a->simple = a->does == DO_COMPUTE && a->nresults == 1 && a->results->kind == ARG_REG;
	for (uint32_t i = 0; i < r.n; i++) {
		list[i].plain = list[i].kind != ARG_REG || (!list[i].flip && !list[i].value);
		if (list[i].kind == ARG_CONST)
			list[i].holder = make_fixed_holder(c, &list[i], 0, 0);
		a->simple &= list[i].plain;
	}
	a->operands = store_operands(&r, LEAST_ARGS);
	a->noperands = (uint8_t)r.n;
	if (r.many)
		a->does = DO_UNKNOWN;
}

/* ---- effects --------------------------------------------------------------------------------- */

/* The symbol of a call's parameter that the access goes to; 0 if it is none. */
static uint32_t
param_place(const Trial_text *c, const Stmt *t, const Trial_insn *a)
{
	const Opnd *o = &c->m->opnds[ptx_operand(c->m, t, a->code.op == OP_LD)];

	if (a->code.space != SPACE_PARAM || o->kind != OPND_ADDR || o->tree < 2 ||
		o[1].kind != OPND_SYM || c->m->syms[o[1].sym].kind != SYM_VAR)
		return 0;
	return o[1].sym;
}

/* Whether it is an access to shared memory with a machine register as address. */
static bool
access_is_buffer(const Trial_text *c, const Stmt *t, const Trial_insn *a)
{
	const Opnd *o =
		&c->m->opnds[ptx_operand(c->m, t, a->code.op == OP_LD || a->code.op == OP_ATOM)];

	return c->inserted && a->code.space == SPACE_SHARED && o->kind == OPND_ADDR &&
		o->tree > 1 && o[1].kind == OPND_SYM && ptx_has_sym(c->f, o[1].sym) &&
		c->regs[ptx_local_sym(c->f, o[1].sym)].kind == REG_EMITTED;
}

static Trial_action
classify_access(const Trial_text *c, const Stmt *t, Trial_insn *a)
{
	if (access_is_buffer(c, t, a))
		return DO_BUFFER;
	a->param_symbol = a->code.op == OP_LD || a->code.op == OP_ST ? param_place(c, t, a) : 0;
	a->param = a->code.op == OP_LD && a->code.space == SPACE_PARAM;
	if (a->param_symbol)
		return a->code.op == OP_LD ? DO_LOAD_PARAM : DO_STORE_PARAM;
	if (a->code.op != OP_LD && a->code.op != OP_ST)
		return DO_EFFECT;
	return a->code.space == SPACE_LOCAL || a->code.space == SPACE_GENERIC ? DO_ACCESS :
		a->code.op == OP_LD                                           ? DO_COMPUTE :
										DO_EFFECT;
}

static Trial_action
classify_action(const Trial_text *c, const Stmt *t, const Opcode_info *h, Trial_insn *a)
{
	switch ((Op)a->code.op) {
	case OP_BRA: return DO_JUMP;
	case OP_BRX: return DO_TABLE;
	case OP_CALL: return DO_CALL;
	case OP_VOTE: case OP_SHFL: case OP_REDUX: case OP_MATCH:
		return h->sync ? DO_COLLECTIVE : DO_UNKNOWN;
	case OP_BAR_WARP: return DO_COLLECTIVE;
	case OP_ACTIVEMASK: return DO_ACTIVEMASK;
	case OP_LD: case OP_ST: case OP_ATOM: case OP_RED: return classify_access(c, t, a);
	case OP_PREFETCH: case OP_PREFETCHU: return DO_NOTHING;
	case OP_TEX: case OP_TLD4: case OP_SULD: case OP_LDU: return DO_COMPUTE;
	case OP_SUST: case OP_MEMBAR: case OP_FENCE: return DO_EFFECT;
	default: break;
	}
	if (h->flags & OPF_EXIT)
		return DO_END;
	return (h->flags & (OPF_PURE | OPF_CARRY)) == OPF_PURE ? DO_COMPUTE : DO_UNKNOWN;
}

static void
read_branch(const Trial_text *c, const Stmt *t, Trial_insn *a)
{
	uint32_t sym = c->m->opnds[ptx_operand(c->m, t, 0)].sym;

	a->to = ptx_has_sym(c->f, sym) ? c->label[ptx_local_sym(c->f, sym)] : 0;
	a->does = a->to ? DO_JUMP : DO_UNKNOWN;
	a->uniform = c->inserted && t->guard && ptx_has(c->m, t, "uni");
}

/* Decodes operands and results. */
static void
read_args(Trial_text *c, const Stmt *t, const Opcode_info *h, Trial_insn *a)
{
	const Opnd *first = &c->m->opnds[t->opnd];

	if (a->does == DO_JUMP) {
		read_branch(c, t, a);
		return;
	}
	if (a->does == DO_NOTHING || a->does == DO_END)
		return;
	if (a->does == DO_TABLE)
		a->param_symbol = first[first->tree].sym;
	if (a->does == DO_CALL && first->kind == OPND_LIST && first->tree > 1)
		a->param_symbol = first[1].sym;
	read_operands(c, t, a, h->flags);
	if (a->does == DO_TABLE || a->does == DO_CALL)
		return;
	trial_calc(a);
	a->counts = c->inserted && a->code.op != OP_LD && a->nresults &&
		a->results[0].kind == ARG_REG && a->compute.calc == CALC_HASH &&
		c->regs[a->results[0].reg].kind == REG_EMITTED;
}

static void
read_insn(Trial_text *c, const Stmt *t, Trial_insn *a)
{
	const Opcode_info *h = read_head(c, t);

	a->code = h->code;
	a->does = (uint8_t)classify_action(c, t, h, a);
	a->guard = t->guard;
	if (t->guard)
		a->guards = trial_holder(c, ptx_local_sym(c->f, t->sym));
	read_args(c, t, h, a);
}

/* Decodes lazily: statements that no lane reaches are not decoded. */
Trial_insn *
trial_read_now(Trial_text *c, uint32_t stmt)
{
	uint32_t local = ptx_local_stmt(c->f, stmt);
	Trial_insn *a = c->acts[local] = arena_zalloc(c->arena, sizeof *a);
	const Stmt *t = &c->m->stmts[stmt];
	bool insn = ptx_has_stmt(c->f, stmt) && t->kind == STMT_INSN;
	uint32_t like = insn ? stmt_dedup_first(&c->seen, stmt) : stmt;

	if (like != stmt)
		*a = *c->acts[ptx_local_stmt(c->f, like)];
	a->stmt = stmt;
	a->next = stmt + 1;
	a->next_insn = NULL;
	a->lanes = 0;
	a->inside = ptx_has_stmt(c->f, stmt) && bits_has(c->within, local);
	while (ptx_has_stmt(c->f, a->next) && c->m->stmts[a->next].kind != STMT_INSN)
		a->next++;
	if (insn && like == stmt)
		read_insn(c, t, a);
	a->plain = a->simple && a->inside && !a->guard;
	return a;
}
