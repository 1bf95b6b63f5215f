/* SPDX-License-Identifier: MIT */
/* Definitions, and which of them reach each use. PTX is not SSA: a register may have several
 * definitions. A guarded definition does not kill earlier ones. This is the CCC paper's def-use
 * graph (section 5.1, Fig. 10). */
#ifndef ANALYSIS_DATAFLOW_DEF_USE_H
#define ANALYSIS_DATAFLOW_DEF_USE_H

#include "analysis/cfg/cfg.h"
#include "analysis/dataflow/reads_writes.h"

typedef struct {
	uint32_t stmt;      /* 0: the pseudo-definition "undefined since the function's entry" */
	uint32_t sym;       /* the register */
	/* kills earlier definitions: unguarded, writes the whole register, known opcode */
	bool kills;
	/* the register has too many definitions that meet in too many places: reachability is not
	 * computed, each definition reaches every use, and merges are not listed */
	bool crowded;
} Def;

typedef struct {
	uint32_t stmt;
	uint32_t sym;
	/* definitions that reach it: Defuse.reach[def .. def + ndef), indices into defs */
	uint32_t def, ndef;
} Use;

/* uses by_reg[first .. end) of a register */
typedef struct { uint32_t first, end; } Users;

/* A block with several predecessors (the function's entry counts as one) where several definitions
 * of a live register meet: where SSA form would have a phi. */
typedef struct {
	uint32_t block;
	uint32_t sym;
	uint32_t def, ndef; /* as in Use; at least two */
} Merge;

typedef struct {
	const Refs *refs;                   /* input of the analysis */
	/* 1 to ndefs - 1: definitions in text order, then one pseudo-definition for each
	 * register */
	Def *defs; uint32_t ndefs;
	/* 1 to nuses - 1 in text order; one for each (statement, register) pair */
	Use *uses; uint32_t nuses;
	/* lists that uses share: of a block's uses with no kill in between, each has a prefix of
	 * the next one's list */
	uint32_t *reach;
	/* by ptx_local_stmt: from def_of_stmt[i] to def_of_stmt[i + 1] */
	uint32_t *def_of_stmt;
	uint32_t *use_of_stmt;              /* uses, in the same way */
	/* uses that a definition reaches: users[users_of[d] .. users_of[d + 1]) */
	Users *users;
	uint32_t *users_of;
	/* uses grouped by register, each group in text order */
	uint32_t *by_reg;
	/* by ptx_local_sym: index into by_sym, nsym + 1 entries */
	uint32_t *defs_of_sym;
	uint32_t *uses_of_sym;              /* index into by_reg, in the same way */
	/* definitions grouped by register: defs_of_sym[i] .. defs_of_sym[i + 1), in text order, the
	 * pseudo-definition last */
	uint32_t *by_sym;
	/* by block: merges[merge_of_block[b] .. merge_of_block[b + 1]) */
	Merge *merges;
	uint32_t *merge_of_block;
	struct Defuse_walk *walk;           /* scratch of defuse_reaching */
} Defuse;

/* Iterators over the definitions and uses of a statement of function f, the uses that a definition
 * reaches, the definitions that reach a use, and all definitions of a register. */
#define DEFUSE_DEFS_OF_STMT(du, f, stmt, d) \
	DEFUSE_RANGE((du)->def_of_stmt, ptx_local_stmt(f, stmt), d)
#define DEFUSE_USES_OF_STMT(du, f, stmt, u) \
	DEFUSE_RANGE((du)->use_of_stmt, ptx_local_stmt(f, stmt), u)
#define DEFUSE_RANGE(of, i, x) for (uint32_t x = (of)[i], x##_end = (of)[(i) + 1]; x < x##_end; x++)
#define DEFUSE_USES(du, d, u) \
	for (uint32_t u##_of = (du)->users_of[d]; u##_of < (du)->users_of[(d) + 1]; u##_of++) \
		IDS_EACH((du)->by_reg, (du)->users[u##_of].first, (du)->users[u##_of].end, u)
#define DEFUSE_REACH(du, u, d) \
	IDS_EACH((du)->reach, (du)->uses[u].def, (du)->uses[u].def + (du)->uses[u].ndef, d)
#define DEFUSE_DEFS_OF_SYM(du, f, sym, d) \
	IDS_EACH((du)->by_sym, (du)->defs_of_sym[ptx_local_sym(f, sym)], \
		(du)->defs_of_sym[ptx_local_sym(f, sym) + 1], d)

Defuse *defuse_build(const Cfg *g, const Refs *refs, Arena *a);
/* Computes the first part: defs, uses, and both by statement and by register, but not
 * reachability. */
void defuse_number(Defuse *du, const Module *m, const Func *f, Arena *a);
/* Returns the use of register sym in stmt; 0 if stmt does not read it. */
uint32_t defuse_find_use(const Fn *fn, uint32_t stmt, uint32_t sym);
/* Returns the definitions of sym that reach the start of a block; valid until the next call. */
typedef struct { const uint32_t *at; uint32_t n; } Reaching;
Reaching defuse_reaching(const Fn *fn, uint32_t block, uint32_t sym);
/* Allocates the scratch of defuse_reaching; most: maximum number of definitions of a register. */
struct Defuse_walk *defuse_walk_new(uint32_t nblocks, uint32_t nsyms, uint32_t most, Arena *a);

/* Whether definitions propagate along an edge from p to block. */
static inline bool
defuse_carries(const Cfg *g, uint32_t p, uint32_t block)
{
	return g->rpo_index[p] != UINT32_MAX || g->rpo_index[block] == UINT32_MAX;
}

#endif
