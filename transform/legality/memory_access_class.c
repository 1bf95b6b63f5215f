/* SPDX-License-Identifier: MIT */
/* Classifies memory accesses. See memory_access_class.h. */
#include "transform/legality/memory_access_class.h"

static const Underlying_objects any = { .space = SPACE_GENERIC };

static bool
is_zero(const Module *m, uint32_t opnd)
{
	const Opnd *o = &m->opnds[opnd];
	uint64_t value;
	bool real;
	return o->kind == OPND_IMM && ptx_imm(m, o, &value, &real) && value == 0;
}

static bool
operands_equal(const Module *m, uint32_t a, uint32_t b)
{
	const Opnd *x = &m->opnds[a], *y = &m->opnds[b];
	if (x->kind == OPND_SYM && y->kind == OPND_SYM)
		return x->sym == y->sym;
	return is_zero(m, a) && is_zero(m, b);
}

/* Whether an atomic operation leaves memory unchanged: atomicAdd(p, 0), atomicCAS(p, x, x). Adding
 * a floating-point zero changes -0 and subnormal numbers. */
static bool
atomic_leaves_memory_unchanged(const Module *m, const Stmt *s)
{
	Type type = ptx_insn_type(m, s);

	if (ptx_op(m, s) != OP_ATOM || type < TYPE_B32 || type > TYPE_S64 || ptx_has(m, s, "noftz"))
		return false;
	if (ptx_has(m, s, "cas"))
		return operands_equal(m, ptx_operand(m, s, 2), ptx_operand(m, s, 3));
	return (ptx_has(m, s, "add") || ptx_has(m, s, "or") || ptx_has(m, s, "xor")) &&
		is_zero(m, ptx_operand(m, s, 2));
}

/* The state space that a load, store or atomic operation names; SPACE_NONE: none. */
static Space
named_space(const Module *m, const Stmt *s)
{
	Op op = ptx_op(m, s);
	Space space = ptx_space(m, s);
	bool names = space == SPACE_GLOBAL || space == SPACE_SHARED || space == SPACE_LOCAL;

	return names && (op == OP_LD || op == OP_ST || op == OP_ATOM || op == OP_RED) ?
		space :
		SPACE_NONE;
}

Access
access_of_stmt(const Plan *x, uint32_t s)
{
	const Fn *fn = x->fn;
	const Stmt *st = fn_stmt(fn, s);
	uint32_t eff = fn_effects(fn, s);
	Access a = { .stmt = s,
		.reads = eff & EFF_READ,
		.space = named_space(fn->m, st),
		.base = any };

	a.writes = eff & EFF_WRITE && !atomic_leaves_memory_unchanged(fn->m, st);
	if (ptx_op(fn->m, st) != OP_CALL)
		a.base = objects_of_access(fn, s, x->arena);
	return a;
}

/* Appends a call. Calls of runtime functions, such as vprintf, are ignored unless they free
 * memory. */
static void
add_call_accesses(const Plan *x, uint32_t s, Accesses *to)
{
	const Fn *fn = x->fn;
	uint32_t callee = effects_callee(fn->m, s);
	if (effects_frees(fn->m, callee))
		*vec_push(to) = (Access){
			.stmt = s, .frees = true, .base = objects_freed_by_call(fn, s, x->arena) };
	else if (fn_effects(fn, s) & (EFF_READ | EFF_WRITE) &&
		!effects_is_runtime(fn->m, callee))
		*vec_push(to) = access_of_stmt(x, s);
}

void
accesses_collect(const Plan *x, uint32_t b, Accesses *to)
{
	const Fn *fn = x->fn;
	FN_BLOCK_STMTS(fn, b, s) {
		const Stmt *st = fn_stmt(fn, s);
		if (st->kind != STMT_INSN)
			continue;
		/* a release publishes writes to other threads, as if it read them */
		if (fn_effects(fn, s) & EFF_ORDER)
			*vec_push(to) = (Access){ .stmt = s,
				.reads = fn_effects(fn, s) & EFF_RELEASE,
				.fence = true,
				.base = any };
		if (ptx_op(fn->m, st) == OP_CALL)
			add_call_accesses(x, s, to);
		else if (fn_effects(fn, s) & (EFF_READ | EFF_WRITE))
			*vec_push(to) = access_of_stmt(x, s);
	}
}

void
accesses_collect_proven(const Plan *x, uint32_t b, Accesses *to)
{
	uint32_t first = to->n;

	accesses_collect(x, b, to);
	for (Access *a = to->at + first; a < to->at + to->n; a++)
		a->base = a->fence || ptx_flags(x->fn->m, fn_stmt(x->fn, a->stmt)) & OPF_CALL ?
			any :
			objects_proven(x->fn, a->stmt, x->arena);
}

Verdict
access_note_fence(const Plan *x, const Access *a, Verdict v)
{
	const Fn *fn = x->fn;
	const Module *m = fn->m;
	Bits seen = bits_new(x->scratch, m->nfuncs);
	uint32_t callee;

	if (!a->fence || ptx_op(m, fn_stmt(fn, a->stmt)) != OP_CALL ||
		!(callee = effects_callee(m, a->stmt)))
		return v;
	effects_flood(fn->effects, callee, seen);
	BITS_EACH(f, seen)
		PTX_STMTS(&m->funcs[f], s)
			if (ptx_op(m, &m->stmts[s]) != OP_CALL &&
				effects_stmt(m, fn->effects, s) & EFF_ORDER)
				return verdict_note(v, x->arena, m->stmts[s].at.pos,
					"in function '%.*s', here",
					PTX_NAME(m, m->funcs[f].sym));
	return v;
}

bool
access_is_atomic(const Plan *x, const Access *a)
{
	return ptx_flags(x->fn->m, fn_stmt(x->fn, a->stmt)) & OPF_ATOMIC;
}

bool
access_polls(const Plan *x, uint32_t stmt)
{
	const Module *m = x->fn->m;
	const Stmt *s = fn_stmt(x->fn, stmt);
	if (!(fn_effects(x->fn, stmt) & EFF_SPIN))
		return false;
	if (ptx_op(m, s) != OP_ATOM ||
		(!ptx_has(m, s, "add") && !ptx_has(m, s, "inc") && !ptx_has(m, s, "dec")))
		return true;
	return is_zero(m, ptx_operand(m, s, 2));
}

bool
accesses_disjoint(const Access *p, const Access *q)
{
	if (p->space != SPACE_NONE && q->space != SPACE_NONE && p->space != q->space)
		return true;
	return p->base.n && q->base.n && !objects_may_alias(&p->base, &q->base);
}
