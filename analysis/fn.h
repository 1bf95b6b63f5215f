/* A function with everything known about it: what the passes work on. */
#ifndef ANALYSIS_FN_H
#define ANALYSIS_FN_H

#include "analysis/carry.h"
#include "analysis/cfg.h"
#include "analysis/defuse.h"
#include "analysis/dom.h"
#include "analysis/effects.h"
#include "analysis/live.h"
#include "analysis/locs.h"
#include "analysis/loop.h"
#include "analysis/uniform.h"

typedef struct {
	const Module *m;
	const Func *f;
	uint32_t func;          /* its index */
	Arena *arena;           /* where its tables live */
	Cfg *cfg;
	Dom *dom;
	Loops *loops;
	Live *live;
	uint32_t *carry;        /* see carry_build */
	Defuse *defuse;
	Uniform *uniform;
	const Effects *effects; /* of the whole module */
	Locs *locs;             /* NULL: no inlined code */
	uint32_t *depth;        /* of each statement of the function, by stmt - f->stmt: how many nested scopes it stands in;
	                           one more at the end */
} Fn;

/* Runs every analysis of function func. */
Fn *fn_build(const Module *m, uint32_t func, const Effects *e, Arena *a);

static inline const Stmt *fn_stmt(const Fn *fn, uint32_t stmt) { return &fn->m->stmts[stmt]; }
/* How many nested scopes a statement of the function, or the place behind its last, stands in. */
static inline uint32_t fn_depth(const Fn *fn, uint32_t stmt) { return fn->depth[stmt - fn->f->stmt]; }
/* A symbol's number in the function's own tables. */
static inline uint32_t fn_local(const Fn *fn, uint32_t sym) { return sym - fn->f->sym0; }
/* Is it a register of this function? */
static inline bool fn_is_reg(const Fn *fn, uint32_t sym)
{
	return ptx_is_reg_of(fn->m, fn->f, sym);
}

#endif
