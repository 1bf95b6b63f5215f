/* SPDX-License-Identifier: MIT */
/* Numbers the definitions and uses of a function, in text order and by register; see def_use.h. */
#include "analysis/dataflow/function.h"

/* What a statement does with a register. */
typedef struct { bool reads, writes, kills; } Register_access;

static Register_access
register_access(const Module *m, const Refs *refs, uint32_t stmt, uint32_t sym)
{
	Register_access d = { false, false, false };

	REFS_EACH(refs, stmt, r) {
		if (r->sym != sym)
			continue;
		d.reads |= !r->written;
		d.writes |= r->written;
		d.kills |= refs_kills(m, stmt, r);
	}
	return d;
}

/* Whether r is the statement's first reference to its register. */
static bool
named_first(const Refs *refs, uint32_t stmt, const Ref *r)
{
	for (const Ref *x = refs_begin(refs, stmt); x < r; x++)
		if (x->sym == r->sym)
			return false;
	return true;
}

static void
number_references(Defuse *du, const Module *m, const Func *f, Arena *a)
{
	const Refs *refs = du->refs;
	uint32_t n = refs->of_stmt[f->nstmt];

	du->defs = arena_array(a, (size_t)n + 1 + f->nsym, sizeof *du->defs);
	du->uses = arena_array(a, n + 1u, sizeof *du->uses);
	du->def_of_stmt = arena_array(a, f->nstmt + 1u, sizeof *du->def_of_stmt);
	du->use_of_stmt = arena_array(a, f->nstmt + 1u, sizeof *du->use_of_stmt);
	du->ndefs = du->nuses = 1;
	PTX_STMTS(f, stmt) {
		du->def_of_stmt[ptx_local_stmt(f, stmt)] = du->ndefs;
		du->use_of_stmt[ptx_local_stmt(f, stmt)] = du->nuses;
		REFS_EACH(refs, stmt, r) {
			if (!ptx_is_reg_of(m, f, r->sym) || !named_first(refs, stmt, r))
				continue;
			Register_access d = register_access(m, refs, stmt, r->sym);
			if (d.writes)
				du->defs[du->ndefs++] = (Def){ stmt, r->sym, d.kills, false };
			if (d.reads)
				du->uses[du->nuses++] = (Use){ .stmt = stmt, .sym = r->sym };
		}
	}
	du->def_of_stmt[f->nstmt] = du->ndefs;
	du->use_of_stmt[f->nstmt] = du->nuses;
	PTX_SYMS(f, sym)
		if (ptx_is_reg_of(m, f, sym))
			du->defs[du->ndefs++] = (Def){ 0, sym, true, false };
}

/* Groups definitions and uses by register, in text order, the register's pseudo-definition last. */
static void
group_by_register(Defuse *du, const Func *f, Arena *a)
{
	uint32_t n = f->nsym, *d, *u;

	d = du->defs_of_sym = arena_array(a, n + 2u, sizeof *d);
	u = du->uses_of_sym = arena_array(a, n + 2u, sizeof *u);
	du->by_sym = arena_array(a, du->ndefs, sizeof *du->by_sym);
	du->by_reg = arena_array(a, du->nuses, sizeof *du->by_reg);
	for (uint32_t i = 1; i < du->ndefs; i++)
		d[ptx_local_sym(f, du->defs[i].sym) + 2]++;
	for (uint32_t i = 1; i < du->nuses; i++)
		u[ptx_local_sym(f, du->uses[i].sym) + 2]++;
	for (uint32_t i = 2; i < n + 2; i++) {
		d[i] += d[i - 1];
		u[i] += u[i - 1];
	}
	for (uint32_t i = 1; i < du->ndefs; i++)
		du->by_sym[d[ptx_local_sym(f, du->defs[i].sym) + 1]++] = i;
	for (uint32_t i = 1; i < du->nuses; i++)
		du->by_reg[u[ptx_local_sym(f, du->uses[i].sym) + 1]++] = i;
}

void
defuse_number(Defuse *du, const Module *m, const Func *f, Arena *a)
{
	number_references(du, m, f, a);
	group_by_register(du, f, a);
}
