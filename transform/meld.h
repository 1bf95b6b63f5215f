/* SPDX-License-Identifier: MIT */
/* Melding: two arms of a branch become one piece of code (branch distribution, Han and Abdelrahman:
 * Reducing Branch Divergence in GPU Programs, GPGPU-4 2011, section 3.2).
 *
 * The arms' flow graphs must have one shape. Blocks that correspond are laid side by side, and
 * their instructions aligned in
 * order: what both have (opcode, modifiers, types) is written once, for the lanes of both; what
 * only one has, for its lanes alone. Where the operands of an instruction that both have differ,
 * each lane selects its own.
 *
 * Registers: a pair of registers that the arms use for the same thing is given one place, so that
 * nothing need be selected between them. What a register of an arm is called in the melded code,
 * meld_name says; one without a place keeps its name, as only lanes of its arm write it.
 */
#ifndef TRANSFORM_MELD_H
#define TRANSFORM_MELD_H

#include "analysis/region.h"
#include "base/vec.h"
#include "base/verdict.h"
#include "transform/edit.h"
#include "transform/pass.h"

/* An instruction, or a scope with all that stands in it: statements first .. last; first == 0:
 * none. */
typedef struct { uint32_t first, last; } Unit;
typedef VEC(Unit) Units;

/* A chain of blocks of an arm that is entered at its head alone and left at its end alone. */
typedef struct {
	Units units;
	uint32_t branch;        /* a guarded bra at its end; 0: control goes on in one way */
	uint32_t to[2], nto;    /* nodes: where the branch leads, where it does not */
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

/* Instructions of both arms that are one, or one of one arm. */
typedef struct { Unit of[2]; } Row;

/* Nodes that correspond. */
typedef struct {
	uint32_t node[2];
	/* the branch of the second leads where that of the first does not */
	bool swapped;
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
/* The place of a register in an arm; 0: it has none of its own. */
uint32_t meld_place(const Meld *x, uint32_t arm, uint32_t sym);
/* A register of the function that one instruction can move: no vector, no single byte. */
bool meld_movable(const Fn *fn, uint32_t sym);
/* A register whose value a lane can select: not one that a scope inside the arm declares. */
bool meld_selectable(const Fn *fn, const Leaf *l);
/* Can lanes of both arms run the same instructions for these? */
bool meld_alike(const Fn *fn, Unit a, Unit b);
/* A statement that puts nothing into the melded code. */
bool meld_silent(const Stmt *s);
/* Makes the nodes of an arm. The verdict says what it may not have. */
Verdict meld_arm(Meld *x, Arm *arm);
/* Must lanes select between the arms' operands? */
bool meld_differs(const Meld *x, const Leaf *a, const Leaf *b);

#endif
