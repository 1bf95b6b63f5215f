/* SPDX-License-Identifier: MIT */
/* The modifiers of an instruction, and its operands as rows of the frame.
 *
 * A constant has a row of its own, shared by all instructions of the function that use the same
 * value; so do special registers and addresses of variables. Nothing is looked up by name at run
 * time.
 */
#include <string.h>
#include "simt/operands/operand_decode.h"

static const struct { const char *name; Ty type;
} names[] = { { "pred", T_PRED }, { "b8", T_B8 }, { "b16", T_B16 }, { "b32", T_B32 },
	{ "b64", T_B64 }, { "b128", T_B128 }, { "u8", T_U8 }, { "u16", T_U16 }, { "u32", T_U32 },
	{ "u64", T_U64 }, { "s8", T_S8 }, { "s16", T_S16 }, { "s32", T_S32 }, { "s64", T_S64 },
	{ "f16", T_F16 }, { "f16x2", T_F16X2 }, { "bf16", T_BF16 }, { "bf16x2", T_BF16X2 },
	{ "f32", T_F32 }, { "f64", T_F64 } };

/* ---- modifiers ------------------------------------------------------------------------------- */

static Ty
type_of(const char *s, size_t n)
{
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (*names[i].name == *s && strlen(names[i].name) == n &&
			!memcmp(names[i].name, s, n))
			return names[i].type;
	return T_NONE;
}

static bool
word_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
		c == '_' || c == ':';
}

static void
add_word(Opcode *h, const char *s, uint32_t n)
{
	Ty t = type_of(s, n);
	if (t && h->ntypes < sizeof h->type / sizeof *h->type)
		h->type[h->ntypes++] = t;
	if (h->nwords == HEAD_WORDS) {
		h->bad = "too many modifiers";
		return;
	}
	h->used |= (uint32_t)(t != T_NONE) << h->nwords;
	h->word[h->nwords].s = s;
	h->word[h->nwords++].n = n;
}

void
opcode_read(Opcode *h, uint32_t stmt)
{
	const Stmt *s = &h->m->stmts[stmt];
	const char *at = h->m->src->text + s->head, *end = h->m->src->text + s->head_end;
	h->s = s;
	h->stmt = stmt;
	h->nwords = h->ntypes = h->used = 0;
	h->bad = NULL;
	while (at < end) {
		while (at < end && *at != '.')
			at++;
		const char *from = ++at;
		while (at < end && word_char(*at))
			at++;
		if (from < end)
			add_word(h, from, (uint32_t)(at - from));
	}
}

void
opcode_error(Opcode *h, const char *fmt, ...)
{
	Buf b = {0};
	va_list ap;
	va_start(ap, fmt);
	buf_vprintf(&b, fmt, ap);
	va_end(ap);
	h->bad = arena_strndup(h->sim->arena, b.at, b.n);
	buf_free(&b);
}

static bool
is_word(const Opcode *h, uint32_t i, const char *word, size_t n)
{
	return n == h->word[i].n && !memcmp(word, h->word[i].s, n);
}

bool
opcode_has(Opcode *h, const char *word)
{
	for (uint32_t i = 0; i < h->nwords; i++)
		if (is_word(h, i, word, strlen(word))) {
			h->used |= UINT32_C(1) << i;
			return true;
		}
	return false;
}

int
opcode_which(Opcode *h, const char *const *words)
{
	for (int i = 0; words[i]; i++)
		if (opcode_has(h, words[i]))
			return i;
	return -1;
}

/* Whether modifier i is part of the opcode's name, such as .warp of bar.warp. */
static bool
in_name(const Opcode *h, uint32_t i)
{
	for (const char *s = ptx_ops[h->s->op].name; (s = strchr(s, '.')) != NULL;)
		if (is_word(h, i, s + 1, strcspn(s + 1, ".")))
			return true;
		else
			s++;
	return false;
}

int
opcode_first_unused(const Opcode *h)
{
	/* modifiers without effect here: state spaces, which ptx_space reads; scopes and orders,
	 * because all lanes see one order of accesses; cache hints; defaults */
	static const char *const harmless[] = { "global", "shared", "local", "const", "param",
		"shared::cta", "shared::cluster", "param::entry", "param::func", "cta", "cluster",
		"gpu", "sys", "gl", "weak", "relaxed", "acquire", "release", "acq_rel", "sc",
		"volatile", "mmio", "sync", "aligned", "uni", "lo", "rn", "ca", "cg", "cs", "lu",
		"cv", "wb", "wt", "nc", "v2", "v4", "v8", "noftz", "noComplete", "any", "clamp",
		"wrap", "r" };
	for (uint32_t i = 0; i < h->nwords; i++) {
		bool cache = h->word[i].n > 4 &&
			(!memcmp(h->word[i].s, "L1::", 4) || !memcmp(h->word[i].s, "L2::", 4));
		bool known = h->used >> i & 1 || cache || in_name(h, i);
		for (size_t k = 0; k < sizeof harmless / sizeof *harmless && !known; k++)
			known = is_word(h, i, harmless[k], strlen(harmless[k]));
		if (!known)
			return (int)i;
	}
	return -1;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static uint32_t *
bucket_of(const Opcode *h, const Row *r)
{
	uint64_t hash = r->value * 4 + r->kind;
	hash *= UINT64_C(0x9e3779b97f4a7c15);
	return &h->bucket[(hash >> 32) % (h->f->nstmt + 1)];
}

static uint32_t
add_row(Opcode *h, Row r)
{
	Code *c = &h->p->codes.at[h->code];
	uint32_t *bucket = bucket_of(h, &r);
	if (r.width > 8)
		h->bad = "a constant of 128 bits";
	for (uint32_t i = *bucket; i; i = c->rows.at[i - 1].before) {
		const Row *o = &c->rows.at[i - 1];
		if (o->kind == r.kind && o->width == r.width && o->value == r.value &&
			o->sel == r.sel)
			return o->off;
	}
	r.off = c->bytes;
	c->bytes += r.width > 4 ? 8 * LANES : r.width ? 4 * LANES : 8;
	r.before = *bucket;
	*vec_push(&c->rows) = r;
	*bucket = c->rows.n;
	return r.off;
}

uint32_t
operand_const(Opcode *h, uint64_t value, uint32_t width)
{
	if (!width && value) /* row 0 is always true */
		return 0;
	if (width < 8)
		value &= (UINT64_C(1) << 8 * width) - 1;
	return add_row(h, (Row){ .kind = ROW_CONST, .width = (uint8_t)width, .value = value });
}

uint32_t
operand_next(const Opcode *h, uint32_t k)
{
	return ptx_operand(h->m, h->s, k);
}

static uint32_t
special_row(Opcode *h, const Opnd *o, uint32_t size)
{
	Sreg r = (Sreg)h->m->syms[o->sym].aux;
	if (r == SREG_WARP_SZ)
		return operand_const(h, LANES, size);
	if (ptx_sregs[r].flags & SREGF_TIME && r != SREG_WARPID && r != SREG_SMID) {
		h->bad = "a special register that changes by itself, outside of mov";
		return 0;
	}
	return add_row(h,
		(Row){ .kind = ROW_SREG,
			.width = (uint8_t)size,
			.value = (uint64_t)r,
			.sel = o->sel });
}

/* Whether a constant or shared variable fits into the rest of its memory. */
static bool
variable_fits(const Opcode *h, uint32_t sym)
{
	const Var *v = ptx_var(h->m, sym);
	Space space = (Space)h->m->syms[sym].space;
	uint32_t used = space == SPACE_CONST ? h->sim->memory->nconstants :
		h->p->own > h->p->shared ? h->p->own : h->p->shared;
	if (!v || (space != SPACE_CONST && space != SPACE_SHARED))
		return true;
	return v->bytes <= SIM_MOST_SHARED && v->align <= SIM_MOST_SHARED &&
		used <= SIM_MOST_SHARED;
}

/* Returns the row of the address of a variable or function, plus an offset. */
static uint32_t
variable_address(Opcode *h, uint32_t sym, int64_t plus, uint32_t size)
{
	const Sym *y = &h->m->syms[sym];
	uint8_t width = (uint8_t)(size < 4 ? 4 : size);
	if (y->func && y->kind != SYM_FUNC && h->local_of[ptx_local_sym(h->f, sym)]) {
		uint64_t own = y->space == SPACE_PARAM ? PARAM_OWN : 0;
		uint64_t at = own + h->local_of[ptx_local_sym(h->f, sym)] - 1 + (uint64_t)plus;
		return add_row(h, (Row){ .kind = ROW_LOCAL, .width = width, .value = at });
	}
	if (y->space == SPACE_SHARED && !y->aux) {
		h->p->dynamic = true;
		return add_row(
			h, (Row){ .kind = ROW_DYNAMIC, .width = width, .value = (uint64_t)plus });
	}
	if (y->kind == SYM_FUNC)
		return operand_const(h, call_address(h->p, y->func), width);
	if (!variable_fits(h, sym))
		h->bad = "more of this memory than a device has";
	else if (!y->func && (y->space == SPACE_LOCAL || y->space == SPACE_PARAM))
		h->bad = "a local variable or a parameter of the module";
	if (h->bad)
		return 0;
	return operand_const(h, memory_place_variable(h->sim, sym) + (uint64_t)plus, width);
}

static uint32_t
immediate_row(Opcode *h, const Opnd *o, Ty t)
{
	uint64_t v = 0;
	if (!ptx_imm_sized(h->m, o, ty_size(t), &v)) {
		h->bad = "a constant without a value";
		return 0;
	}
	return operand_const(h, v, ty_size(t));
}

/* Checks that a register of `have` bytes has a row of the width that a type of `need` bytes
 * requires. */
static void
check_row(Opcode *h, uint32_t have, uint32_t need)
{
	if ((have > 4) != (need > 4) || (have > 8) != (need > 8) || (have == 0) != (need == 0))
		h->bad = "a register of another size than the instruction's type";
}

/* Returns the row of a register. */
static uint32_t
operand_row(Opcode *h, uint32_t sym)
{
	const Sym *y = &h->m->syms[sym];
	if (!y->func) {
		h->bad = "a register of the module";
		return 0;
	}
	if (!h->row_of[ptx_local_sym(h->f, sym)])
		h->bad = y->vec > 1 ? "a vector register" : "a register of this kind";
	return h->row_of[ptx_local_sym(h->f, sym)];
}

Guard
operand_guard(Opcode *h, const Stmt *s)
{
	if (!s->guard)
		return (Guard){ 0, 0 };
	return (Guard){ operand_row(h, s->sym), s->guard == 2 ? UINT32_MAX : 0 };
}

static uint32_t
symbol_row(Opcode *h, const Opnd *o, Ty t)
{
	const Sym *y = &h->m->syms[o->sym];
	uint32_t size = ty_size(t);
	switch (y->kind) {
	case SYM_REG:
	case SYM_PARAM:
		if (y->kind == SYM_PARAM && y->space != SPACE_REG)
			return variable_address(h, o->sym, 0, size);
		check_row(h, ptx_type_size((Type)y->type), size);
		if (o->sel)
			h->bad = "a video selector";
		return operand_row(h, o->sym);
	case SYM_SPECIAL:
		return special_row(h, o, size);
	case SYM_VAR:
	case SYM_FUNC:
		return variable_address(h, o->sym, 0, size);
	default:
		h->bad = "an operand of this kind";
		return 0;
	}
}

uint32_t
operand_source(Opcode *h, uint32_t opnd, Ty t, bool *negated)
{
	const Opnd *o = &h->m->opnds[opnd];
	int64_t plus;
	if (negated)
		*negated = o->kind == OPND_NOT;
	switch (o->kind) {
	case OPND_NOT:
		if (negated)
			return operand_source(h, opnd + 1, t, NULL);
		break;
	case OPND_SYM:
		return symbol_row(h, o, t);
	case OPND_IMM:
		return immediate_row(h, o, t);
	case OPND_SUM:
		if (ptx_offset(h->m, o, &plus))
			return variable_address(h, o[1].sym, plus, ty_size(t));
		break;
	default:
		break;
	}
	h->bad = "an operand of this kind";
	return 0;
}

uint32_t
operand_dest(Opcode *h, uint32_t opnd, Ty t)
{
	const Opnd *o = &h->m->opnds[opnd];
	if (o->kind == OPND_SYM && h->m->syms[o->sym].kind == SYM_SINK)
		return h->p->codes.at[h->code].scratch;
	if (o->kind != OPND_SYM ||
		(h->m->syms[o->sym].kind != SYM_REG && h->m->syms[o->sym].kind != SYM_PARAM)) {
		h->bad = "a destination of this kind";
		return 0;
	}
	return symbol_row(h, o, t);
}

bool
operand_is_wide(const Opcode *h, uint32_t opnd)
{
	const Opnd *o = &h->m->opnds[opnd];
	if (o->kind != OPND_SYM)
		return false;
	const Sym *y = &h->m->syms[o->sym];
	return (y->kind == SYM_REG || y->kind == SYM_PARAM) && ptx_type_size((Type)y->type) >= 8;
}

void
operand_address(Opcode *h, uint32_t opnd, Inst *i)
{
	const Opnd *o = &h->m->opnds[opnd];
	if (o->kind != OPND_ADDR || o->tree != 1 + o[1].tree || !ptx_offset(h->m, o, &i->imm)) {
		h->bad = "an address of this kind";
		return;
	}
	const Opnd *base = o + 1;
	if (base->kind == OPND_SYM && ptx_is_reg(h->m, base->sym)) {
		if (!operand_is_wide(h, opnd + 1))
			i->flags |= F_ADDR32;
		i->a = symbol_row(h, base, operand_is_wide(h, opnd + 1) ? T_B64 : T_B32);
	} else {
		i->a = operand_source(h, opnd + 1, T_B64, NULL);
	}
}

/* ---- whole instructions ---------------------------------------------------------------------- */

/* Rejects an operand that is a register smaller than type t. */
static void
check_size(Opcode *h, uint32_t opnd, Ty t)
{
	const Opnd *o = &h->m->opnds[opnd];
	if (o->kind != OPND_SYM || !ptx_is_reg(h->m, o->sym))
		return;
	if (ptx_type_size((Type)h->m->syms[o->sym].type) < ty_size(t))
		h->bad = "a register of another size than the instruction's type";
}

void
operands_decode(Opcode *h, Inst *i, Ty t, uint32_t nsources)
{
	uint32_t *const to[] = { &i->a, &i->b, &i->c, &i->e };
	i->d = operand_dest(h, operand_next(h, 0), t);
	check_size(h, operand_next(h, 0), t);
	for (uint32_t k = 0; k < nsources; k++) {
		uint32_t o = operand_next(h, k + 1);
		if (!o) {
			h->bad = "too few operands";
			return;
		}
		*to[k] = operand_source(h, o, t, NULL);
		check_size(h, o, t);
	}
	i->type = (uint8_t)t;
}

void
opcode_rounding(Opcode *h, Inst *i)
{
	static const char *const modes[] = { "rn", "rz", "rm", "rp", NULL };
	int r = opcode_which(h, modes);
	i->round = (uint8_t)(r > 0 ? r : 0);
	if (opcode_has(h, "ftz"))
		i->flags |= F_FTZ;
	if (opcode_has(h, "sat"))
		i->flags |= F_SAT;
	if (opcode_has(h, "approx") || opcode_has(h, "full"))
		i->flags |= F_APPROX;
}

void
opcode_memory_order(Opcode *h, Inst *i)
{
	static const char *const strong[] = { "volatile", "relaxed", "acquire", "release",
		"acq_rel", "sc", "mmio", NULL };
	bool both = opcode_has(h, "acq_rel") || opcode_has(h, "sc");
	if (opcode_which(h, strong) >= 0)
		i->flags |= F_STRONG;
	i->order = (uint8_t)((both || opcode_has(h, "acquire") ? ORDER_ACQUIRE : 0) |
		(both || opcode_has(h, "release") ? ORDER_RELEASE : 0) |
		(opcode_has(h, "cta") ? 0 : ORDER_WIDE));
}
