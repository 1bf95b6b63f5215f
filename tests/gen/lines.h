/* SPDX-License-Identifier: MIT */
/* The template lines that mutation tests omit: their marks, and what is known about each. See
 * mutants.c. */
#ifndef GEN_LINES_H
#define GEN_LINES_H

#include "base/vec.h"
#include "transform/text/template.h"

/* The copy of its loop that contains a line: for full warps, apart or in lockstep; all other
 * text. */
enum { APART, LOCKSTEP, OTHERS, WALKS };
extern const char *const walk_names[WALKS];

typedef struct {
	bool marked;            /* no test can notice it */
	uint64_t had;           /* kernels that have the line and were tested without it */
	uint64_t by;            /* the first one that notices; 0: none */
	uint64_t hint;          /* one that noticed in an earlier run; 0: none is known */
} Walk;

typedef struct {
	const char *where;      /* "collect.tpl:12" */
	Tpl_place line;         /* the omitted line */
	/* a hash of its section, its text and its number among equal lines */
	uint32_t name;
	bool ok, told;          /* its marks have reasons; its results are printed */
	Walk walk[WALKS];
} Mutant;
typedef VEC(Mutant) Mutants;

/* Prints the places of all lines that emit text, and their names. */
int lines_print(void);
/* Returns false if there is no such line, or if it emits no text. */
bool mutant_init(Mutant *t, const char *where);
/* The line's text. */
const char *mutant_text(const Mutant *t);

/* Reads the hints in a file for these lines: rows of a seed and the lines that its kernel noticed.
 * Returns false if the file cannot be read. */
bool hints_read(const char *file, Mutants *all);
/* Prints the results for a walk as words of such a file: "hint: SEED WORD". */
void hint_print(const Mutant *t, uint32_t walk);

#endif
