/* SPDX-License-Identifier: MIT */
/* Melding: the two arms of a branch become one piece of code (branch distribution, Han and
 * Abdelrahman: Reducing Branch Divergence in GPU Programs, GPGPU-4 2011, section 3.2).
 *
 * The arms' flow graphs are aligned: pieces that exist in one arm only are skipped by lanes of the
 * other arm. Corresponding blocks are merged, and their instructions
 * aligned in order. An instruction that both arms have (same opcode, modifiers and types) is
 * emitted once, for the lanes of both; an instruction of one arm, for its lanes only. If the
 * operands of a common instruction differ, each lane selects its own.
 *
 * Two registers that the arms use for the same purpose share one register of the melded code, a
 * *place*, which makes the selection unnecessary. meld_name() returns a register's name in the
 * melded code. A register without a place keeps its name, because only lanes of its arm write
 * it. */
#ifndef TRANSFORM_REWRITE_MELD_H
#define TRANSFORM_REWRITE_MELD_H

#include "analysis/region/region.h"
#include "base/vec.h"
#include "base/verdict.h"
#include "transform/text/edit.h"
#include "transform/plan/options.h"

/* An instruction, or a scope with its contents: statements first .. last. first == 0: none. */
typedef struct { uint32_t first, last; } Meld_unit;
typedef VEC(Meld_unit) Meld_units;

/* A chain of blocks in an arm, with a single entry at its start and a single exit at its end. */
typedef struct {
	Meld_units units;
	uint32_t branch;        /* predicated bra at its end; 0: one successor */
	uint32_t to[2], nto;    /* successor nodes: branch taken, not taken */
	uint32_t first, last;   /* its first and its last block; 0: none */
	uint32_t join;          /* node at which all paths from here meet; 0: none */
	/* for a node without units: the block after the arm that it represents; 0: none */
	uint32_t exit_block;
	/* first non-empty block reached from `leaves` */
	uint32_t exit_target;
	uint32_t depth;         /* loop depth within the arm */
	uint32_t loop;          /* the loop that starts here; 0: none */
	bool cut;               /* the branch at the end of its blocks is the next node */
	bool is_cut;            /* it is such a branch */
} Arm_node;

typedef struct {
	const Region *region;
	bool cut;               /* branches are nodes of their own */
	VEC(Arm_node) nodes;    /* from 1; the first is the entry */
	/* by local symbol: place of the register; 0: it keeps its name */
	uint32_t *merged;
} Arm;

/* How instructions of one arm are kept from the lanes of the other: predicated; skipped by a
 * branch; executed by all lanes; reached by its own lanes only. */
typedef enum { EXECUTE_PREDICATED, EXECUTE_BRANCHED, EXECUTE_ALL, EXECUTE_OWN_ARM } Row_execution;

/* A common instruction of both arms, or an instruction of one arm. */
typedef struct { Meld_unit of[2]; Row_execution execution; } Insn_row;

/* Two corresponding nodes, or a node of one arm (the other is 0). */
typedef struct {
	uint32_t node[2];
	/* the second arm's branch is inverted relative to the first's */
	bool swapped;
	/* for a piece of one arm: the node of the other arm at which that arm's lanes wait
	 * meanwhile, and the pair at which they continue; 0: not the piece's first node, so only
	 * lanes of its own arm reach it */
	uint32_t other, over;
	/* the other arm's lanes branch around the piece; otherwise they pass through it */
	bool jumps;
	/* successor pairs, in the order of the first arm's node, or else the second's */
	uint32_t to[2];
	VEC(Insn_row) rows;
} Node_pair;

/* One register for two. A register that both arms name is its own place. weak: written by code
 * of one arm only. */
typedef struct { uint32_t sym[2]; bool partial; } Merged_register;

typedef struct {
	const Fn *fn;
	Arena *arena;
	Arm arm[2];
	VEC(Node_pair) pairs;   /* in emission order: the entry first */
	VEC(Merged_register) places; /* from 1 */
	/* registers without a place that code of one arm only writes, by local number */
	Bits weak;
	/* registers that are live where code of one arm begins or ends, or that it writes without
	 * a branch around it, by local number */
	Bits carried;
	uint64_t before, after; /* issue slots of a warp with lanes in both arms */
	/* instructions of both arms, and how many of them are emitted once for both */
	uint32_t total, both;
	/* common row that the first arm's markers are to enclose from now on; NULL: the arms'
	 * annotations are done */
	const Insn_row *open;
} Meld;

/* Melds two arms of a function. The verdict says why it is impossible or does not gain. */
Verdict meld_make(Meld *x, const Fn *fn, const Region *then, const Region *other, Arena *a);
void meld_release(Meld *x);
/* Advances *a and *b to the next instructions of a common row. Returns false if there are none. */
bool meld_next_insns(const Fn *fn, const Insn_row *st, uint32_t *a, uint32_t *b);
/* Returns the first common row with a call, outside of loops in the arms; NULL: there is none, or
 * the first arm does not end. */
const Insn_row *meld_call_row(const Meld *x);
/* Queues the edits that replace the arms by the melded code. New names start with ccc<number>_. */
void meld_write(const Meld *x, uint32_t number, const Pass_options *opt, Edits *e);

/* Names and numbers among an instruction's operands, in text order, the guard first. opnd 0: the
 * guard. */
typedef struct { uint32_t opnd, sym; bool written; Span at; } Leaf;
enum { LEAVES = 64 };
/* Fills in the leaves and returns their number; more than LEAVES: too many. */
uint32_t meld_leaves(const Module *m, const Stmt *s, Leaf out[LEAVES]);
/* Fills in the leaves of two instructions that can be one, and returns their number. If the
 * second one is commutative, its first two sources are in the order that agrees better with the
 * first one's. */
uint32_t meld_pair_leaves(const Meld *x, const uint32_t stmt[2], Leaf a[LEAVES], Leaf b[LEAVES]);
/* Returns the place of a register in an arm; 0 if it keeps its name. */
uint32_t meld_merged_register(const Meld *x, uint32_t arm, uint32_t sym);
/* Whether one instruction can move the register: neither a vector nor a single byte. */
bool meld_register_is_movable(const Fn *fn, uint32_t sym);
/* Whether a lane can select the register's value: it is not declared in a scope inside the arm. */
bool meld_leaf_is_selectable(const Fn *fn, const Leaf *l);
/* Whether one copy of the instructions can serve the lanes of both arms. */
bool meld_units_match(const Fn *fn, Meld_unit a, Meld_unit b);
/* Whether the row belongs to both arms. */
bool meld_row_is_shared(const Insn_row *s);
/* Returns the pair, from the pair `first` on, that contains the node of the arm; else MELD_NONE. */
uint32_t meld_pair_of_node(const Meld *x, uint32_t arm, uint32_t n, uint32_t first);
/* Whether the pair is a node of one arm only. */
bool meld_node_is_unpaired(const Node_pair *p);
/* Whether the statement leaves nothing in the melded code. */
bool meld_stmt_is_silent(const Stmt *s);
/* Checks the instructions of an arm. The verdict says which one prevents melding. */
Verdict meld_check_arm(const Meld *x, const Arm *arm);
/* Makes the nodes of an arm. */
void meld_build_arm(const Meld *x, Arm *arm);
/* Find the corresponding nodes of both arms: fill in x->pairs, without rows. Return false if the
 * graphs differ, or differ too much. */
bool meld_match_equal(Meld *x);    /* cfg_match.c: all nodes correspond */
bool meld_match_sequences(Meld *x); /* cfg_align.c: there may be pieces of one arm */
/* Gives registers their places, and aligns the units of all pairs: fills in their rows. first:
 * there are no places yet. Returns false if the nodes are too long. */
bool meld_align_pairs(Meld *x, bool first);
/* The issue slots that merging two nodes saves at most; 0 if they are too long. */
uint32_t meld_node_gain(const Meld *x, uint32_t a, uint32_t b);
/* Returns the number of operands that lanes must select in a common row. UINT32_MAX: it writes to
 * different places. */
uint32_t meld_count_selects(const Meld *x, const Insn_row *st);
/* Issue slots: of a select; of a branch around code of one arm (BSSY, BRA, BSYNC). */
enum { MELD_SELECT = 2, MELD_BRANCH = 3 };
/* Most pairs of units, one of each arm or node, that may have to be compared. */
enum { MELD_MOST_CELLS = 4 << 20 };
#define MELD_NONE UINT32_MAX /* no pair */
uint64_t meld_unit_cost(const Fn *fn, Meld_unit u);
/* The depth of a pair's nodes in loops of the arms, and how often such code is executed. */
uint32_t meld_depth(const Meld *x, const Node_pair *p);
uint64_t meld_weight(uint32_t depth);
/* Decides how code of one arm is kept from the other arm's lanes: fills in the rows' `way` and
 * the pairs' `jumps`. */
void meld_select_predication(Meld *x);
/* Returns a product that ptxas fuses with an addition in an arm but may not fuse in the melded
 * code, or for which this is unknown (analysis/contraction/contraction.h); 0 if there is none. */
uint32_t meld_breaks_contraction(const Meld *x, Arena *scratch);
/* Whether lanes must select between the arms' operands. */
bool meld_leaves_differ(const Meld *x, const Leaf *a, const Leaf *b);

#endif
