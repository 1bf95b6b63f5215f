/* SPDX-License-Identifier: MIT */
/* Strides of values between lanes; see lane_stride.h.
 *
 * The address is followed back along the definitions that reach it: %tid.x has stride one, a
 * uniform value stride zero, and sums and products with constants combine strides. Where several
 * definitions meet, as around a loop, all must have the same stride. A definition that is already
 * being followed has the stride of the others if only uniform values are added on the cycle. */
#include "analysis/memory/lane_stride.h"

enum { MOST_DEFS = 64 };

typedef enum { NOT_KNOWN, AS_OTHERS, KNOWN } Stride_knowledge;

typedef struct {
	const Fn *fn;
	uint32_t open[MOST_DEFS], nopen; /* definitions that are being followed */
	uint32_t left;                   /* remaining number of definitions to follow */
} Lane_stride_walk;

static Stride_knowledge stride_of_operand(
	Lane_stride_walk *w, uint32_t stmt, uint32_t k, int64_t *by);

static Stride_knowledge
stride_of_sum(Lane_stride_walk *w, uint32_t stmt, uint32_t k, bool minus, int64_t *by)
{
	int64_t more = 0;
	Stride_knowledge one = stride_of_operand(w, stmt, k, by),
			 other = stride_of_operand(w, stmt, k + 1, &more);

	if (one == KNOWN && other == KNOWN) {
		*by += minus ? -more : more;
		return KNOWN;
	}
	if (one == AS_OTHERS && other == KNOWN && more == 0)
		return AS_OTHERS;
	if (one == KNOWN && *by == 0 && other == AS_OTHERS && !minus)
		return AS_OTHERS;
	return NOT_KNOWN;
}

/* A product with a constant, or of uniform values. */
static Stride_knowledge
stride_of_product(Lane_stride_walk *w, uint32_t stmt, int64_t *by)
{
	const Module *m = w->fn->m;
	const Stmt *s = fn_stmt(w->fn, stmt);

	for (uint32_t i = 1; i < 3; i++) {
		const Opnd *o = &m->opnds[ptx_operand(m, s, i)];
		uint64_t c;
		bool real, shift = ptx_op(m, s) == OP_SHL;
		if (o->kind != OPND_IMM || !ptx_imm(m, o, &c, &real) || real)
			continue;
		if ((shift && (i == 1 || c > 31)) || stride_of_operand(w, stmt, 3 - i, by) != KNOWN)
			return NOT_KNOWN;
		*by *= shift ? INT64_C(1) << c : (int64_t)c;
		return KNOWN;
	}
	return stride_of_operand(w, stmt, 1, by) == KNOWN && *by == 0 &&
			stride_of_operand(w, stmt, 2, by) == KNOWN && *by == 0 ?
		KNOWN :
		NOT_KNOWN;
}

static Stride_knowledge
stride_of_instruction(Lane_stride_walk *w, uint32_t stmt, int64_t *by)
{
	const Stmt *s = fn_stmt(w->fn, stmt);
	int64_t more;

	if (s->kind != STMT_INSN || s->guard)
		return NOT_KNOWN;
	switch (ptx_op(w->fn->m, s)) {
	case OP_MOV:
	case OP_CVT:
	case OP_CVTA: return stride_of_operand(w, stmt, 1, by);
	case OP_ADD: return stride_of_sum(w, stmt, 1, false, by);
	case OP_SUB: return stride_of_sum(w, stmt, 1, true, by);
	case OP_SHL:
	case OP_MUL: return stride_of_product(w, stmt, by);
	case OP_MAD:
		if (stride_of_product(w, stmt, by) != KNOWN ||
			stride_of_operand(w, stmt, 3, &more) != KNOWN)
			return NOT_KNOWN;
		*by += more;
		return KNOWN;
	default: return NOT_KNOWN;
	}
}

static Stride_knowledge
stride_of_def(Lane_stride_walk *w, uint32_t def, int64_t *by)
{
	uint32_t stmt = fn_def(w->fn, def)->stmt;

	for (uint32_t i = 0; i < w->nopen; i++)
		if (w->open[i] == def)
			return AS_OTHERS;
	if (!stmt || w->left == 0)
		return NOT_KNOWN;
	w->left--;
	w->open[w->nopen++] = def;
	Stride_knowledge known = stride_of_instruction(w, stmt, by);
	w->nopen--;
	return known;
}

static Stride_knowledge
stride_of_use(Lane_stride_walk *w, uint32_t use, int64_t *by)
{
	Stride_knowledge known = AS_OTHERS;

	if (!bits_has(w->fn->uniform->use, use))
		return KNOWN;
	FN_REACH(w->fn, use, d) {
		int64_t other = 0;
		Stride_knowledge is = stride_of_def(w, d, &other);
		if (is == NOT_KNOWN || (is == KNOWN && known == KNOWN && other != *by))
			return NOT_KNOWN;
		if (is == KNOWN) {
			*by = other;
			known = KNOWN;
		}
	}
	return known;
}

/* Assumes that rows of a block consist of whole warps, or are consecutive in memory. */
static Stride_knowledge
stride_of_special(uint32_t which, uint8_t sel, int64_t *by)
{
	bool thread = which == SREG_TID;

	*by = (thread && sel == 'x') || which == SREG_LANEID;
	return *by || thread || !(ptx_sregs[which].flags & SREGF_LANE) ? KNOWN : NOT_KNOWN;
}

/* Stride of the k-th operand, or of the base of an address. */
static Stride_knowledge
stride_of_operand(Lane_stride_walk *w, uint32_t stmt, uint32_t k, int64_t *by)
{
	const Module *m = w->fn->m;
	uint32_t at = ptx_operand(m, fn_stmt(w->fn, stmt), k);
	const Opnd *o = &m->opnds[at];

	if (o->kind == OPND_ADDR)
		o = &m->opnds[at + 1];
	*by = 0;
	if (o->kind == OPND_IMM)
		return KNOWN;
	if (o->kind != OPND_SYM)
		return NOT_KNOWN;
	if (m->syms[o->sym].kind == SYM_SPECIAL)
		return stride_of_special(m->syms[o->sym].aux, o->sel, by);
	if (!fn_is_reg(w->fn, o->sym))
		return KNOWN;
	uint32_t use = o->sel ? 0 : defuse_find_use(w->fn, stmt, o->sym);
	return use ? stride_of_use(w, use, by) : NOT_KNOWN;
}

/* Returns the number of the address operand, from 0; the number of operands if there is none. */
static uint32_t
address_operand(const Fn *fn, uint32_t stmt)
{
	const Stmt *s = fn_stmt(fn, stmt);
	uint32_t k = 0;

	while (k < s->nopnd && fn->m->opnds[ptx_operand(fn->m, s, k)].kind != OPND_ADDR)
		k++;
	return k;
}

uint32_t
stride_bytes(const Fn *fn, uint32_t stmt)
{
	const Module *m = fn->m;
	const Stmt *s = fn_stmt(fn, stmt);

	return ptx_type_size(ptx_insn_type(m, s)) *
		(ptx_has(m, s, "v4") ? 4 : ptx_has(m, s, "v2") ? 2 : 1);
}

uint64_t
stride_of_lanes(const Fn *fn, uint32_t stmt)
{
	Lane_stride_walk w = { .fn = fn, .left = MOST_DEFS };
	uint32_t at = address_operand(fn, stmt);
	int64_t by;

	if (at == fn_stmt(fn, stmt)->nopnd || stride_of_operand(&w, stmt, at, &by) != KNOWN)
		return 0;
	return by < 0 ? -(uint64_t)by : (uint64_t)by;
}

bool
stride_is_adjacent(const Fn *fn, uint32_t stmt)
{
	uint64_t by = stride_of_lanes(fn, stmt);

	/* nvcc loads half of a pair if only that half is used */
	return by > 0 && by <= 2 * stride_bytes(fn, stmt);
}

bool
stride_coalesced(const Fn *fn, uint32_t stmt)
{
	static const char *const others[] = { "volatile", "relaxed", "acquire", "mmio" };
	const Module *m = fn->m;
	const Stmt *s = fn_stmt(fn, stmt);

	if (s->kind != STMT_INSN || s->guard || ptx_op(m, s) != OP_LD || !ptx_has(m, s, "global"))
		return false;
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (ptx_has(m, s, others[i]))
			return false;
	return stride_is_adjacent(fn, stmt);
}
