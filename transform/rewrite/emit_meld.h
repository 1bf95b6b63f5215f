/* SPDX-License-Identifier: MIT */
/* Emission of melded arms (distribute.tpl): the interface between emit_meld.c, which emits the
 * nodes and the control flow, and emit_meld_insns.c, which emits the instructions of a pair.
 * Other files use meld_write() (meld.h). */
#ifndef TRANSFORM_REWRITE_EMIT_MELD_H
#define TRANSFORM_REWRITE_EMIT_MELD_H

#include "transform/rewrite/meld.h"
#include "transform/plan/plan.h"

/* A selected value: registers of the first and of the second arm, and the result. */
typedef struct { const char *from[2], *to; } Lane_select;

typedef struct {
	const Meld *meld;
	const Fn *fn;
	const Module *m;
	Arena *arena;
	Tpl *t;
	Edits *edits;
	uint32_t number;
	uint32_t pair, arm;      /* being emitted */
	const Marker *marker;    /* being emitted */
	uint32_t run[2], behind; /* rows of one arm: from run[0] to behind, of arm run[1] */
	uint32_t skips;          /* number of labels o<n> in use */
	VEC(Lane_select) selects; /* valid ones in the current node */
	uint32_t temporaries[TYPE_F64 + 1], most[TYPE_F64 + 1];
	bool *labelled;          /* blocks that got a label of ours */
} Meld_writer;

/* Returns a formatted string, allocated in the arena. */
const char *meld_format(const Meld_writer *w, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Returns the text that replaces a symbol in an arm's instruction; NULL: its own name. */
const char *meld_name(const Meld_writer *w, uint32_t arm, uint32_t sym);
/* The same for a register, with its own name if it has no place. */
const char *meld_register(const Meld_writer *w, uint32_t arm, uint32_t sym);
Type meld_type(const Meld_writer *w, uint32_t sym);
/* Returns a register of the type for a selected value, valid until the next node. */
const char *meld_temporary(Meld_writer *w, Type type);
/* Pieces of the template, with a Meld_writer as user: the rows of a pair, the statements of one
 * arm in a run of rows, and the call that stays open. */
void meld_emit_rows(void *user);
void meld_emit_statements(void *user);
void meld_emit_open_call(void *user);

#endif
