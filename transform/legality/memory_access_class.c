/* SPDX-License-Identifier: MIT */
/* Classifies memory accesses. See memory_access_class.h. */
#include "transform/legality/memory_access_class.h"

static const Base any = { .space = SPACE_GENERIC };

/* Whether the instruction is or contains a fence. */
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

/* Whether an atomic operation leaves memory unchanged: atomicAdd(p, 0), atomicCAS(p, x, x). */
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

/* Appends a call. Of runtime functions, such as vprintf, only those that free memory count. */
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
		if (fences(fn->m, st)) /* programs expect it to order the path's writes too */
			*vec_push(to) = (Access){
				.stmt = s, .reads = true, .fence = true, .base = any };
		if (ptx_op(fn->m, st) == OP_CALL)
			find_call(x, s, to);
		else if (fn_effects(fn, s) & (EFF_READ | EFF_WRITE))
			*vec_push(to) = access_of(x, s);
	}
}

void
accesses_find_proven(const Plan *x, uint32_t b, Accesses *to)
{
	uint32_t first = to->n;

	accesses_find(x, b, to);
	for (Access *a = to->at + first; a < to->at + to->n; a++)
		a->base = a->fence || ptx_flags(x->fn->m, fn_stmt(x->fn, a->stmt)) & OPF_CALL ?
			any :
			base_proven(x->fn, a->stmt, x->arena);
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

bool
access_apart(const Access *p, const Access *q)
{
	return p->base.n && q->base.n && !base_meets(&p->base, &q->base);
}
