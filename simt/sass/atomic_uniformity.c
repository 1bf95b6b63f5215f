/* SPDX-License-Identifier: MIT */
/* Properties of a function's atomic operations: atomic_uniformity.h. They follow from the
 * compiler's uniformity analysis (analysis/dataflow/uniformity.h); ptxas finds nearly the same. */
#include "analysis/dataflow/def_use.h"
#include "analysis/cfg/natural_loops.h"
#include "analysis/dataflow/uniformity.h"
#include "simt/sass/atomic_uniformity.h"

typedef struct {
	const Module *m;
	const Func *f;
	const Refs *refs;
	const Defuse *du;
	const Uniform *uniform;
} Atomic_search;

static bool
is_atom(const Module *m, const Stmt *s)
{
	return s->kind == STMT_INSN && (ptx_op(m, s) == OP_ATOM || ptx_op(m, s) == OP_RED);
}

/* Whether the register may vary between the lanes that execute the statement. */
static bool
register_varies(const Atomic_search *x, uint32_t stmt, uint32_t sym)
{
	DEFUSE_USES_OF_STMT(x->du, x->f, stmt, u)
		if (x->du->uses[u].sym == sym && bits_has(x->uniform->use, u))
			return true;
	return false;
}

static bool
result_is_used(const Atomic_search *x, uint32_t stmt)
{
	DEFUSE_DEFS_OF_STMT(x->du, x->f, stmt, d)
		DEFUSE_USES(x->du, d, u)
			if (u)
				return true;
	return false;
}

static Atomic_uniformity
analyse_stmt(const Atomic_search *x, uint32_t stmt)
{
	const Module *m = x->m;
	const Stmt *s = &m->stmts[stmt];
	uint32_t at = ptx_operand(m, s, ptx_op(m, s) == OP_ATOM), by = at + m->opnds[at].tree;
	Atomic_uniformity to = {
		.value = ATOM_SAME, .one_place = true, .used = result_is_used(x, stmt)
	};
	uint64_t value;
	bool real;
	if (m->opnds[by].kind == OPND_IMM && ptx_imm(m, &m->opnds[by], &value, &real) &&
		!real && value == 1)
		to.value = ATOM_ONE;
	REFS_EACH(x->refs, stmt, r)
		if (!r->written && register_varies(x, stmt, r->sym)) {
			if (!r->opnd)
				to.splits = true;
			else if (r->opnd < by)
				to.one_place = false;
			else
				to.value = ATOM_VARIES;
		}
	return to;
}

Atomic_uniformity *
atomic_uniformity_find(const Cfg *g, const Dom *d, const Refs *refs, Arena *a)
{
	const Func *f = &g->m->funcs[g->func];
	Atomic_search x = { .m = g->m, .f = f, .refs = refs };
	Atomic_uniformity *atoms = NULL;
	PTX_STMTS(f, s) {
		if (!is_atom(g->m, &g->m->stmts[s]))
			continue;
		if (!atoms) {
			Defuse *du = defuse_build(g, refs, a);
			atoms = arena_array(a, f->nstmt, sizeof *atoms);
			x.du = du;
			x.uniform = uniform_build(g, d, loop_build(g, d, a), du, a);
		}
		atoms[ptx_local_stmt(f, s)] = analyse_stmt(&x, s);
	}
	return atoms;
}
