/* SPDX-License-Identifier: MIT */
/* Copies of code under other names and other ways (docs/design.md 3: a copy is a copy of the text's
 * spans).
 *
 * What a register is called in the copy, where its branches lead and under which predicate a
 * statement runs, the pass says by
 * functions: the copier knows no roles. In what they give, ^ stands for the prefix of the site's
 * names, as in templates.
 */
#ifndef TRANSFORM_TEXT_COPY_CODE_H
#define TRANSFORM_TEXT_COPY_CODE_H

#include "analysis/dataflow/function.h"
#include "transform/text/template.h"

typedef struct Copy Copy;
struct Copy {
	void *user;
	/* The name that stands for a symbol, or for component sel of a special register; NULL: its
	 * own. */
	const char *(*name)(void *user, uint32_t sym, uint8_t sel);
	/* The label, without the $, that an edge between two blocks leads to. */
	const char *(*way)(void *user, uint32_t from, uint32_t to);
	/* The label where a thread goes on instead of ending by this statement; NULL: it ends. */
	const char *(*end)(void *user, uint32_t stmt);
	/* The predicate under which a statement without a guard runs; NULL: under none. */
	const char *(*guard)(void *user, uint32_t stmt);
	/* Is the statement left out? NULL: none is. */
	bool (*left_out)(void *user, uint32_t stmt);
	/* Writes an instruction in another way; false: it goes out as it stands. NULL: all do. */
	bool (*other)(void *user, uint32_t stmt);
	const char *table;      /* what its tables of branch targets are called */

	/* What copies of one text share: set by copy_init. */
	const Fn *fn;
	Tpl *t;
	uint32_t begin;         /* statement in front of which the copies stand */
	Bits *told;             /* .loc statements whose places the text has named */
	uint32_t block;         /* whose statements are being copied */
};

/* Fills what copies of one text share. told: empty, or one for all of them. */
void copy_init(Copy *c, const Fn *fn, Tpl *t, uint32_t begin, Bits *told);

/* Writes the opcode with .rn behind it if `rounds` (contraction_rounds), else nothing. Returns
 * where the rest of the instruction begins. */
uint32_t copy_opcode(Tpl *t, const Module *m, const Stmt *s, bool rounds);
/* An instruction as it stands, but for names and ways; its guard with it. */
void copy_insn(Copy *c, const Stmt *s);
/* A statement of c->block with the white space in front of it. Labels and markers are left out. */
void copy_stmt(Copy *c, uint32_t stmt);
/* An instruction on a line of its own. */
void copy_line(Copy *c, uint32_t stmt);
/* The statements of a block but the one by which control leaves it. */
void copy_straight(Copy *c, uint32_t block);
/* A block under its label, and a branch to where control goes on from it unless the label
 * `following` does. */
void copy_block(Copy *c, uint32_t block, const char *label, const char *following);
/* How control goes on at the end of a block, unless to `following`. */
void copy_end(Copy *c, uint32_t block, const char *following);
/* A branch along an edge, unless it leads to `following`. */
void copy_branch(Copy *c, uint32_t from, uint32_t to, const char *following);
/* Ends the line, unless it is ended. */
void copy_new_line(Tpl *t);

/* The name of a symbol itself, NUL-terminated. */
const char *copy_name(const Fn *fn, uint32_t sym, Arena *a);

#endif
