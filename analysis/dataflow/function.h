/* SPDX-License-Identifier: MIT */
/* A function with the results of all analyses: what the passes work on. The facts are computed
 * once; the iterators and queries below read them. */
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
typedef struct Object_cache Object_cache;
/* By block: where lanes reconverge that diverge at its end (reconvergence.h). */
typedef struct { bool known; uint32_t *at; } Meeting_blocks;

struct Fn {
	const Module *m;
	const Func *f;
	uint32_t func;          /* Func index */
	Arena *arena;           /* holds the tables */
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
	Loc_index *locs;        /* NULL: no inlined code */
	uint32_t *depth;        /* see fn_depth */
	Contraction *contraction;       /* NULL: no products (contraction.h) */
	Object_cache *objects;  /* of accesses, as they are queried (underlying_objects.h) */
	Meeting_blocks *meet;   /* as they are queried (exit_code.h) */
};

/* ---- iterators: FN_SUCC(fn, block, to) use(to); ------------------------------------------- */

#define FN_STMTS(fn, stmt) PTX_STMTS((fn)->f, stmt)
#define FN_SYMS(fn, sym) PTX_SYMS((fn)->f, sym)
#define FN_BLOCKS(fn, block) for (uint32_t block = 1; block < (fn)->cfg->nblocks; block++)
#define FN_BLOCK_STMTS(fn, block, stmt) CFG_STMTS((fn)->cfg, block, stmt)
#define FN_SUCC(fn, block, to) CFG_SUCC((fn)->cfg, block, to)
#define FN_PRED(fn, block, from) CFG_PRED((fn)->cfg, block, from)
/* The symbols that a statement names, as const Ref *; those that it reads; those that it writes. */
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

/* ---- queries -------------------------------------------------------------------------------- */

static inline const Stmt *fn_stmt(const Fn *fn, uint32_t stmt) { return &fn->m->stmts[stmt]; }
static inline const Def *fn_def(const Fn *fn, uint32_t d) { return &fn->defuse->defs[d]; }
static inline const Use *fn_use(const Fn *fn, uint32_t u) { return &fn->defuse->uses[u]; }
/* Convert a symbol or statement to its number in the function's own tables, and a number to its
 * symbol. */
static inline uint32_t fn_local(const Fn *fn, uint32_t sym) { return ptx_local_sym(fn->f, sym); }
static inline uint32_t fn_local_stmt(const Fn *fn, uint32_t stmt)
{
	return ptx_local_stmt(fn->f, stmt);
}
static inline uint32_t fn_sym(const Fn *fn, uint32_t local) { return ptx_sym_at(fn->f, local); }
/* Returns the number of nested scopes around a statement, or around the position after the last
 * one. */
static inline uint32_t fn_depth(const Fn *fn, uint32_t stmt)
{
	return fn->depth[fn_local_stmt(fn, stmt)];
}
/* Returns what executing a statement can do besides computing registers (Effect), including the
 * effects of a callee. */
static inline uint32_t fn_effects(const Fn *fn, uint32_t stmt)
{
	return fn->does[fn_local_stmt(fn, stmt)];
}
/* Whether the symbol is a register of this function. */
static inline bool fn_is_reg(const Fn *fn, uint32_t sym)
{
	return ptx_is_reg_of(fn->m, fn->f, sym);
}
/* Returns the block of a statement. */
static inline uint32_t fn_block(const Fn *fn, uint32_t stmt) { return cfg_block_of(fn->cfg, stmt); }
/* Returns the first code label of a block; 0 if it has none. */
static inline uint32_t fn_label(const Fn *fn, uint32_t block)
{
	FN_BLOCK_STMTS(fn, block, s)
		if (fn_stmt(fn, s)->kind == STMT_LABEL)
			return fn_stmt(fn, s)->sym;
	return 0;
}
/* Whether the definition reaches any use. */
static inline bool fn_is_used(const Fn *fn, uint32_t d)
{
	return fn->defuse->users_of[d] < fn->defuse->users_of[d + 1];
}
/* Whether each iteration of the loop that continues with another one executes the block. */
static inline bool fn_in_every_iteration(const Fn *fn, uint32_t loop, uint32_t block)
{
	FN_PRED(fn, fn->loops->loops[loop].header, latch)
		if (loop_contains(fn->loops, loop, latch) &&
			!dom_dominates(fn->dom, block, latch))
			return false;
	return true;
}
/* Whether any definition of the statement is read. */
static inline bool fn_is_read(const Fn *fn, uint32_t stmt)
{
	FN_DEFS_OF_STMT(fn, stmt, d)
		if (fn_is_used(fn, d))
			return true;
	return false;
}
/* Whether the symbol is a special register that has one of these flags (Sreg_flag). */
static inline bool fn_sreg_has(const Fn *fn, uint32_t sym, uint8_t flags)
{
	const Sym *y = &fn->m->syms[sym];

	return y->kind == SYM_SPECIAL && (ptx_sregs[y->aux].flags & flags);
}

#endif
