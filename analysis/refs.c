/* The registers that each statement of a function reads and writes; see refs.h.
 *
 * A write does not kill when the statement is guarded (the other lanes keep the old value), when it writes one component of
 * a vector register, or when the opcode is unknown (it may not be a write at all).
 */
#include "analysis/refs.h"
#include "base/vec.h"

typedef struct {
	const Module *m;
	const Func *f;
	const Stmt *s;
	uint32_t stmt;
	bool partial;       /* the statement's writes kill nothing */
	VEC(Ref) refs;
	uint32_t first;     /* of this statement */
} Collect;

static void
collect(void *user, uint32_t sym, uint32_t opnd, bool written)
{
	Collect *c = user;
	uint32_t flags = written ? REF_WRITE : REF_READ;
	if (!ptx_is_reg_of(c->m, c->f, sym))
		return;
	if (written && !c->partial && !c->m->opnds[opnd].sel)
		flags |= REF_KILL;
	for (uint32_t i = c->first; i < c->refs.n; i++)
		if (c->refs.at[i].sym == sym) {
			c->refs.at[i].flags |= flags;
			return;
		}
	*vec_push(&c->refs) = (Ref){ c->stmt, sym, flags };
}

Refs
refs_build(const Module *m, uint32_t func, Arena *a)
{
	const Func *f = &m->funcs[func];
	Collect c = { .m = m, .f = f };
	Refs r = { .of_stmt = arena_array(a, f->nstmt + 1u, sizeof *r.of_stmt) };
	for (uint32_t i = 0; i < f->nstmt; i++) {
		c.stmt = f->stmt + i;
		c.s = &m->stmts[c.stmt];
		c.first = r.of_stmt[i] = c.refs.n;
		if (c.s->kind != STMT_INSN)
			continue;
		c.partial = c.s->guard || ptx_op(m, c.s) == OP_UNKNOWN;
		ptx_visit(m, c.s, collect, &c);
	}
	r.of_stmt[f->nstmt] = r.nrefs = c.refs.n;
	r.refs = arena_array(a, r.nrefs, sizeof *r.refs);
	for (uint32_t i = 0; i < r.nrefs; i++)
		r.refs[i] = c.refs.at[i];
	vec_free(&c.refs);
	return r;
}
