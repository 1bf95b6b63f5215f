/* SPDX-License-Identifier: MIT */
/* Copies code with other names and branch targets (docs/design.md 3: a copy consists of the text's
 * spans).
 *
 * Callbacks of the pass determine the names of registers, the targets of branches and the
 * predicates of statements in the copy. In the strings that they return, ^ stands for the prefix of
 * the site's names, as in templates. */
#ifndef TRANSFORM_TEXT_COPY_CODE_H
#define TRANSFORM_TEXT_COPY_CODE_H

#include "analysis/dataflow/function.h"
#include "transform/text/template.h"

typedef struct Copy Copy;
struct Copy {
	void *user;
	/* Returns the name that replaces a symbol, or component sel of a special register; NULL:
	 * its own name. */
	const char *(*symbol_name)(void *user, uint32_t sym, uint8_t sel);
	/* Returns the label, without the $, that is the target of the edge between two blocks. */
	const char *(*edge_label)(void *user, uint32_t from, uint32_t to);
	/* Returns the label at which a thread continues instead of ending at this statement; NULL:
	 * it ends. */
	const char *(*end_label)(void *user, uint32_t stmt);
	/* Returns the predicate for a statement without a guard; NULL: none. */
	const char *(*guard)(void *user, uint32_t stmt);
	/* Whether the statement is omitted. NULL: no statement is. */
	bool (*is_omitted)(void *user, uint32_t stmt);
	/* Writes an instruction in another form; false: it is copied. NULL: all are. */
	bool (*rewrite)(void *user, uint32_t stmt);
	const char *table;      /* prefix of the names of its branch target tables */

	/* Shared by the copies of one text; set by copy_init. */
	const Fn *fn;
	Tpl *t;
	uint32_t begin;         /* the copies are inserted before this statement */
	Bits *named_locs;       /* .loc statements whose locations the text contains */
	uint32_t block;         /* the block that is being copied */
};

/* Initialises what the copies of one text share. told: empty, or one set for all copies. */
void copy_init(Copy *c, const Fn *fn, Tpl *t, uint32_t begin, Bits *told);

/* Writes the opcode with suffix .rn if `rounds` (contraction_rounds), else nothing. Returns the
 * position of the rest of the instruction. */
uint32_t copy_opcode(Tpl *t, const Module *m, const Stmt *s, bool keeps_rounding);
/* Copies an instruction to a separate line. */
void copy_line(Copy *c, uint32_t stmt);
/* Copies the statements of a block except its terminator. */
void copy_block_body(Copy *c, uint32_t block);
/* Copies a block under its label, with a branch to its fall-through successor unless that is
 * `following`. */
void copy_block(Copy *c, uint32_t block, const char *label, const char *following);
/* Copies the terminator of a block, with a branch to its fall-through successor unless that is
 * `following`. */
void copy_end(Copy *c, uint32_t block, const char *following);
/* Writes a branch along an edge, unless its target is `following`. */
void copy_branch(Copy *c, uint32_t from, uint32_t to, const char *following);
/* Ends the current line, if it is not empty. */
void copy_new_line(Tpl *t);

/* Returns the symbol's own name, NUL-terminated. */
const char *copy_name(const Fn *fn, uint32_t sym, Arena *a);

#endif
