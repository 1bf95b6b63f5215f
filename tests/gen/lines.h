/* SPDX-License-Identifier: MIT */
/* The template lines that mutation tests omit: their marks, and what is known about each. See
 * mutants.c. */
#ifndef GEN_LINES_H
#define GEN_LINES_H

#include "base/vec.h"
#include "transform/text/template.h"

/* In which text of its loop a line stands: the copy for full warps, apart or in lockstep; all
 * else. */
enum { APART, LOCKSTEP, OTHERS, WALKS };
extern const char *const walk_names[WALKS];

typedef struct {
	bool marked;            /* no test can notice it */
	uint64_t had;           /* kernels that have the line, and were tried without it */
	uint64_t by;            /* the first one that notices; 0: none */
	uint64_t hint;          /* one that noticed once; 0: none is known */
} Walk;

typedef struct {
	const char *where;      /* "collect.tpl:12" */
	Tpl_place line;         /* that is left out */
	uint32_t name;          /* a hash of its section, its text and which of such lines it is */
	bool ok, told;          /* its marks have reasons; what is known of it is printed */
	Walk walk[WALKS];
} Mutant;
typedef VEC(Mutant) Mutants;

/* Prints the places of all lines that put text, and their names. */
int lines_print(void);
/* False: there is no such line, or it puts no text. */
bool mutant_init(Mutant *t, const char *where);
/* The line's text. */
const char *mutant_text(const Mutant *t);

/* Takes the hints in a file for these lines: rows of a seed and the lines that its kernel noticed.
 * False: it cannot be read. */
bool hints_read(const char *file, Mutants *all);
/* Prints what is now known of a walk, as words of such a file: "hint: SEED WORD". */
void hint_print(const Mutant *t, uint32_t walk);

#endif
