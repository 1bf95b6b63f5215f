/* SPDX-License-Identifier: MIT */
/* Machine code (SASS) as listed by `nvdisasm -gp -c`, and its flow graph. Internal to simt/.
 *
 * Each instruction has the line of its PTX, if ptxas was given -lineinfo.
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
	SASS_BSSY,    /* opens a convergence barrier: lanes reconverge at its target */
	SASS_BSYNC,   /* waits at that barrier, then continues at the target of its BSSY */
	SASS_APART,   /* BRA.DIV: branches to a copy of the following code, for diverged lanes */
	SASS_COLLECT, /* in that copy: waits for the others */
	SASS_ROUTINE  /* a call of a routine added by ptxas, usually for a slow path */
} Sass_kind;

typedef struct {
	uint32_t line;    /* of the PTX, from 1; 0: unknown */
	uint32_t to, nto; /* target instructions: Sass.targets[to .. to + nto) */
	uint8_t kind;     /* Sass_kind */
	uint8_t barrier;  /* for BSSY and BSYNC */
	bool guarded;
} Sass_inst;

/* Instructions [first, end) of the PTX function with this name. */
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

/* Reads a listing, which must outlive the result. Other text yields no functions. */
Sass *sass_read(const char *text);
void sass_free(Sass *s); /* s may be NULL */
/* Returns the first function with this name; NULL: none. */
const Sass_func *sass_find(const Sass *s, const char *name, size_t length);

/* ---- flow graph (flow_graph.c) --------------------------------------------------------------- */

/* Ends after a branch, exit or BSYNC. */
typedef struct {
	uint32_t first, end;
	/* Sass_flow.succ[succ .. succ + nsucc): targets, then the fall-through block; .pred the
	 * same */
	uint32_t succ, nsucc, pred, npred;
	uint32_t depth; /* loop depth */
	/* 1 + the block at the target of the innermost BSSY open at its end; 0: none */
	uint32_t meet;
} Sass_block;

/* Block 0 is the entry. Routines added by ptxas are not included. */
typedef struct {
	const Sass *sass;
	Sass_block *blocks;
	uint32_t nblocks;
	uint32_t *succ, *pred;
	uint32_t *order, norder; /* reachable blocks in reverse post-order */
	Bits *dominators;        /* of each reachable block */
	bool irreducible;        /* a loop has several entries; it does not contribute to .depth */
	/* by instruction, from the first: the PTX statement it was made from, 0: unknown. Set by
	 * code that knows the PTX */
	uint32_t *stmt_of;
} Sass_flow;

/* Lives in arena a. Returns NULL if the function has too many blocks. */
Sass_flow *sass_flow(const Sass *s, const Sass_func *f, Arena *a);
/* Whether a is on every path from the entry to b; true for a == b. */
static inline bool
sass_dominates(const Sass_flow *f, uint32_t a, uint32_t b)
{
	return bits_has(f->dominators[b], a);
}

/* Whether a block is a loop by itself. */
static inline bool
sass_is_loop(const Sass_flow *f, uint32_t s)
{
	for (uint32_t e = 0; e < f->blocks[s].nsucc; e++)
		if (f->succ[f->blocks[s].succ + e] == s)
			return true;
	return false;
}

/* The PTX statement of an instruction; 0: unknown. */
static inline uint32_t
sass_stmt(const Sass_flow *f, uint32_t inst)
{
	return f->stmt_of[inst - f->blocks[0].first];
}

#endif
