/* SPDX-License-Identifier: MIT */
/* Control-flow graph of one function.
 *
 * Block 0 is the virtual exit, the successor of ret, exit and trap. Block 1 is the entry. Blocks
 * are numbered in text order. Leaders: the first statement, every code label, every CCC marker, and
 * the statement after a branch, ret, exit or trap (also a guarded one). A call does not end a
 * block. `bra` leads to its label, `brx.idx` to every label of its .branchtargets table. A guarded
 * terminator also falls through; a block that runs off the end of the body leads to block 0. */
#ifndef ANALYSIS_CFG_CFG_H
#define ANALYSIS_CFG_CFG_H

#include "base/bits.h"
#include "base/vec.h"
#include "parser/ptx.h"

/* a function with all its analyses: analysis/dataflow/function.h */
typedef struct Fn Fn;

typedef struct {
	uint32_t stmt, end;     /* statements [stmt, end) of the module */
	/* edges: Cfg.edges[succ .. succ + nsucc), block ids without duplicates, branch targets
	 * first */
	uint32_t succ, nsucc;
	uint32_t pred, npred;
	/* control may fall through to block id + 1 (from the last block: to the virtual exit) */
	bool falls;
} Block;

typedef struct {
	const Module *m;
	uint32_t func;
	Block *blocks; uint32_t nblocks;    /* blocks 0 to nblocks - 1 */
	uint32_t *edges;
	/* blocks reachable from the entry in reverse post-order, without the virtual exit; rpo[0]
	 * == 1 */
	uint32_t *rpo; uint32_t nrpo;
	/* position of a block in rpo; UINT32_MAX if unreachable */
	uint32_t *rpo_index;
	uint32_t *block_of;                 /* by ptx_local_stmt: see cfg_block_of */
	uint32_t *block_of_label;           /* by ptx_local_sym: see cfg_label_block */
} Cfg;

/* Builds the graph in arena a. The parser must have accepted the view: every branch target is a
 * label of the function. */
Cfg *cfg_build(const Module *m, uint32_t func, Arena *a);
/* A block's statements, its successors and its predecessors: CFG_SUCC(g, b, to) use(to); */
#define CFG_STMTS(g, b, s) \
	for (uint32_t s = (g)->blocks[b].stmt, s##_end = (g)->blocks[b].end; s < s##_end; s++)
#define CFG_SUCC(g, b, to) \
	IDS_EACH((g)->edges, (g)->blocks[b].succ, (g)->blocks[b].succ + (g)->blocks[b].nsucc, to)
#define CFG_PRED(g, b, from) \
	IDS_EACH((g)->edges, (g)->blocks[b].pred, (g)->blocks[b].pred + (g)->blocks[b].npred, from)

static inline const uint32_t *
cfg_succ(const Cfg *g, uint32_t b)
{
	return g->edges + g->blocks[b].succ;
}
static inline const uint32_t *
cfg_pred(const Cfg *g, uint32_t b)
{
	return g->edges + g->blocks[b].pred;
}
/* Returns the block of a statement of the function (module-wide statement index). */
static inline uint32_t
cfg_block_of(const Cfg *g, uint32_t stmt)
{
	const Func *f = &g->m->funcs[g->func];

	ASSERT(ptx_has_stmt(f, stmt));
	return g->block_of[ptx_local_stmt(f, stmt)];
}
/* Returns the block that begins with a label; 0 for other symbols. */
uint32_t cfg_label_block(const Cfg *g, uint32_t sym);
/* Returns the last statement of the block if it is an instruction that may transfer control (bra,
 * brx.idx, ret, exit, trap), else 0. */
uint32_t cfg_terminator(const Cfg *g, uint32_t b);

/* Whether the block has no instruction except an unconditional branch. Labels, markers, .loc and
 * pragmas are not instructions. */
bool cfg_block_empty(const Cfg *g, uint32_t b);
/* Returns the first block from b on, which may be 0, that is not empty or is `stop`. */
uint32_t cfg_skip_empty(const Cfg *g, uint32_t b, uint32_t stop);

/* Adds to seen the block `from` and all blocks reachable from it inside `within`, along the edges
 * or (back) against them. Does nothing if `from` is not in `within`. */
void cfg_flood(const Cfg *g, uint32_t from, bool back, Bits within, Bits seen);

#endif
