/* SPDX-License-Identifier: MIT */
/* See access.h. */
#include "transform/access.h"

static const Base any = { .space = SPACE_GENERIC };

/* Is it a fence, or has it one in it? */
static bool
fences(const Module *m, const Stmt *s)
{
	Op op = ptx_op(m, s);

	if (ptx_ops[op].flags & OPF_PURE)
		return false;
	return op == OP_MEMBAR || op == OP_FENCE || ptx_has(m, s, "release") ||
		ptx_has(m, s, "acq_rel") || ptx_has(m, s, "sc");
}

static bool
is_zero(const Module *m, uint32_t opnd)
{
	const Opnd *o = &m->opnds[opnd];
	uint64_t value;
	bool real;
	return o->kind == OPND_IMM && ptx_imm(m, o, &value, &real) && value == 0;
}

static bool
same_value(const Module *m, uint32_t a, uint32_t b)
{
	const Opnd *x = &m->opnds[a], *y = &m->opnds[b];
	if (x->kind == OPND_SYM && y->kind == OPND_SYM)
		return x->sym == y->sym;
	return is_zero(m, a) && is_zero(m, b);
}

/* Does an atomic operation leave in memory what it finds: atomicAdd(p, 0), atomicCAS(p, x, x)? */
static bool
only_loads(const Module *m, const Stmt *s)
{
	if (ptx_op(m, s) != OP_ATOM)
		return false;
	if (ptx_has(m, s, "cas"))
		return same_value(m, ptx_operand(m, s, 2), ptx_operand(m, s, 3));
	return (ptx_has(m, s, "add") || ptx_has(m, s, "or") || ptx_has(m, s, "xor")) &&
		is_zero(m, ptx_operand(m, s, 2));
}

Access
access_of(const Plan *x, uint32_t s)
{
	const Fn *fn = x->fn;
	const Stmt *st = fn_stmt(fn, s);
	uint32_t eff = fn_effects(fn, s);
	Access a = { .stmt = s, .reads = eff & EFF_READ, .base = any };

	a.writes = eff & EFF_WRITE && !only_loads(fn->m, st);
	if (ptx_op(fn->m, st) != OP_CALL)
		a.base = base_of(fn, s, x->arena);
	return a;
}

/* Of the runtime's own functions, such as vprintf, only those that free memory count. */
static void
find_call(const Plan *x, uint32_t s, Accesses *to)
{
	const Fn *fn = x->fn;
	uint32_t callee = effects_callee(fn->m, s);
	if (effects_frees(fn->m, callee))
		*vec_push(to) = (Access){
			.stmt = s, .frees = true, .base = base_freed(fn, s, x->arena) };
	else if (fn_effects(fn, s) & (EFF_READ | EFF_WRITE) &&
		!effects_is_runtime(fn->m, callee))
		*vec_push(to) = access_of(x, s);
}

void
accesses_find(const Plan *x, uint32_t b, Accesses *to)
{
	const Fn *fn = x->fn;
	FN_BLOCK_STMTS(fn, b, s) {
		const Stmt *st = fn_stmt(fn, s);
		if (st->kind != STMT_INSN)
			continue;
		if (fences(fn->m, st)) /* for the path's writes, too, one would think */
			*vec_push(to) = (Access){
				.stmt = s, .reads = true, .fence = true, .base = any };
		if (ptx_op(fn->m, st) == OP_CALL)
			find_call(x, s, to);
		else if (fn_effects(fn, s) & (EFF_READ | EFF_WRITE))
			*vec_push(to) = access_of(x, s);
	}
}

bool
access_is_atomic(const Plan *x, const Access *a)
{
	return ptx_flags(x->fn->m, fn_stmt(x->fn, a->stmt)) & OPF_ATOMIC;
}

bool
access_looks(const Plan *x, uint32_t stmt)
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

static bool
is_variable(const Plan *x, uint64_t of)
{
	uint32_t sym = (uint32_t)(of >> 32);

	return sym && x->fn->m->syms[sym].kind == SYM_VAR;
}

bool
access_apart(const Plan *x, const Access *p, const Access *q)
{
	const Base *a = &p->base, *b = &q->base;
	bool declared = a->n && b->n;

	for (uint32_t i = 0; i < a->n; i++)
		declared &= is_variable(x, a->of[i]);
	for (uint32_t i = 0; i < b->n; i++)
		declared &= is_variable(x, b->of[i]);
	return declared && !base_meets(a, b);
}
