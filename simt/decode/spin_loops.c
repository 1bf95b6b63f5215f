/* SPDX-License-Identifier: MIT */
/* Finds polling loads and atomic operations, which wait in a loop until another lane writes.
 *
 *	again:  ld.u32  %r1, [%rd1];
 *	        setp.eq.u32 %p1, %r1, 0;
 *	        @%p1 bra again;
 *
 * A load polls if a branch that leaves or repeats the loop depends on its value and nothing in the
 * loop changes its address. Dependences are followed through registers only, within the loop and
 * regardless of order. This may classify too many loads as polling, but only loads that read the
 * same word in each iteration.
 */
#include "analysis/cfg/natural_loops.h"
#include "simt/decode/spin_loops.h"

typedef struct {
	const Cfg *g;
	const Loops *loops;
	const Refs *refs;
	Bits changed;           /* registers written in the loop, by ptx_local_sym */
	Bits influencing; /* registers on which a branch that leaves or repeats the loop depends */
	Bits polls;
} Spin_search;

static const Func *function_of_search(const Spin_search *x) { return &x->g->m->funcs[x->g->func]; }

/* The number of a register in its function; 0 if the symbol is not one of its registers. */
static uint32_t
register_number(const Spin_search *x, uint32_t sym)
{
	return ptx_is_reg_of(x->g->m, function_of_search(x), sym) ?
		ptx_local_sym(function_of_search(x), sym) + 1 :
		0;
}

static bool
set_has_register(const Spin_search *x, Bits set, uint32_t sym)
{
	uint32_t k = register_number(x, sym);
	return k && bits_has(set, k);
}

/* Whether a statement only sets a register to a constant or an address, as compilers do in
 * loops. */
static bool
sets_constant(const Spin_search *x, uint32_t stmt)
{
	bool any = ptx_op(x->g->m, &x->g->m->stmts[stmt]) != OP_MOV;
	REFS_EACH(x->refs, stmt, r)
		any = any || (!r->written && register_number(x, r->sym));
	return !any;
}

static void
find_changed(Spin_search *x, const Loop *l)
{
	const Module *m = x->g->m;
	bits_clear(x->changed);
	BITS_EACH(b, l->blocks)
		CFG_STMTS(x->g, b, k) {
			if (m->stmts[k].kind != STMT_INSN || sets_constant(x, k))
				continue;
			REFS_EACH(x->refs, k, r)
				if (r->written)
					bits_set(x->changed, register_number(x, r->sym));
		}
}

/* Whether the branch at the end of a block leaves or repeats the loop. */
static bool
branch_decides_loop(const Spin_search *x, const Loop *l, uint32_t block)
{
	bool yes = false;
	if (x->g->blocks[block].nsucc != 2 || !cfg_terminator(x->g, block))
		return false;
	CFG_SUCC(x->g, block, to)
		yes = yes || to == l->header || !bits_has(l->blocks, to);
	return yes;
}

/* Adds the registers that a statement reads to `wanted`; returns whether any is new. */
static bool
add_wanted(Spin_search *x, uint32_t stmt)
{
	bool more = false;
	REFS_EACH(x->refs, stmt, r) {
		uint32_t k = r->written ? 0 : register_number(x, r->sym);
		more = more || (k && !bits_has(x->influencing, k));
		if (k)
			bits_set(x->influencing, k);
	}
	return more;
}

static bool
stmt_feeds_wanted(const Spin_search *x, uint32_t stmt)
{
	bool yes = false;
	REFS_EACH(x->refs, stmt, r)
		yes = yes || (r->written && set_has_register(x, x->influencing, r->sym));
	return yes;
}

/* Whether the address of an access is loop-invariant. */
static bool
address_is_invariant(const Spin_search *x, const Stmt *s)
{
	const Opnd *opnds = x->g->m->opnds;
	for (uint32_t k = 0; k < s->nopnd; k++) {
		uint32_t at = ptx_operand(x->g->m, s, k);
		if (opnds[at].kind != OPND_ADDR)
			continue;
		for (uint32_t i = 1; i < opnds[at].tree; i++)
			if (opnds[at + i].kind == OPND_SYM &&
				set_has_register(x, x->changed, opnds[at + i].sym))
				return false;
	}
	return true;
}

/* Walks the loop backwards once; returns whether it found more registers on which the branches
 * depend. */
static bool
search_loop(Spin_search *x, const Loop *l)
{
	const Module *m = x->g->m;
	bool more = false;
	BITS_EACH(b, l->blocks)
		for (uint32_t k = x->g->blocks[b].end; k-- > x->g->blocks[b].stmt;) {
			const Stmt *s = &m->stmts[k];
			if (s->kind != STMT_INSN || !stmt_feeds_wanted(x, k))
				continue;
			Op op = ptx_op(m, s);
			if ((op == OP_LD || op == OP_ATOM) && address_is_invariant(x, s))
				bits_set(x->polls, ptx_local_stmt(function_of_search(x), k));
			else
				more |= add_wanted(x, k);
		}
	return more;
}

static void
analyse_loop(Spin_search *x, uint32_t loop)
{
	const Loop *l = &x->loops->loops[loop];
	find_changed(x, l);
	bits_clear(x->influencing);
	BITS_EACH(b, l->blocks)
		if (x->loops->loop_of[b] == loop && branch_decides_loop(x, l, b))
			add_wanted(x, cfg_terminator(x->g, b));
	while (search_loop(x, l))
		;
}

Bits
spin_loops_find(const Cfg *g, const Dom *d, const Refs *refs, Arena *a)
{
	const Func *f = &g->m->funcs[g->func];
	Spin_search x = { .g = g,
		.loops = loop_build(g, d, a),
		.refs = refs,
		.changed = bits_new(a, f->nsym + 1),
		.influencing = bits_new(a, f->nsym + 1),
		.polls = bits_new(a, f->nstmt) };
	for (uint32_t i = 1; i < x.loops->nloops; i++)
		analyse_loop(&x, i);
	return x.polls;
}
