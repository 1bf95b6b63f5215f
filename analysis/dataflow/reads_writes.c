/* SPDX-License-Identifier: MIT */
/* Reads and writes by statement; see reads_writes.h. */
#include <string.h>
#include "analysis/dataflow/reads_writes.h"
#include "base/vec.h"

Refs *
refs_build(const Module *m, const Func *f, Arena *a)
{
	Refs *x = arena_zalloc(a, sizeof *x);
	VEC(Ref) refs = { 0 };

	x->f = f;
	x->of_stmt = arena_array(a, f->nstmt + 1u, sizeof *x->of_stmt);
	PTX_STMTS(f, s) {
		PTX_REFS(m, &m->stmts[s], r)
			*vec_push(&refs) = (Ref){ r.sym, r.opnd, r.written };
		x->of_stmt[ptx_local_stmt(f, s) + 1] = refs.n;
	}
	x->refs = arena_array(a, refs.n, sizeof *x->refs);
	if (refs.n)
		memcpy(x->refs, refs.at, refs.n * sizeof *x->refs);
	vec_free(&refs);
	return x;
}

/* A guarded statement leaves the other lanes the old value; a statement with an unknown opcode may
 * write nothing. */
bool
refs_kills(const Module *m, uint32_t stmt, const Ref *r)
{
	const Stmt *s = &m->stmts[stmt];

	return r->written && !s->guard && ptx_op(m, s) != OP_UNKNOWN && !m->opnds[r->opnd].sel;
}
