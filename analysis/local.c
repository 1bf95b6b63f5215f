/* Addresses of thread-local memory. See local.h.
 *
 * Seeds: a .local variable or a .func's parameter named as a value, cvta.local, alloca. From
 * there along every instruction that computes (a comparison's predicate holds no address). Memory
 * and calls are followed coarsely: an address stored in .local memory may come back by any load
 * from there, one stored elsewhere by any load at all, and one passed to a function (but not to
 * the CUDA runtime's own, such as vprintf) may be in any parameter and any result. A parameter of
 * a function that other modules may call may be one from the start. An address may be taken apart
 * into halves of 32 bits, not further. Passes over the module repeat until nothing changes; in
 * practice that takes three.
 */
#include "analysis/effects.h"
#include "analysis/local.h"

typedef struct {
	const Module *m;
	Locals *l;
	const Func *f;
	const Stmt *stmt;
	bool in_local; /* one is stored in .local memory */
	bool changed;
	bool value, base; /* the statement reads one as a value, as the base of an address */
	bool names_local; /* it names a .local variable or such a parameter as a value */
	bool launch;	  /* it names an entry's parameter: from the host, so no such address */
} Walk;

static void
raise(Walk *w, bool *flag)
{
	w->changed |= !*flag;
	*flag = true;
}

/* Is the operand inside brackets: a place, not a value? */
static bool
in_brackets(const Walk *w, uint32_t opnd)
{
	for (uint32_t k = 0, o = w->stmt->opnd; k < w->stmt->nopnd; k++, o += w->m->opnds[o].tree)
		if (w->m->opnds[o].kind == OPND_ADDR && opnd > o && opnd < o + w->m->opnds[o].tree)
			return true;
	return false;
}

static void
see_read(void *user, uint32_t sym, uint32_t opnd, bool written)
{
	Walk *w = user;
	const Sym *y = &w->m->syms[sym];
	if (written)
		return;
	w->launch |= w->f->entry && y->kind == SYM_PARAM && y->space == SPACE_PARAM;
	bool base = opnd && in_brackets(w, opnd);
	if (bits_has(w->l->sym, sym))
		*(base ? &w->base : &w->value) = true;
	if (!base &&
		(y->space == SPACE_LOCAL ||
			(y->kind == SYM_PARAM && y->space == SPACE_PARAM && !w->f->entry)))
		w->names_local = true;
}

static void
see_write(void *user, uint32_t sym, uint32_t opnd, bool written)
{
	Walk *w = user;
	const Sym *y = &w->m->syms[sym];
	(void)opnd;
	if (!written || y->kind != SYM_REG || y->type == TYPE_PRED || ptx_type_size((Type)y->type) < 4 ||
		bits_has(w->l->sym, sym))
		return;
	bits_set(w->l->sym, sym);
	w->changed = true;
}

/* Is the next call behind this statement one of the runtime's own functions, which keep no
 * pointer? */
static bool
for_runtime(const Walk *w)
{
	const Stmt *end = &w->m->stmts[w->f->stmt + w->f->nstmt];
	for (const Stmt *s = w->stmt; s < end; s++)
		if (s->kind == STMT_INSN && ptx_op(w->m, s) == OP_CALL)
			return effects_is_runtime(
				w->m, effects_callee(w->m, (uint32_t)(s - w->m->stmts)));
	return false; /* a function's own result */
}

static bool
loads_one(const Walk *w)
{
	Space space = ptx_space(w->m, w->stmt);
	if (w->launch)
		return false;
	if (space == SPACE_PARAM)
		return w->l->passed ||
			(!w->f->entry &&
				(w->f->linkage == LINK_VISIBLE || w->f->linkage == LINK_WEAK));
	if (space == SPACE_LOCAL || w->base)
		return w->in_local || w->l->stored;
	return w->l->stored && space != SPACE_CONST;
}

static void
walk_stmt(Walk *w, uint32_t flags)
{
	Op op = ptx_op(w->m, w->stmt);
	w->value = w->base = w->names_local = w->launch = false;
	ptx_visit(w->m, w->stmt, see_read, w);
	bool source = w->value || w->names_local ||
		(op == OP_CVTA && ptx_has(w->m, w->stmt, "local") && !ptx_has(w->m, w->stmt, "to"));
	if (op == OP_CALL) {
		if (source)
			raise(w, &w->l->passed);
		if (w->l->passed)
			ptx_visit(w->m, w->stmt, see_write, w);
	} else if (flags & OPF_STORE && source) {
		Space space = ptx_space(w->m, w->stmt);
		if (space != SPACE_PARAM)
			raise(w, space == SPACE_LOCAL || w->base ? &w->in_local : &w->l->stored);
		else if (!for_runtime(w))
			raise(w, &w->l->passed);
	}
	if (flags & OPF_LOAD ? loads_one(w) : source || op == OP_ALLOCA)
		ptx_visit(w->m, w->stmt, see_write, w);
}

Locals *
local_build(const Module *m, Arena *a)
{
	Locals *l = arena_zalloc(a, sizeof *l);
	Walk w = { .m = m, .l = l };
	l->sym = bits_new(a, m->nsyms);
	do {
		w.changed = false;
		for (uint32_t i = 1; i < m->nfuncs; i++) {
			w.f = &m->funcs[i];
			for (uint32_t s = w.f->stmt; s < w.f->stmt + w.f->nstmt; s++) {
				w.stmt = &m->stmts[s];
				if (w.stmt->kind == STMT_INSN)
					walk_stmt(&w, ptx_flags(m, w.stmt));
			}
		}
	} while (w.changed);
	return l;
}
