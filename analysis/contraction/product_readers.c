/* SPDX-License-Identifier: MIT */
/* What reads a product, and whether every copy of the product that unrolling makes keeps a reader:
 * assumption I1 of docs/proofs/contraction.md. */
#include "analysis/contraction/internal.h"

/* ---- readers --------------------------------------------------------------------------------- */

bool
contraction_is_move(const Contraction_finder *w, uint32_t stmt)
{
	const Stmt *s = fn_stmt(w->fn, stmt);
	Op op = s->kind == STMT_INSN ? ptx_op(w->fn->m, s) : OP_UNKNOWN;

	return op == OP_MOV || op == OP_NEG || contraction_is_plain_abs(w, stmt);
}

/* Whether the definition reaches the use in the same iteration of the innermost loop around the
 * product. */
static bool
flows_within_iteration(Contraction_finder *w, uint32_t d, uint32_t use, uint32_t loop)
{
	const Fn *fn = w->fn;
	uint32_t stmt = fn_def(fn, d)->stmt, to = fn_use(fn, use)->stmt, from = fn_block(fn, stmt);

	if (!loop || (from == fn_block(fn, to) && stmt < to))
		return true;
	if (w->npaths++ >= MOST_PATHS)
		return false;
	bits_copy(w->back, fn->loops->loops[loop].blocks);
	bits_unset(w->back, fn->loops->loops[loop].header);
	FN_DEFS_OF_SYM(fn, fn_def(fn, d)->sym, other) {
		uint32_t s = fn_def(fn, other)->stmt;
		if (s && fn_def(fn, other)->kills && fn_block(fn, s) != fn_block(fn, to))
			bits_unset(w->back, fn_block(fn, s));
	}
	bits_clear(w->forward);
	FN_SUCC(fn, from, s)
		cfg_flood(fn->cfg, s, false, w->back, w->forward);
	return bits_has(w->forward, fn_block(fn, to));
}

/* Adds the readers of definition d, to which `of` describes the way from the product, also through
 * moves. w->followed counts the definitions. */
static void
add_readers(Contraction_finder *w, uint32_t d, Reader of, uint32_t product, Readers *to)
{
	const Fn *fn = w->fn;
	uint32_t loop = fn->loops->loop_of[fn_block(fn, product)];

	if (++w->followed > MOST_FOLLOWED)
		return;
	bits_set(w->seen, d);
	FN_USES(fn, d, u) {
		Reader r = of;
		r.stmt = fn_use(fn, u)->stmt;
		r.only &= fn_use(fn, u)->ndef == 1;
		r.reached &= !fn_def(fn, d)->crowded;
		r.same_iteration = r.same_iteration && flows_within_iteration(w, d, u, loop);
		if (!contraction_is_move(w, r.stmt)) {
			*vec_push(to) = r;
			continue;
		}
		r.direct = false;
		if (ptx_op(fn->m, fn_stmt(fn, r.stmt)) != OP_MOV &&
			fn_block(fn, r.stmt) == fn_block(fn, product))
			r.negation = r.stmt;
		FN_DEFS_OF_STMT(fn, r.stmt, other) {
			r.only &= fn_def(fn, other)->kills;
			if (!bits_has(w->seen, other))
				add_readers(w, other, r, product, to);
		}
	}
}

/* Whether an effect in the loop (0: anywhere), or the definition's own next value, depends on the
 * definition, so that every iteration needs it. */
static bool
value_is_loop_carried(Contraction_finder *w, uint32_t d, uint32_t loop)
{
	const Fn *fn = w->fn;
	bool found = false;

	if (++w->followed > MOST_FOLLOWED)
		return false;
	bits_set(w->seen, d);
	bits_set(w->open, d);
	FN_USES(fn, d, u) {
		uint32_t s = fn_use(fn, u)->stmt;
		if (found || (loop && !loop_contains(fn->loops, loop, fn_block(fn, s))))
			continue;
		found = contraction_has_effect(fn, s);
		FN_DEFS_OF_STMT(fn, s, e)
			found = found || bits_has(w->open, e) ||
				(!bits_has(w->seen, e) && value_is_loop_carried(w, e, loop));
	}
	bits_unset(w->open, d);
	return found;
}

static bool
reader_is_loop_carried(Contraction_finder *w, uint32_t product, uint32_t reader)
{
	bool found = contraction_has_effect(w->fn, reader);

	bits_clear(w->seen);
	bits_clear(w->open);
	w->followed = 0;
	FN_DEFS_OF_STMT(w->fn, reader, d)
		found = found ||
			value_is_loop_carried(
				w, d, w->fn->loops->loop_of[fn_block(w->fn, product)]);
	return found;
}

/* Whether an effect depends on the definition in each iteration, also in the last one of a loop
 * that ptxas may unroll: there, nothing is left of what only the next iteration needs. */
static bool
last_value_is_needed(Contraction_finder *w, uint32_t d, uint32_t loop)
{
	const Fn *fn = w->fn;

	if (++w->followed > MOST_FOLLOWED)
		return false;
	bits_set(w->seen, d);
	FN_USES(fn, d, u) {
		uint32_t s = fn_use(fn, u)->stmt, around = loop;
		while (around && !loop_contains(fn->loops, around, fn_block(fn, s)))
			around = fn->loops->loops[around].parent;
		if (!flows_within_iteration(w, d, u, around) &&
			!contraction_loop_tests_data(w, around))
			continue;
		if (contraction_has_effect(fn, s))
			return true;
		FN_DEFS_OF_STMT(fn, s, e)
			if (!bits_has(w->seen, e) && last_value_is_needed(w, e, around))
				return true;
	}
	return false;
}

static bool
last_reader_is_needed(Contraction_finder *w, uint32_t product, uint32_t reader)
{
	uint32_t loop = w->fn->loops->loop_of[fn_block(w->fn, product)];
	bool needed = !loop || contraction_has_effect(w->fn, reader);

	bits_clear(w->seen);
	w->followed = 0;
	FN_DEFS_OF_STMT(w->fn, reader, d)
		needed = needed || last_value_is_needed(w, d, loop);
	return needed;
}

/* Whether the reader is executed in the same iteration as the product, whatever ptxas does to the
 * loops around them. If so, each copy of the product has a copy of the reader. */
static bool
reader_shares_iteration(const Fn *fn, uint32_t product, const Reader *r)
{
	uint32_t b = fn_block(fn, product), to = fn_block(fn, r->stmt),
		 loop = fn->loops->loop_of[b];

	return r->only && (b == to ? product < r->stmt : dom_dominates(fn->dom, b, to)) &&
		(!loop || loop_contains(fn->loops, loop, to));
}

static bool operand_is_cheap(Contraction_finder *w, uint32_t stmt, const Opnd *o);

/* Whether ptxas can have the value that the statement defines as an operand in any block: it is a
 * literal, a parameter, a constant, or converted from one. */
static bool
value_is_cheap(Contraction_finder *w, uint32_t stmt)
{
	const Module *m = w->fn->m;
	const Stmt *s = fn_stmt(w->fn, stmt);

	if (!stmt || s->kind != STMT_INSN || ++w->followed > MOST_FOLLOWED)
		return true;
	if (ptx_flags(m, s) & OPF_LOAD)
		return ptx_space(m, s) == SPACE_PARAM || ptx_space(m, s) == SPACE_CONST;
	return ptx_flags(m, s) & OPF_PURE && s->nopnd == 2 &&
		operand_is_cheap(w, stmt, &m->opnds[ptx_operand(m, s, 1)]);
}

static bool
operand_is_cheap(Contraction_finder *w, uint32_t stmt, const Opnd *o)
{
	const Fn *fn = w->fn;

	if (o->kind != OPND_SYM || !ptx_is_reg(fn->m, o->sym))
		return true;
	FN_USES_OF_STMT(fn, stmt, u)
		if (fn_use(fn, u)->sym == o->sym)
			FN_REACH(fn, u, d)
				if (!bits_has(w->seen, d)) {
					bits_set(w->seen, d);
					if (value_is_cheap(w, fn_def(fn, d)->stmt))
						return true;
				}
	return false;
}

/* Whether ptxas computes the product again in each block with a sum, since one of its operands is
 * cheap. It does so if only sums read it. */
bool
contraction_is_repeated(Contraction_finder *w, uint32_t product)
{
	const Module *m = w->fn->m;
	const Stmt *s = fn_stmt(w->fn, product);

	bits_clear(w->seen);
	w->followed = 0;
	for (uint32_t k = 1; k < s->nopnd; k++)
		if (operand_is_cheap(w, product, &m->opnds[ptx_operand(m, s, k)]))
			return true;
	return false;
}

/* Whether every copy of the product reaches a copy of the reader, which may read other values too.
 * If it reads the product in the next iteration only, ptxas must not unroll the loop completely. */
static bool
merged_reader_follows(Contraction_finder *w, uint32_t product, const Reader *r)
{
	const Fn *fn = w->fn;
	uint32_t loop = fn->loops->loop_of[fn_block(fn, product)], to = fn_block(fn, r->stmt);

	return r->reached &&
		(!loop || (loop_contains(fn->loops, loop, to) &&
				  (r->same_iteration || contraction_loop_tests_data(w, loop))));
}

bool
contraction_reader_follows(Contraction_finder *w, uint32_t product, const Reader *r)
{
	return (reader_shares_iteration(w->fn, product, r) ||
		       merged_reader_follows(w, product, r)) &&
		reader_is_loop_carried(w, product, r->stmt) &&
		last_reader_is_needed(w, product, r->stmt);
}

void
contraction_find_readers(Contraction_finder *w, uint32_t stmt, Readers *to)
{
	Reader start = { .only = true, .direct = true, .reached = true, .same_iteration = true };

	to->n = 0;
	w->followed = 0;
	bits_clear(w->seen);
	FN_DEFS_OF_STMT(w->fn, stmt, d)
		add_readers(w, d, start, stmt, to);
}
