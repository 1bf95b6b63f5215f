/* SPDX-License-Identifier: MIT */
/* Definitions, and which of them reach each use (PTX is not SSA: a register may have several).
 * A guarded definition does not end the reach of earlier ones. The CCC paper's def-use graph
 * (section 5.1, Fig. 10). */
#ifndef ANALYSIS_DATAFLOW_DEF_USE_H
#define ANALYSIS_DATAFLOW_DEF_USE_H

#include "analysis/cfg/cfg.h"
#include "analysis/dataflow/reads_writes.h"

typedef struct {
	uint32_t stmt;      /* 0: the pseudo-definition "not defined since the function's entry" */
	uint32_t sym;       /* the register */
	/* ends the reach of earlier ones: not guarded, the whole register, the opcode known */
	bool kills;
	/* one of so many of a register that meet in so many places that which of them reaches a use
	 * is not known: each reaches each, and merges are not listed */
	bool crowded;
} Def;

typedef struct {
	uint32_t stmt;
	uint32_t sym;
	/* definitions that reach it: Defuse.reach[def .. def + ndef), indices into defs */
	uint32_t def, ndef;
} Use;

/* Uses by_reg[first .. end) of a register. */
typedef struct { uint32_t first, end; } Users;

/* A block with several predecessors (counting the function's entry) where several definitions of a
 * live register meet: where SSA form would have a phi. */
typedef struct {
	uint32_t block;
	uint32_t sym;
	uint32_t def, ndef; /* like a use's; at least two */
} Merge;

typedef struct {
	const Refs *refs;                   /* what it was made from */
	/* 1 .. ndefs - 1 in text order, then one pseudo-definition for each register */
	Def *defs; uint32_t ndefs;
	/* 1 .. nuses - 1 in text order; one for each (statement, register) pair */
	Use *uses; uint32_t nuses;
	/* lists that uses share: of a block's uses with no kill in between, each has the beginning
	 * of the next one's */
	uint32_t *reach;
	/* by ptx_local_stmt: from def_of_stmt[i] to def_of_stmt[i + 1] */
	uint32_t *def_of_stmt;
	uint32_t *use_of_stmt;              /* likewise its uses */
	/* by what reaches them: users[users_of[d] .. users_of[d + 1]) */
	Users *users;
	uint32_t *users_of;
	/* the uses, grouped by register; text order within one */
	uint32_t *by_reg;
	/* by ptx_local_sym: index into by_sym, nsym + 1 entries */
	uint32_t *defs_of_sym;
	uint32_t *uses_of_sym;              /* likewise: index into by_reg */
	/* the definitions of a register, grouped: defs_of_sym[i] .. defs_of_sym[i + 1), in text
	 * order, the pseudo-definition last */
	uint32_t *by_sym;
	/* by block: merges[merge_of_block[b] .. merge_of_block[b + 1]) */
	Merge *merges;
	uint32_t *merge_of_block;
	struct Defuse_walk *walk;           /* scratch of defuse_reaching */
} Defuse;

/* Definitions and uses of a statement of function f; the uses that a definition reaches, and the
 * definitions that reach a use; all definitions of a register. */
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
/* Its first part: defs, uses, and both by statement and by register; but for what reaches what. */
void defuse_number(Defuse *du, const Module *m, const Func *f, Arena *a);
/* The use of register sym in stmt; 0 if stmt does not read it. */
uint32_t defuse_use(const Fn *fn, uint32_t stmt, uint32_t sym);
/* Definitions of sym that reach the start of a block; valid until the next question. */
typedef struct { const uint32_t *at; uint32_t n; } Reaching;
Reaching defuse_reaching(const Fn *fn, uint32_t block, uint32_t sym);
/* Its scratch; most: definitions of a register. */
struct Defuse_walk *defuse_walk_new(uint32_t nblocks, uint32_t most, Arena *a);

/* Does an edge from p to block carry definitions? */
static inline bool
defuse_carries(const Cfg *g, uint32_t p, uint32_t block)
{
	return g->rpo_index[p] != UINT32_MAX || g->rpo_index[block] == UINT32_MAX;
}

#endif
