/* SPDX-License-Identifier: MIT */
/* Whether code is optimised, and what it depends on: assumption I4 of
 * docs/proofs/contraction.md. */
#include "analysis/contraction/internal.h"

/* ---- dependences ----------------------------------------------------------------------------- */

bool
contraction_has_effect(const Fn *fn, uint32_t stmt)
{
	const Stmt *s = fn_stmt(fn, stmt);

	if (s->kind != STMT_INSN)
		return false;
	uint32_t flags = ptx_flags(fn->m, s);
	return !(flags & OPF_PURE) && (!(flags & OPF_LOAD) || flags & (OPF_EFFECT | OPF_ATOMIC));
}

Bits
contraction_live(const Fn *fn, Arena *a)
{
	Bits live = bits_new(a, fn->f->nstmt + 1);
	Ids todo = { 0 };

	FN_STMTS(fn, s)
		if (contraction_has_effect(fn, s)) {
			bits_set(live, fn_local_stmt(fn, s));
			*vec_push(&todo) = s;
		}
	while (todo.n) {
		uint32_t s = todo.at[--todo.n];
		FN_USES_OF_STMT(fn, s, u)
			FN_REACH(fn, u, d) {
				uint32_t t = fn_def(fn, d)->stmt;
				if (!t || bits_has(live, fn_local_stmt(fn, t)))
					continue;
				bits_set(live, fn_local_stmt(fn, t));
				*vec_push(&todo) = t;
			}
	}
	vec_free(&todo);
	return live;
}

static bool
is_source(const Fn *fn, uint32_t d)
{
	uint32_t stmt = fn_def(fn, d)->stmt;

	if (!stmt || fn_stmt(fn, stmt)->kind != STMT_INSN ||
		!(ptx_flags(fn->m, fn_stmt(fn, stmt)) & OPF_PURE))
		return true;
	FN_READS(fn, stmt, r)
		if (fn->m->syms[r->sym].kind == SYM_SPECIAL)
			return true;
	return false;
}

void
contraction_find_varying(Contraction_finder *w)
{
	const Fn *fn = w->fn;
	Ids todo = { 0 };

	for (uint32_t d = 1; d < fn->defuse->ndefs; d++)
		if (is_source(fn, d)) {
			bits_set(w->varying, d);
			*vec_push(&todo) = d;
		}
	while (todo.n) {
		uint32_t of = todo.at[--todo.n];
		FN_USES(fn, of, u)
			FN_DEFS_OF_STMT(fn, fn_use(fn, u)->stmt, d)
				if (!bits_has(w->varying, d)) {
					bits_set(w->varying, d);
					*vec_push(&todo) = d;
				}
	}
	vec_free(&todo);
}

/* ---- unoptimised code ------------------------------------------------------------------------ */

bool
contraction_is_foldable(const Fn *fn, uint32_t stmt)
{
	const Module *m = fn->m;
	const Stmt *s = fn_stmt(fn, stmt);
	Op op = ptx_op(m, s);
	uint32_t sources = 0, literals = 0, first = 0;
	bool equal = false;

	if (s->kind != STMT_INSN || !(ptx_flags(m, s) & OPF_PURE) || op == OP_MOV || op == OP_CVT)
		return false;
	for (uint32_t k = 1; k < s->nopnd; k++) {
		const Opnd *o = &m->opnds[ptx_operand(m, s, k)];
		sources++;
		literals += o->kind == OPND_IMM;
		if (k == 1 && o->kind == OPND_SYM)
			first = o->sym;
		else if (k == 2)
			equal = first && o->kind == OPND_SYM && o->sym == first;
	}
	return (sources && literals == sources) || (equal && (op == OP_SETP || op == OP_SELP));
}

/* Whether the branch depends on literals only. Branches in loops are excluded: unrolling decides
 * them. */
static bool
is_decided(const Contraction_finder *w, uint32_t block)
{
	const Fn *fn = w->fn;
	uint32_t t = cfg_terminator(fn->cfg, block);
	bool varies = false;

	if (!t || !fn_stmt(fn, t)->guard || fn->loops->loop_of[block])
		return false;
	FN_USES_OF_STMT(fn, t, u)
		FN_REACH(fn, u, d)
			varies |= bits_has(w->varying, d);
	return !varies;
}

/* Whether the block ends with a conditional branch with a single destination. */
static bool
branch_is_trivial(const Fn *fn, uint32_t block)
{
	uint32_t t = cfg_terminator(fn->cfg, block), n = fn->cfg->blocks[block].nsucc;

	if (!t || !fn_stmt(fn, t)->guard || n == 0)
		return false;
	for (uint32_t i = 1; i < n; i++)
		if (cfg_skip_empty(fn->cfg, cfg_succ(fn->cfg, block)[i], 0) !=
			cfg_skip_empty(fn->cfg, cfg_succ(fn->cfg, block)[0], 0))
			return false;
	return true;
}

/* Whether the statement compares or selects between equal values, or its result follows from
 * ranges. */
static bool
is_known(Contraction_finder *w, uint32_t stmt)
{
	Op op = ptx_op(w->fn->m, fn_stmt(w->fn, stmt));

	return ((op == OP_SETP || op == OP_SET || op == OP_SELP || op == OP_MIN || op == OP_MAX) &&
		       contraction_equal_sources(w, stmt)) ||
		contraction_is_decided(w, stmt);
}

/* Whether the blocks have no effect, and nothing outside reads what they compute. */
static bool
blocks_are_dead(const Fn *fn, Bits blocks)
{
	BITS_EACH(b, blocks)
		FN_BLOCK_STMTS(fn, b, s) {
			if (contraction_has_effect(fn, s) &&
				!(ptx_flags(fn->m, fn_stmt(fn, s)) & OPF_BRANCH))
				return false;
			FN_DEFS_OF_STMT(fn, s, d)
				FN_USES(fn, d, u)
					if (!bits_has(blocks, fn_block(fn, fn_use(fn, u)->stmt)))
						return false;
		}
	return true;
}

/* Whether the loop of a back edge to the block is dead. ptxas removes it. */
static bool
heads_dead_loop(Contraction_finder *w, uint32_t header)
{
	const Fn *fn = w->fn;
	bool dead = false;

	FN_PRED(fn, header, p) {
		if (!p || dead || !dom_dominates(fn->dom, header, p))
			continue;
		bits_clear(w->back);
		bits_set(w->back, header);
		cfg_flood(fn->cfg, p, true, w->all, w->back);
		dead = blocks_are_dead(fn, w->back);
	}
	return dead;
}

bool
contraction_is_raw(Contraction_finder *w)
{
	const Fn *fn = w->fn;

	FN_BLOCKS(fn, b) {
		if (is_decided(w, b) || branch_is_trivial(fn, b) || heads_dead_loop(w, b))
			return true;
		FN_BLOCK_STMTS(fn, b, s)
			if (fn_stmt(fn, s)->kind == STMT_INSN &&
				(contraction_is_foldable(fn, s) || is_known(w, s) ||
					!bits_has(w->live, fn_local_stmt(fn, s))))
				return true;
	}
	return false;
}
