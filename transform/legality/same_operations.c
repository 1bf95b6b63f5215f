/* SPDX-License-Identifier: MIT */
/* Compares the floating-point operations of two functions by hashes. See same_operations.h. */
#include <stdlib.h>
#include "base/vec.h"
#include "transform/legality/same_operations.h"

/* Operands are followed through this many definitions. */
enum { DEPTH = 3 };

typedef struct { const Fn *fn; Ptx_place *places; /* by local statement */ } Numbering;
typedef VEC(uint64_t) Hashes;

static uint64_t
hash_number(uint64_t hash, uint64_t n)
{
	hash = (hash ^ n) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 29;
}

static uint64_t
hash_text(const Fn *fn, uint32_t from, uint32_t to)
{
	uint64_t hash = 1;

	for (; from < to; from++)
		hash = hash_number(hash, (unsigned char)fn->m->src->text[from]);
	return hash;
}

static uint64_t hash_statement(const Numbering *w, uint32_t stmt, uint32_t depth);

static bool
is_operation(const Module *m, const Stmt *s)
{
	Op op = s->kind == STMT_INSN ? ptx_op(m, s) : OP_UNKNOWN;
	Type t = op == OP_UNKNOWN ? TYPE_NONE : ptx_insn_type(m, s);

	return (t == TYPE_F32 || t == TYPE_F64) &&
		(op == OP_MUL || op == OP_ADD || op == OP_SUB || op == OP_FMA || op == OP_MAD);
}

/* Hashes a definition, distinguished from others of its statement, such as those of a vector. */
static uint64_t
hash_definition(const Numbering *w, uint32_t d, uint32_t depth)
{
	uint32_t stmt = fn_def(w->fn, d)->stmt, n = 0;

	if (!stmt)
		return 1;
	FN_DEFS_OF_STMT(w->fn, stmt, other)
		n += other < d;
	return hash_number(hash_statement(w, stmt, depth), n);
}

/* Combines the definitions that reach a register, in no order. */
static uint64_t
hash_register(const Numbering *w, uint32_t stmt, uint32_t sym, uint32_t depth)
{
	uint64_t all = 0;

	FN_USES_OF_STMT(w->fn, stmt, u) {
		if (fn_use(w->fn, u)->sym != sym)
			continue;
		FN_REACH(w->fn, u, d)
			all += hash_definition(w, d, depth);
		return all;
	}
	return all;
}

/* Adds a source operand: its literals, names and definitions. */
static uint64_t
hash_operand(const Numbering *w, uint32_t stmt, uint32_t opnd, uint64_t hash, uint32_t depth)
{
	const Fn *fn = w->fn;

	for (uint32_t o = opnd; o < opnd + fn->m->opnds[opnd].tree; o++) {
		const Opnd *p = &fn->m->opnds[o];
		if (p->kind == OPND_SYM && fn_is_reg(fn, p->sym))
			hash = hash_number(hash, hash_register(w, stmt, p->sym, depth));
		else if (p->kind == OPND_SYM || p->kind == OPND_IMM)
			hash = hash_number(hash, hash_text(fn, p->at.pos, p->at.end));
	}
	return hash;
}

/* depth: the number of definitions to follow. */
static uint64_t
hash_statement(const Numbering *w, uint32_t stmt, uint32_t depth)
{
	const Fn *fn = w->fn;
	const Stmt *s = fn_stmt(fn, stmt);
	const Ptx_place *at = &w->places[fn_local_stmt(fn, stmt)];
	uint64_t hash = hash_text(fn, s->head, s->head_end);

	if (is_operation(fn->m, s)) /* the lines of other statements depend on where they are */
		hash = hash_number(hash_number(hash, at->line), at->file);
	PTX_OPNDS(fn->m, s, k, o)
		if (depth && k)
			hash = hash_operand(w, stmt, o, hash, depth - 1);
	return hash;
}

static uint64_t
hash_factors(const Numbering *w, uint32_t stmt)
{
	uint64_t hash = 1;

	for (uint32_t k = 1; k < 3; k++)
		hash = hash_operand(w, stmt, ptx_operand(w->fn->m, fn_stmt(w->fn, stmt), k), hash,
			DEPTH);
	return hash;
}

/* Whether the statement computes a product of factors with this hash, perhaps negated. */
static bool
is_product_of(const Numbering *w, uint32_t stmt, uint64_t factors, bool negates)
{
	const Fn *fn = w->fn;
	Op op = stmt ? ptx_op(fn->m, fn_stmt(fn, stmt)) : OP_UNKNOWN;

	if (op == OP_NEG && negates)
		FN_USES_OF_STMT(fn, stmt, u)
			FN_REACH(fn, u, d)
				if (is_product_of(w, fn_def(fn, d)->stmt, factors, false))
					return true;
	return op == OP_MUL && hash_factors(w, stmt) == factors;
}

/* Whether the operation adds two products that hashes do not distinguish. */
static bool
is_ambiguous(const Numbering *w, uint32_t stmt)
{
	const Fn *fn = w->fn;
	const Stmt *s = fn_stmt(fn, stmt);
	uint32_t added = ptx_operand(fn->m, s, 3);

	if (ptx_op(fn->m, s) != OP_FMA || fn->m->opnds[added].kind != OPND_SYM)
		return false;
	FN_USES_OF_STMT(fn, stmt, u)
		FN_REACH(fn, u, d)
			if (fn_use(fn, u)->sym == fn->m->opnds[added].sym &&
				is_product_of(w, fn_def(fn, d)->stmt, hash_factors(w, stmt), true))
				return true;
	return false;
}

static int
by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Collects the distinct operations in ascending order. False if one is ambiguous, or there are no
 * source lines; merged code has line 0. */
static bool
collect_operations(const Fn *fn, Hashes *to)
{
	Arena *tmp = arena_new();
	Numbering w = { fn, arena_zalloc(tmp, (fn->f->nstmt + 1) * sizeof *w.places) };
	Ptx_place at = { 0 };
	uint32_t n = 0;
	bool lines = false, ambiguous = false;

	FN_STMTS(fn, s) {
		if (fn_stmt(fn, s)->kind == STMT_LOC && !ptx_loc_place(fn->m, s, &at))
			at = (Ptx_place){ 0 };
		w.places[fn_local_stmt(fn, s)] = at;
	}
	FN_STMTS(fn, s)
		if (is_operation(fn->m, fn_stmt(fn, s)) && fn_block(fn, s)) {
			lines = lines || w.places[fn_local_stmt(fn, s)].line;
			ambiguous = ambiguous || is_ambiguous(&w, s);
			*vec_push(to) = hash_statement(&w, s, DEPTH);
		}
	if (to->n)
		qsort(to->at, to->n, sizeof *to->at, by_value);
	for (uint32_t i = 0; i < to->n; i++)
		if (!n || to->at[n - 1] != to->at[i])
			to->at[n++] = to->at[i];
	to->n = n;
	arena_free(tmp);
	return lines && !ambiguous;
}

bool
operations_are_same(const Fn *a, const Fn *b)
{
	Hashes x = { 0 }, y = { 0 };
	bool same = collect_operations(a, &x) && collect_operations(b, &y) && x.n == y.n;

	for (uint32_t i = 0; same && i < x.n; i++)
		same = x.at[i] == y.at[i];
	vec_free(&x);
	vec_free(&y);
	return same;
}
