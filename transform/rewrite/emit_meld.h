/* SPDX-License-Identifier: MIT */
/* Writing two arms as one (distribute.tpl). Between emit_meld.c, which writes the whole and the
 * ways through it, and emit_meld_insns.c, which writes the instructions of a pair of nodes; for all
 * others there is meld_write (meld.h). */
#ifndef TRANSFORM_REWRITE_EMIT_MELD_H
#define TRANSFORM_REWRITE_EMIT_MELD_H

#include "transform/rewrite/meld.h"
#include "transform/plan/plan.h"

/* What lanes selected: registers of the first arm and of the second, and where it is. */
typedef struct { const char *from[2], *to; } Selected;

typedef struct {
	const Meld *meld;
	const Fn *fn;
	const Module *m;
	Arena *arena;
	Tpl *t;
	Edits *edits;
	uint32_t number;
	uint32_t pair, arm;      /* that is written */
	uint32_t run[2], behind; /* rows of one arm: from run[0] to behind, for arm run[1] */
	uint32_t skips;          /* labels o<n> that were used */
	VEC(Selected) selects;   /* that hold, in the node that is written */
	uint32_t temporaries[TYPE_F64 + 1], most[TYPE_F64 + 1];
	bool *labelled;          /* blocks that got a label of our own */
} Meld_writer;

/* A string in the arena. */
const char *meld_format(const Meld_writer *w, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* What stands for a symbol among the operands of an arm's instruction; NULL: its own text. */
const char *meld_name(const Meld_writer *w, uint32_t arm, uint32_t sym);
/* The same, for a register. */
const char *meld_register(const Meld_writer *w, uint32_t arm, uint32_t sym);
Type meld_type(const Meld_writer *w, uint32_t sym);
/* A register of the type for what a lane selects, until the next node. */
const char *meld_temporary(Meld_writer *w, Type type);
/* Pieces of the template, for a Meld_writer: the rows of a pair of nodes; of these, the statements
 * of one arm in a run. */
void meld_piece_rows(void *user);
void meld_piece_statements(void *user);

#endif
