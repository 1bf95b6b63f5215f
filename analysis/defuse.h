/* Definitions, and which of them reach each use (PTX is not SSA: a register may have several).
 * A guarded definition does not end the reach of earlier ones. The CCC paper's def-use graph (section 5.1, Fig. 10). */
#ifndef ANALYSIS_DEFUSE_H
#define ANALYSIS_DEFUSE_H

#include "analysis/cfg.h"

typedef struct {
	uint32_t stmt;      /* 0: the pseudo-definition "not defined since the function's entry" */
	uint32_t sym;       /* the register */
	bool kills;         /* ends the reach of earlier ones: not guarded, the whole register, the opcode known */
} Def;

typedef struct {
	uint32_t stmt;
	uint32_t sym;
	uint32_t def, ndef; /* definitions that reach it: Defuse.reach[def .. def + ndef), indices into defs */
} Use;

/* A block with several predecessors (counting the function's entry) where several definitions of a live register meet:
 * where SSA form would have a phi. */
typedef struct {
	uint32_t block;
	uint32_t sym;
	uint32_t def, ndef; /* like a use's; at least two */
} Merge;

typedef struct {
	Def *defs; uint32_t ndefs;          /* 1 .. ndefs - 1 in text order, then one pseudo-definition for each register */
	Use *uses; uint32_t nuses;          /* 1 .. nuses - 1 in text order; one for each (statement, register) pair */
	uint32_t *reach;
	uint32_t *def_of_stmt;              /* first def of statement f->stmt + i, 0 = none; further ones follow it in defs */
	uint32_t *use_of_stmt;              /* likewise the first use */
	uint32_t *defs_of_sym;              /* by sym - sym0: index into by_sym, nsym + 1 entries */
	uint32_t *by_sym;                   /* the definitions of a register, grouped: defs_of_sym[i] .. defs_of_sym[i + 1),
	                                       in text order, the pseudo-definition last */
	Merge *merges;                      /* by block: merges[merge_of_block[b] .. merge_of_block[b + 1]) */
	uint32_t *merge_of_block;
	struct Defuse_walk *walk;           /* scratch */
} Defuse;

Defuse *defuse_build(const Cfg *g, Arena *a);
/* The use of register sym in stmt, NULL if stmt does not read it. */
const Use *defuse_use(const Cfg *g, const Defuse *du, uint32_t stmt, uint32_t sym);
/* Definitions of sym that reach the start of a block: appended to out (at most cap), returns how many there are. */
uint32_t defuse_reaching(const Cfg *g, const Defuse *du, uint32_t block, uint32_t sym, uint32_t *out, uint32_t cap);

#endif
