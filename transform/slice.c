/* What slices are made of. See slice.h. */
#include "transform/slice.h"

static void
see_read(void *user, uint32_t sym, uint32_t opnd, bool written)
{
	Slice_reads *r = user;
	const Sym *y = &r->fn->m->syms[sym];
	(void)opnd;
	if (written)
		return;
	if (y->kind == SYM_SPECIAL && ptx_sregs[y->aux].flags & SREGF_TIME)
		r->ok = false;
	if (!fn_is_reg(r->fn, sym))
		return;
	if (r->n == sizeof r->regs / sizeof *r->regs)
		r->ok = false;
	else
		r->regs[r->n++] = sym;
}

void
slice_reads(const Fn *fn, uint32_t stmt, Slice_reads *r)
{
	*r = (Slice_reads){ .fn = fn, .ok = true };
	ptx_visit(fn->m, fn_stmt(fn, stmt), see_read, r);
}

bool
slice_has(const Slice *s, uint32_t stmt)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (s->list[i] == stmt)
			return true;
	return false;
}

bool
slice_declared_inside(const Plan *x, uint32_t sym)
{
	uint32_t s = x->fn->m->syms[sym].decl;
	return s >= x->fn->f->stmt && s < x->fn->f->stmt + x->fn->f->nstmt &&
		bits_has(x->site->r.blocks, cfg_block_of(x->fn->cfg, s));
}

bool
slice_pure(const Plan *x, const Def *def)
{
	const Stmt *st = fn_stmt(x->fn, def->stmt);
	uint32_t flags = ptx_flags(x->fn->m, st);
	return st->kind == STMT_INSN && !st->guard && flags & OPF_PURE &&
		!(flags & (OPF_VARIES | OPF_CARRY)) && !slice_declared_inside(x, def->sym);
}
