/* SPDX-License-Identifier: MIT */
/* Machine code (SASS) as `nvdisasm -gp -c` lists it, and its flow graph. Internal to simt/.
 *
 * Each instruction knows the line of the PTX that it was made from, if ptxas was given -lineinfo.
 */
#ifndef SIMT_SASS_LISTING_H
#define SIMT_SASS_LISTING_H

#include "base/bits.h"
#include "base/vec.h"

typedef enum {
	SASS_PLAIN,
	SASS_BRA,
	SASS_BRX,
	SASS_EXIT,
	SASS_RET,
	SASS_BSSY,    /* opens a convergence barrier, for lanes to meet at its target */
	SASS_BSYNC,   /* waits at that barrier, then goes to the target of its BSSY */
	SASS_APART,   /* BRA.DIV: to a copy of what follows, for lanes that are apart */
	SASS_COLLECT, /* there: waits for the others */
	SASS_ROUTINE  /* a call of a routine that ptxas has put in, for a slow path as a rule */
} Sass_kind;

typedef struct {
	uint32_t line;    /* of the PTX, from 1; 0: not known */
	uint32_t to, nto; /* where it goes, instructions: Sass.targets[to .. to + nto) */
	uint8_t kind;     /* Sass_kind */
	uint8_t barrier;  /* of BSSY and BSYNC */
	bool guarded;
} Sass_inst;

/* Instructions [first, end) of a function of that name in the PTX. */
typedef struct {
	const char *name;
	size_t length;
	uint32_t first, end;
} Sass_func;

typedef struct {
	VEC(Sass_func) funcs;
	VEC(Sass_inst) insts;
	VEC(uint32_t) targets;
} Sass;

/* Reads a listing, which must outlive the result. A text that is none gives no functions. */
Sass *sass_read(const char *text);
void sass_free(Sass *s); /* s may be NULL */
/* The first function of that name; NULL: there is none. */
const Sass_func *sass_find(const Sass *s, const char *name, size_t length);

/* ---- flow graph (flow_graph.c) --------------------------------------------------------------- */

/* Ends behind a branch, exit or BSYNC. */
typedef struct {
	uint32_t first, end;
	/* Sass_flow.succ[succ .. succ + nsucc): targets, then the block behind; .pred likewise */
	uint32_t succ, nsucc, pred, npred;
	uint32_t depth; /* number of loops around it */
	/* the block at the target of the innermost BSSY around its end, + 1; 0: none */
	uint32_t meet;
} Sass_block;

/* Block 0 is the entry. Routines that ptxas has put in are no part of it. */
typedef struct {
	const Sass *sass;
	Sass_block *blocks;
	uint32_t nblocks;
	uint32_t *succ, *pred;
	uint32_t *order, norder; /* blocks that can be reached, in reverse post-order */
	Bits *dominators;        /* of each of those */
	bool irreducible;        /* a loop is entered at several places, and counts in no .depth */
	/* by instruction from the first: the PTX statement it was made from, 0: not known. Set by
	 * who knows the PTX */
	uint32_t *stmt_of;
} Sass_flow;

/* Lives in arena a. NULL: the function has too many blocks. */
Sass_flow *sass_flow(const Sass *s, const Sass_func *f, Arena *a);
/* a is on each way from the entry to b; a == b too */
static inline bool
sass_dominates(const Sass_flow *f, uint32_t a, uint32_t b)
{
	return bits_has(f->dominators[b], a);
}

/* Is a block a loop by itself? */
static inline bool
sass_is_loop(const Sass_flow *f, uint32_t s)
{
	for (uint32_t e = 0; e < f->blocks[s].nsucc; e++)
		if (f->succ[f->blocks[s].succ + e] == s)
			return true;
	return false;
}

/* The PTX statement of an instruction; 0: not known. */
static inline uint32_t
sass_stmt(const Sass_flow *f, uint32_t inst)
{
	return f->stmt_of[inst - f->blocks[0].first];
}

#endif
