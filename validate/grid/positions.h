/* SPDX-License-Identifier: MIT */
/* States of the head and the latch, and their transfer function (grid.h). Internal to
 * validate/grid/. */
#ifndef VALIDATE_GRID_POSITIONS_H
#define VALIDATE_GRID_POSITIONS_H

#include "validate/grid/grid.h"

enum { MOST_REGS = 16, MOST_DIVISIONS = 4, MOST_RETS = 4, MOST_FORKS = 64 };
/* The first unknowns, three of each: of the block, the launch, and an iteration's position. */
enum { UNKNOWN_BLOCK = 1, UNKNOWN_BLOCKS = 4, UNKNOWN_PLACE = 7, UNKNOWN_NEXT = 10 };

typedef struct { Poly p; uint64_t lo, hi; } Grid_value;
typedef struct { Poly a; uint32_t b; Grid_value quotient, rest; } Grid_division;
typedef struct {
	Poly_facts facts;
	Grid_value reg[MOST_REGS];
	Grid_division division[MOST_DIVISIONS];
	uint32_t ndivisions;
} Grid_state;

typedef struct {
	const Grid_text *t;
	uint32_t sym[MOST_REGS], nregs;         /* inserted registers */
	struct { uint64_t lo; bool uniform; } unknown[MOST_UNKNOWNS];
	uint32_t nunknowns, nforks;
	bool in_latch;
	Grid_state entered;          /* at the loop's first block */
	bool enters;
	Poly_facts ret[MOST_RETS];      /* what is known where threads end in the head */
	uint32_t nrets;
	Poly step;              /* G */
	bool stepped;
	Grid_fault fault;
} Positions;

/* Records a fault of a statement of the output. Returns false. */
bool positions_fault(Positions *w, uint32_t stmt, bool unknown, const char *why);

/* ---- transfer.c ------------------------------------------------------------------------------ */

/* The largest unsigned value of that width. */
static inline uint64_t
grid_most_of(uint32_t bits)
{
	return UINT64_MAX >> (64 - bits);
}
/* Whether the polynomial has the same value in all blocks. */
bool grid_is_uniform(const Positions *w, const Poly *p);
/* Returns a number that lies in an interval, and about which nothing else is known. */
Grid_value grid_new_unknown(Positions *w, uint64_t lo, uint64_t hi, bool uniform);
/* The value of %ctaid, %nctaid, or of the position, by the first unknown of these. */
Grid_value grid_fixed_unknown(uint32_t first, uint32_t digit);
/* The number of an inserted register; w->nregs for other symbols. */
uint32_t grid_reg_of(const Positions *w, uint32_t sym);
/* Executes a statement that is no branch. *forked: it has executed what follows, too. */
bool positions_execute(Positions *w, Grid_state *s, uint32_t stmt, bool *forked);

/* ---- positions.c ----------------------------------------------------------------------------- */

/* Executes the text from the statement on, up to where lanes leave it. */
bool positions_run(Positions *w, Grid_state *s, uint32_t stmt);

#endif
