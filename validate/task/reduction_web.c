/* SPDX-License-Identifier: MIT */
/* Finds the registers of the input that hold a variable that the loop only folds into.
 *
 * In the loop, each statement that reads or writes a register of such a *web* copies another
 * register of it, or folds something into it, always by the same associative and commutative
 * operation. At most one of the registers is live at any point. So the variable's value after the
 * loop is its value before it combined with everything folded in, in any order.
 */
#include "validate/task/reductions.h"

enum { NOT_HELD = UINT8_MAX };

/* held: the operand that holds the accumulated value; 0: either of two. */
static const struct { uint16_t op, as; uint8_t held; } folds[] = {
	{ OP_ADD, OP_ADD, 0 },
	{ OP_SUB, OP_ADD, 1 },
	{ OP_MAD, OP_ADD, 3 },
	{ OP_FMA, OP_ADD, 3 },
	{ OP_MIN, OP_MIN, 0 },
	{ OP_MAX, OP_MAX, 0 },
	{ OP_AND, OP_AND, 0 },
	{ OP_OR, OP_OR, 0 },
	{ OP_XOR, OP_XOR, 0 },
};

/* Modifiers that change the operation. */
static const char *const others[] = {
	"sat", "satfinite", "relu", "NaN", "abs", "xorsign", "rz", "rm", "rp", "hi", "cc"
};

/* The type that distinguishes operations: signed and unsigned sums are the same. Minimum and
 * maximum of floating-point numbers are not supported. */
static Type
fold_type(Op as, Type t, bool wide)
{
	if (wide)
		t = t == TYPE_S32 || t == TYPE_U32 ? TYPE_U64 : TYPE_NONE;
	if (as == OP_ADD)
		t = t == TYPE_S32 ? TYPE_U32 : t == TYPE_S64 ? TYPE_U64 : t;
	switch (t) {
	case TYPE_F32: case TYPE_F64: return as == OP_ADD ? t : TYPE_NONE;
	case TYPE_U32: case TYPE_U64: case TYPE_S32: case TYPE_S64:
		return as == OP_ADD || as == OP_MIN || as == OP_MAX ? t : TYPE_NONE;
	case TYPE_B32: case TYPE_B64:
		return as == OP_AND || as == OP_OR || as == OP_XOR ? t : TYPE_NONE;
	default: return TYPE_NONE;
	}
}

Fold_operation
web_fold(const Module *m, const Stmt *t)
{
	Fold_operation f = { .variable_operand = NOT_HELD };

	if (t->kind != STMT_INSN || ptx_flags(m, t) & OPF_CARRY)
		return f;
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (ptx_has(m, t, others[i]))
			return f;
	for (size_t i = 0; i < sizeof folds / sizeof *folds; i++)
		if (folds[i].op == ptx_op(m, t)) {
			f.op = folds[i].as;
			f.variable_operand = folds[i].held;
			f.type = (uint8_t)fold_type(
				(Op)f.op, ptx_insn_type(m, t), ptx_has(m, t, "wide"));
		}
	return f;
}

/* The operation of an access to a slot. */
Fold_operation
web_fold_in_memory(const Module *m, const Stmt *t)
{
	static const struct { const char *word; uint16_t op; } words[] = { { "add", OP_ADD },
		{ "min", OP_MIN }, { "max", OP_MAX }, { "and", OP_AND }, { "or", OP_OR },
		{ "xor", OP_XOR } };
	Fold_operation f = { 0 };

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (ptx_has(m, t, words[i].word))
			f.op = words[i].op;
	f.type = (uint8_t)fold_type((Op)f.op, ptx_insn_type(m, t), false);
	return f;
}

bool
web_folds_equal(Fold_operation a, Fold_operation b)
{
	return a.type != TYPE_NONE && a.op == b.op && a.type == b.type;
}

uint64_t
web_identity(Fold_operation f)
{
	uint32_t bits = 8 * ptx_type_size((Type)f.type);
	uint64_t sign = UINT64_C(1) << (bits - 1), all = sign | (sign - 1);
	bool is_signed = f.type == TYPE_S32 || f.type == TYPE_S64;

	switch (f.op) {
	case OP_ADD: return f.type == TYPE_F32 || f.type == TYPE_F64 ? sign : 0; /* -0 + x is x */
	case OP_MIN: return is_signed ? sign - 1 : all;
	case OP_MAX: return is_signed ? sign : 0;
	case OP_AND: return all;
	default: return 0;
	}
}

/* ---- the web --------------------------------------------------------------------------------- */

bool
web_has_register(const Fn *fn, const Slot_reduction *x, uint32_t sym)
{
	return fn_is_reg(fn, sym) && bits_has(x->web, fn_local(fn, sym));
}

/* The register that operand k is; 0 if it is something else. */
static uint32_t
operand_register(const Input_text *input, const Stmt *t, uint32_t k)
{
	uint32_t at = k < t->nopnd ? ptx_operand(input->m, t, k) : 0;
	const Opnd *o = &input->m->opnds[at];

	return at && o->kind == OPND_SYM && !o->sel && fn_is_reg(input->fn, o->sym) ? o->sym : 0;
}

/* Whether the statement copies one register of the web, with or without folding something in. */
static bool
stmt_forwards_web(const Input_text *input, Slot_reduction *x, const Stmt *t)
{
	Fold_operation f = web_fold(input->m, t);

	if (ptx_op(input->m, t) == OP_MOV)
		return t->nopnd == 2 && operand_register(input, t, 0) &&
			operand_register(input, t, 1);
	x->fold = x->fold.type ? x->fold : f; /* of the first one found */
	if (f.variable_operand == NOT_HELD || !web_folds_equal(f, x->fold) ||
		!operand_register(input, t, 0))
		return false;
	if (f.variable_operand)
		return web_has_register(
			input->fn, x, operand_register(input, t, f.variable_operand));
	return t->nopnd == 3 &&
		(web_has_register(input->fn, x, operand_register(input, t, 1)) ||
			web_has_register(input->fn, x, operand_register(input, t, 2)));
}

/* Checks a statement of the loop. grown: set if the web has a new register. whole: the web is
 * complete. */
static bool
web_consider_stmt(
	const Input_text *input, Slot_reduction *x, uint32_t stmt, bool *grown, bool whole)
{
	const Fn *fn = input->fn;
	uint32_t reads = 0, writes = 0;

	FN_REFS(fn, stmt, r) {
		reads += !r->written && web_has_register(input->fn, x, r->sym);
		writes += r->written && web_has_register(input->fn, x, r->sym);
	}
	if (!reads)
		return !writes || !whole;
	if (reads != 1 || !stmt_forwards_web(input, x, fn_stmt(fn, stmt)))
		return false;
	uint32_t to = operand_register(input, fn_stmt(fn, stmt), 0);
	if (!web_has_register(input->fn, x, to)) {
		bits_set(x->web, fn_local(fn, to));
		*grown = true;
	}
	return true;
}

/* Whether at most one register of the web is live at each point of the block. */
static bool
web_has_one_live(const Fn *fn, const Slot_reduction *x, uint32_t block)
{
	uint32_t live = 0, n = 0;

	BITS_EACH(i, x->web)
		if (live_is_out(fn->live, fn->cfg, block, i)) {
			live = fn_sym(fn, i);
			n++;
		}
	for (uint32_t i = fn->cfg->blocks[block].end; n < 2 && i-- > fn->cfg->blocks[block].stmt;) {
		FN_WRITES(fn, i, r)
			if (n && r->sym == live && refs_kills(fn->m, i, r))
				n = 0;
		FN_READS(fn, i, r)
			if (web_has_register(fn, x, r->sym)) {
				n += !n || r->sym != live;
				live = r->sym;
			}
	}
	return n < 2;
}

/* The loop's blocks; exits may begin in paths. */
static Bits
loop_blocks(const Loop_check *s)
{
	Bits all = bits_new(s->arena, s->in.fn->cfg->nblocks);

	bits_copy(all, s->in.fn->loops->loops[s->in.region->loop].blocks);
	for (uint32_t i = 0; i < s->paths.n; i++)
		bits_or(all, s->paths.at[i].blocks);
	return all;
}

bool
web_find(const Loop_check *s, Slot_reduction *x)
{
	Bits all = loop_blocks(s);
	bool grown = true;

	while (grown) {
		grown = false;
		BITS_EACH(b, all)
			FN_BLOCK_STMTS(s->in.fn, b, i)
				if (!web_consider_stmt(&s->in, x, i, &grown, false))
					return false;
	}
	BITS_EACH(b, all) {
		FN_BLOCK_STMTS(s->in.fn, b, i)
			if (!web_consider_stmt(&s->in, x, i, &grown, true))
				return false;
		if (!web_has_one_live(s->in.fn, x, b))
			return false;
	}
	return true;
}
