/* SPDX-License-Identifier: MIT */
/* A function with everything known about it: what the passes work on. Facts are found once; the
 * iterators and questions below ask for them. */
#ifndef ANALYSIS_DATAFLOW_FUNCTION_H
#define ANALYSIS_DATAFLOW_FUNCTION_H

#include "analysis/dataflow/carry_liveness.h"
#include "analysis/cfg/cfg.h"
#include "analysis/dataflow/def_use.h"
#include "analysis/cfg/dominators.h"
#include "analysis/interproc/effects.h"
#include "analysis/dataflow/liveness.h"
#include "analysis/dataflow/loc_index.h"
#include "analysis/cfg/natural_loops.h"
#include "analysis/dataflow/reads_writes.h"
#include "analysis/dataflow/uniformity.h"

typedef struct Contraction Contraction;

struct Fn {
	const Module *m;
	const Func *f;
	uint32_t func;          /* its index */
	Arena *arena;           /* where its tables live */
	Refs *refs;
	Cfg *cfg;
	Dom *dom;
	Loops *loops;
	Live *live;
	uint32_t *carry;        /* see carry_build */
	Defuse *defuse;
	Uniform *uniform;
	const Effects *effects; /* of the whole module */
	uint32_t *does;         /* see fn_effects */
	Locs *locs;             /* NULL: no inlined code */
	uint32_t *depth;        /* see fn_depth */
	Contraction *contraction;       /* NULL: no products (contraction.h) */
};

/* ---- iterators: FN_SUCC(fn, block, to) use(to); ------------------------------------------- */

#define FN_STMTS(fn, stmt) PTX_STMTS((fn)->f, stmt)
#define FN_SYMS(fn, sym) PTX_SYMS((fn)->f, sym)
#define FN_BLOCKS(fn, block) for (uint32_t block = 1; block < (fn)->cfg->nblocks; block++)
#define FN_BLOCK_STMTS(fn, block, stmt) CFG_STMTS((fn)->cfg, block, stmt)
#define FN_SUCC(fn, block, to) CFG_SUCC((fn)->cfg, block, to)
#define FN_PRED(fn, block, from) CFG_PRED((fn)->cfg, block, from)
/* What a statement names, a const Ref *; of that what it reads, and what it writes. */
#define FN_REFS(fn, stmt, r) REFS_EACH((fn)->refs, stmt, r)
#define FN_READS(fn, stmt, r) FN_REFS(fn, stmt, r) if (r->written) {} else
#define FN_WRITES(fn, stmt, r) FN_REFS(fn, stmt, r) if (!r->written) {} else
/* Definitions and uses, by their numbers in Defuse. */
#define FN_DEFS_OF_STMT(fn, stmt, d) DEFUSE_DEFS_OF_STMT((fn)->defuse, (fn)->f, stmt, d)
#define FN_USES_OF_STMT(fn, stmt, u) DEFUSE_USES_OF_STMT((fn)->defuse, (fn)->f, stmt, u)
#define FN_DEFS_OF_SYM(fn, sym, d) DEFUSE_DEFS_OF_SYM((fn)->defuse, (fn)->f, sym, d)
/* The uses that a definition reaches, and the definitions that reach a use. */
#define FN_USES(fn, d, u) DEFUSE_USES((fn)->defuse, d, u)
#define FN_REACH(fn, u, d) DEFUSE_REACH((fn)->defuse, u, d)

/* ---- questions ------------------------------------------------------------------------------ */

static inline const Stmt *fn_stmt(const Fn *fn, uint32_t stmt) { return &fn->m->stmts[stmt]; }
static inline const Def *fn_def(const Fn *fn, uint32_t d) { return &fn->defuse->defs[d]; }
static inline const Use *fn_use(const Fn *fn, uint32_t u) { return &fn->defuse->uses[u]; }
/* A symbol's and a statement's number in the function's own tables; the symbol that has a
 * number. */
static inline uint32_t fn_local(const Fn *fn, uint32_t sym) { return ptx_local_sym(fn->f, sym); }
static inline uint32_t fn_local_stmt(const Fn *fn, uint32_t stmt)
{
	return ptx_local_stmt(fn->f, stmt);
}
static inline uint32_t fn_sym(const Fn *fn, uint32_t local) { return ptx_sym_at(fn->f, local); }
/* How many nested scopes a statement of the function, or the place behind its last, stands in. */
static inline uint32_t fn_depth(const Fn *fn, uint32_t stmt)
{
	return fn->depth[fn_local_stmt(fn, stmt)];
}
/* What running a statement can do besides computing registers (Effect); of a call what its callee
 * does, too. */
static inline uint32_t fn_effects(const Fn *fn, uint32_t stmt)
{
	return fn->does[fn_local_stmt(fn, stmt)];
}
/* Is it a register of this function? */
static inline bool fn_is_reg(const Fn *fn, uint32_t sym)
{
	return ptx_is_reg_of(fn->m, fn->f, sym);
}
/* The block that a statement stands in. */
static inline uint32_t fn_block(const Fn *fn, uint32_t stmt) { return cfg_block_of(fn->cfg, stmt); }
/* The first code label of a block; 0: it has none. */
static inline uint32_t fn_label(const Fn *fn, uint32_t block)
{
	FN_BLOCK_STMTS(fn, block, s)
		if (fn_stmt(fn, s)->kind == STMT_LABEL)
			return fn_stmt(fn, s)->sym;
	return 0;
}
/* Does the definition reach any use? */
static inline bool fn_is_used(const Fn *fn, uint32_t d)
{
	return fn->defuse->users_of[d] < fn->defuse->users_of[d + 1];
}
/* Does anything read what the statement defines? */
static inline bool fn_is_read(const Fn *fn, uint32_t stmt)
{
	FN_DEFS_OF_STMT(fn, stmt, d)
		if (fn_is_used(fn, d))
			return true;
	return false;
}
/* Is it a special register that has one of these flags (Sreg_flag)? */
static inline bool fn_sreg_has(const Fn *fn, uint32_t sym, uint8_t flags)
{
	const Sym *y = &fn->m->syms[sym];

	return y->kind == SYM_SPECIAL && (ptx_sregs[y->aux].flags & flags);
}

#endif
