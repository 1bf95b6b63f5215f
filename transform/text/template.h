/* SPDX-License-Identifier: MIT */
/* Templates: the text that a pass writes is in a file that looks like PTX and reads from top to
 * bottom.
 *
 *	=== vote                        begins a section
 *	        vote.sync.ballot.b32    %^votes, %^want, %^mask;    # a comment, not in the output
 *	        mov.u32         %^exit, <k>;
 *	#if context                     a flag; #else, #end; nested ones may be indented by blanks
 *	        #pop                    a piece that the pass writes, or another section
 *	#end
 *	$^run:
 *
 *	#declare names                  declares those registers of section `names` that the text
 *	                                uses (its lines: a type, names; ^name: one for each region)
 *	#each region                    repeats the lines up to #end for each item of the list that
 *	                                the pass gives this name
 *
 * ~ stands for the prefix of the current site's names, ^ for that of the current task region (of
 * the site if there is none), <x> for a value. An indented line is written with one tab at its
 * start, and a blank and a tab after its opcode. An unknown name is an internal error, which any
 * test detects. Comments of PTX are copied.
 *
 * A comment "CANNOT: reason", "CANNOT in lockstep: reason", "CANNOT apart: reason" or "CANNOT for
 * others: reason" says that no test can detect the omission of the line (tests/gen/fuzz_diff.c);
 * tests/gen/mutants.sh checks that claim.
 *
 * The build runs template.awk, which converts NAME.tpl to NAME.tpl.h with a row for each line.
 * templates.c includes them all. */
#ifndef TRANSFORM_TEXT_TEMPLATE_H
#define TRANSFORM_TEXT_TEMPLATE_H

#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/buf.h"

enum {
	TPL_NAMES = 320,
	TPL_SLOTS = 512,
	TPL_SECTIONS = 64,
	TPL_REGISTERS = 128,
	TPL_NO_REGION = 0
};

typedef enum {
	TEMPLATE_WAIT,
	TEMPLATE_COLLECT,
	TEMPLATE_EXPAND,
	TEMPLATE_GRID,
	TEMPLATE_DISTRIBUTE,
	TEMPLATE_REMAP,
	TEMPLATE_ROWS,
	TEMPLATE_PROFILE,
	TEMPLATE_PROMISE,
	TEMPLATE_RECURSION,
	TEMPLATE_CANCEL,
	TEMPLATE_COUNT
} Template_id;
typedef enum {
	TPL_NONE,               /* empty line */
	TPL_SECTION,            /* === text */
	TPL_TEXT,               /* as written, except for ^, ~ and <x> */
	TPL_PIECE,              /* #text */
	TPL_IF, TPL_ELSE, TPL_END, TPL_EACH,
	TPL_DECLARE,
	TPL_DECLARED            /* a type and names of registers */
} Tpl_kind;
/* A line of a template. */
typedef struct {
	uint8_t kind;
	uint16_t to;            /* for #if, #else and #each: the row of the #else or #end */
	uint16_t len;
	const char *text;
	const char *marks;      /* "# CANNOT..." and the rest of the comment; NULL: none */
	const char *cites;      /* invariants of docs/proofs/ that the comment names: "C5, C6" */
} Tpl_row;
typedef struct Template Template;
struct Template {
	const char *name;       /* file name */
	const Tpl_row *rows;
	uint32_t n;
	const Template *also;   /* template whose sections it also has; NULL: none */
};
extern const Template templates[TEMPLATE_COUNT];

/* A line of a template, from 1; 0: none. copy: only in this copy of text that is written several
 * times; 0: in all. seen: for each line of the template, from 0, bit k is set if copy number k
 * contains it; NULL: not requested. */
typedef struct { Template_id in; uint32_t line; uint32_t copy; uint8_t *seen; } Tpl_place;
/* Parses "collect.tpl:12". False if there is no such line. */
bool tpl_parse_place(const char *text, Tpl_place *out);

typedef struct Tpl Tpl;
/* Writes a piece into the text. */
typedef void Tpl_piece(void *user);
/* Sets the meaning of names for item i, from 0. False if there is no such item; the meanings are
 * unchanged then. */
typedef bool Tpl_each(void *user, uint32_t i);

typedef struct {
	const char *name;
	uint32_t len;           /* length of `name` */
	const char *value;      /* for a value */
	Tpl_piece *piece;       /* for a piece */
	Tpl_each *each;         /* for an #each */
	void *user;
	bool flag;              /* for a flag */
} Tpl_name;

typedef struct {
	const char *name;
	uint32_t len;           /* length of `name` */
	const Template *of;     /* its template */
	uint32_t row, end;      /* first row; after the last row */
} Tpl_section;

/* A register that the template declares. */
typedef struct {
	const char *name;       /* without %^ */
	uint32_t len;
	/* row of its declaration: registers of one row share a type and a declaration */
	uint32_t row;
	bool of_region;
	bool *used;             /* by task region, from 1; [0]: by the site */
} Tpl_register;

struct Tpl {
	Arena *arena;
	const char *prefix;     /* replacement of ~ */
	const char *const *prefixes;       /* prefixes of the task regions, from 1 */
	uint32_t nregions;
	uint32_t region;          /* the current task region; TPL_NO_REGION */
	Buf out;
	Buf formatted;          /* result of the last formatting */
	Tpl_name names[TPL_NAMES];
	uint32_t nnames;
	uint8_t slots[TPL_SLOTS];       /* names by hash, from 1; 0: none */
	const Template *of;     /* template whose rows are being written */
	Tpl_section sections[TPL_SECTIONS];
	uint32_t nsections;
	Tpl_register registers[TPL_REGISTERS];
	uint32_t nregisters;
	uint8_t register_slots[TPL_SLOTS];      /* registers by hash, from 1; 0: none */
	size_t declared_at;     /* position of the declarations in the text */
	Tpl_place omit;         /* line to leave out */
	uint32_t copy;          /* the current copy, from 1; 0: text outside of copies */
	bool cites;             /* lines get comments with their sources */
};

/* omit: a line of any template to leave out. Values are allocated in the arena. */
void tpl_init(Tpl *t, Template_id id, Tpl_place omit, Arena *a);
/* Discards all names and begins the next site. */
void tpl_begin(Tpl *t, const char *prefix);
/* Sets the prefixes of the site's task regions, prefixes[1] and on. Call after tpl_begin. */
void tpl_set_regions(Tpl *t, const char *const *prefixes, uint32_t n);
/* Sets the current task region, or none. */
void tpl_select_region(Tpl *t, uint32_t region);
void tpl_release(Tpl *t);

/* These define a name from here on; a new definition replaces the old one. */
void tpl_value(Tpl *t, const char *name, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void tpl_flag(Tpl *t, const char *name, bool on);
void tpl_piece(Tpl *t, const char *name, Tpl_piece *f, void *user);
void tpl_each(Tpl *t, const char *name, Tpl_each *f, void *user);

/* Writes a section. */
void tpl_write_section(Tpl *t, const char *section);
/* If t->cites: these add a comment that names the source of the text before it: "S" and a position of
 * the input, or "T", a row of the template that is being written, and the invariants that it cites. */
#define TPL_CITE "/*@ccc "
#define TPL_CITE_END "@*/"
void tpl_cite_input(Tpl *t, uint32_t pos);
void tpl_cite_row(Tpl *t, uint32_t row);
/* Ends the text and inserts the declarations at #declare. */
void tpl_end(Tpl *t);
/* Writes text for a piece verbatim, except for ^ and ~. */
void tpl_text(Tpl *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Writes a line for a piece, in the template language without directives. */
void tpl_line(Tpl *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
