/* SPDX-License-Identifier: MIT */
/* Melding: two arms of a branch become one piece of code (branch distribution, Han and Abdelrahman:
 * Reducing Branch Divergence in GPU Programs, GPGPU-4 2011, section 3.2).
 *
 * The arms' flow graphs must have one shape but for pieces that one arm has alone, which lanes of
 * the other jump over. Blocks that correspond are laid side by side, and their instructions aligned
 * in order: what both have (opcode, modifiers, types) is written once, for the lanes of both; what
 * only one has, for its lanes alone. Where the operands of an instruction that both have differ,
 * each lane selects its own.
 *
 * Registers: a pair of registers that the arms use for the same thing is given one place, so that
 * nothing need be selected between them. What a register of an arm is called in the melded code,
 * meld_name says; one without a place keeps its name, as only lanes of its arm write it.
 */
#ifndef TRANSFORM_REWRITE_MELD_H
#define TRANSFORM_REWRITE_MELD_H

#include "analysis/region/region.h"
#include "base/vec.h"
#include "base/verdict.h"
#include "transform/text/edit.h"
#include "transform/plan/options.h"

/* An instruction, or a scope with all that stands in it: statements first .. last; first == 0:
 * none. */
typedef struct { uint32_t first, last; } Unit;
typedef VEC(Unit) Units;

/* A chain of blocks of an arm that is entered at its head alone and left at its end alone. */
typedef struct {
	Units units;
	uint32_t branch;        /* a guarded bra at its end; 0: control goes on in one way */
	uint32_t to[2], nto;    /* nodes: where the branch leads, where it does not */
	uint32_t last;          /* its last block; 0: none */
	uint32_t join;          /* the node where all ways from here meet; 0: none */
	/* of a node without units: the block behind the arm that it stands for; 0: none */
	uint32_t leaves;
	/* and the one that control comes to from there through empty blocks */
	uint32_t goes;
	uint32_t depth;         /* loops of the arm around it */
} Node;

typedef struct {
	const Region *region;
	VEC(Node) nodes;        /* from 1; the first is the entry */
	/* by local symbol: number of the place that stands for it; 0: it keeps its name */
	uint32_t *place;
} Arm;

/* How instructions of one arm are kept from the lanes of the other: by a predicate, by a jump; all
 * may run them; only their own come to them. */
typedef enum { ROW_PREDICATED, ROW_JUMPED, ROW_FREE, ROW_ALONE } Row_way;

/* Instructions of both arms that are one, or one of one arm. */
typedef struct { Unit of[2]; Row_way way; } Row;

/* Nodes that correspond; or a node that one arm has alone (the other is 0). */
typedef struct {
	uint32_t node[2];
	/* the branch of the second leads where that of the first does not */
	bool swapped;
	/* of a piece of one arm: the other arm's node that its lanes are at meanwhile, and the pair
	 * where they go on; 0: not the piece's first node, only lanes of its arm come here */
	uint32_t other, over;
	bool jumps;             /* at that node those jump; else they pass through it */
	uint32_t to[2];         /* pairs, as those of the first arm's node, else of the second's */
	VEC(Row) rows;
} Pair;

/* One register for two; a register that both arms name alike is its own place. weak: some code of
 * one arm alone writes it. */
typedef struct { uint32_t sym[2]; bool weak; } Place;

typedef struct {
	const Fn *fn;
	Arena *arena;
	Arm arm[2];
	VEC(Pair) pairs;        /* in the order in which they are written: the entry first */
	VEC(Place) places;      /* from 1 */
	/* registers without a place that code of one arm alone writes, by local number */
	Bits weak;
	uint64_t before, after; /* issue slots of a warp that has lanes for both arms */
	/* instructions of the two arms, and of those the ones that are written once */
	uint32_t total, both;
} Meld;

/* Melds the arms, two regions of a function. The verdict says why it cannot be done, or does not
 * gain. */
Verdict meld_make(Meld *x, const Fn *fn, const Region *then, const Region *other, Arena *a);
void meld_release(Meld *x);
/* Queues the edits that write the arms as one, with names that begin with ccc<number>_. */
void meld_write(const Meld *x, uint32_t number, const Pass_options *opt, Edits *e);

/* The names and numbers among an instruction's operands, in the order of the text; the guard first.
 * opnd 0: the guard. */
typedef struct { uint32_t opnd, sym; bool written; Span at; } Leaf;
enum { LEAVES = 64 };
/* How many there are; more than LEAVES: too many. */
uint32_t meld_leaves(const Module *m, const Stmt *s, Leaf out[LEAVES]);
/* Those of two instructions that can be one. Where the order of the second's first two sources does
 * not matter, it is the one in which they agree with the first's. Their number. */
uint32_t meld_two(const Meld *x, const uint32_t stmt[2], Leaf a[LEAVES], Leaf b[LEAVES]);
/* The place of a register in an arm; 0: it has none of its own. */
uint32_t meld_place(const Meld *x, uint32_t arm, uint32_t sym);
/* A register of the function that one instruction can move: no vector, no single byte. */
bool meld_movable(const Fn *fn, uint32_t sym);
/* A register whose value a lane can select: not one that a scope inside the arm declares. */
bool meld_selectable(const Fn *fn, const Leaf *l);
/* Can lanes of both arms run the same instructions for these? */
bool meld_alike(const Fn *fn, Unit a, Unit b);
/* Is the row of both arms? */
bool meld_both(const Row *s);
/* Is it a node that one arm has alone? */
bool meld_alone(const Pair *p);
/* A statement that puts nothing into the melded code. */
bool meld_silent(const Stmt *s);
/* Makes the nodes of an arm. The verdict says what it may not have. */
Verdict meld_arm(Meld *x, Arm *arm);
/* Finds which nodes of the two correspond: x->pairs, without rows. False: the graphs differ in too
 * much. */
bool meld_shape(Meld *x);
/* Fills in how what one arm has alone is kept from the other's lanes: rows' ways, pairs' jumps. */
void meld_ways(Meld *x);
/* A product that ptxas fuses with an addition in an arm and may not fuse in the melded code, or of
 * which that is not known (analysis/contraction/contraction.h); 0: there is none. */
uint32_t meld_breaks_product(const Meld *x, Arena *scratch);
/* Must lanes select between the arms' operands? */
bool meld_differs(const Meld *x, const Leaf *a, const Leaf *b);

#endif
