/* SPDX-License-Identifier: MIT */
/* Templates: the text that a pass writes stands in a file that looks like PTX, and reads from top
 * to bottom.
 *
 *	=== vote                        begins a section
 *	        vote.sync.ballot.b32    %^votes, %^want, %^mask;    # a comment, which stays here
 *	        mov.u32         %^exit, <k>;
 *	#if context                     a flag; #else, #end; nested ones may be indented by blanks
 *	        #pop                    a piece that the pass makes, or another section
 *	#end
 *	$^run:
 *
 *	#declare names                  the registers of section names that the text uses (its
 *	                                lines: a type, their names; ^name: each
 *	                                part has one)
 *	#each part                      the lines up to #end for each of the things that the pass
 *	                                means by this name
 *
 * ~ stands for the prefix of the names of the site at hand, ^ for that of the part at hand (of the
 * site, where none is), <x> for a value. White space is free: a line that begins with some comes
 * out behind one tab, with a blank and a tab behind its opcode. An unknown name is an internal
 * error, so any test finds it. Comments of PTX go out.
 *
 * A comment "CANNOT: reason", "CANNOT in lockstep: reason", "CANNOT apart: reason" or "CANNOT for
 * others: reason" says that no test can notice when the line is left out (tests/gen/fuzz_diff.c);
 * tests/gen/mutants.sh holds it to that.
 *
 * A comment that begins with "C7", or "C1, C7: text", cites invariants of docs/proofs/ that the
 * line establishes or relies on. mutants.sh lists them; tests/docs.sh checks that they exist.
 *
 * template.awk makes NAME.tpl.h of NAME.tpl when the program is built: a row for each line.
 * templates.c has all of them.
 */
#ifndef TRANSFORM_TEXT_TEMPLATE_H
#define TRANSFORM_TEXT_TEMPLATE_H

#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/buf.h"

enum { TPL_NAMES = 320, TPL_SLOTS = 512, TPL_SECTIONS = 64, TPL_REGISTERS = 128, TPL_NO_PART = 0 };

typedef enum {
	TEMPLATE_BOUND,
	TEMPLATE_CCC,
	TEMPLATE_EXPAND,
	TEMPLATE_GRID,
	TEMPLATE_DISTRIBUTE,
	TEMPLATE_REMAP,
	TEMPLATE_ROWS,
	TEMPLATE_PROFILE,
	TEMPLATE_COUNT
} Template_id;
typedef enum {
	TPL_NONE,               /* nothing stands here */
	TPL_SECTION,            /* === text */
	TPL_TEXT,               /* as it goes out, but for what ^, ~ and <x> stand for */
	TPL_PIECE,              /* #text */
	TPL_IF, TPL_ELSE, TPL_END, TPL_EACH,
	TPL_DECLARE,
	TPL_DECLARED            /* a type, names of registers */
} Tpl_kind;
/* A line of a template. */
typedef struct {
	uint8_t kind;
	uint16_t to;            /* of #if, #else and #each: the row of the #else or #end */
	uint16_t len;
	const char *text;
	const char *marks;      /* "# CANNOT..." and what is behind it; NULL: none */
} Tpl_row;
typedef struct Template Template;
struct Template {
	const char *name;       /* of its file */
	const Tpl_row *rows;
	uint32_t n;
	const Template *also;   /* whose sections it has, too; NULL: none */
};
extern const Template templates[TEMPLATE_COUNT];

/* A line of a template, from 1; 0: none. copy: only in this copy of what is written several times;
 * 0: in each.
 * seen: for each line of the template, from 0, gets bit k if copy number k has it; NULL: nobody
 * asks. */
typedef struct { Template_id in; uint32_t line; uint32_t copy; uint8_t *seen; } Tpl_place;
/* "collect.tpl:12". False: there is no such line. */
bool tpl_place(const char *text, Tpl_place *out);

typedef struct Tpl Tpl;
/* Writes a piece into the text. */
typedef void Tpl_piece(void *user);
/* Lets names mean what they mean for thing i, from 0; false: there is no such thing, and they mean
 * what they did before. */
typedef bool Tpl_each(void *user, uint32_t i);

typedef struct {
	const char *name;
	uint32_t len;           /* of the name */
	const char *value;      /* of a value */
	Tpl_piece *piece;       /* of a piece */
	Tpl_each *each;         /* of an #each */
	void *user;
	bool flag;              /* of a flag */
} Tpl_name;

typedef struct {
	const char *name;
	uint32_t len;           /* of the name */
	const Template *of;     /* whose it is */
	uint32_t row, end;      /* the first one; behind the last */
} Tpl_section;

/* A register of the text's own. */
typedef struct {
	const char *name;       /* without %^ */
	uint32_t len;
	/* that declares it: registers of one row share a type and a declaration */
	uint32_t row;
	bool of_part;
	bool *used;             /* by part, from 1; [0]: by the site */
} Tpl_register;

struct Tpl {
	Arena *arena;
	const char *prefix;     /* what ~ stands for */
	const char *const *parts;       /* prefixes of parts, from 1 */
	uint32_t nparts;
	uint32_t part;          /* the one at hand; TPL_NO_PART */
	Buf out;
	Buf formatted;          /* what was formatted last */
	Tpl_name names[TPL_NAMES];
	uint32_t nnames;
	uint8_t slots[TPL_SLOTS];       /* names by hash, from 1; 0: none */
	const Template *of;     /* whose rows are at hand */
	Tpl_section sections[TPL_SECTIONS];
	uint32_t nsections;
	Tpl_register registers[TPL_REGISTERS];
	uint32_t nregisters;
	uint8_t register_slots[TPL_SLOTS];      /* registers by hash, from 1; 0: none */
	size_t declared_at;     /* where in the text declarations belong */
	Tpl_place omit;         /* line that is left out */
	uint32_t copy;          /* the one at hand, from 1; 0: what is written is no copy */
};

/* omit: a line of any template, that is left out. Values live in the arena. */
void tpl_init(Tpl *t, Template_id id, Tpl_place omit, Arena *a);
/* Forgets all names: the next site's begin. */
void tpl_begin(Tpl *t, const char *prefix);
/* The prefixes of the site's parts, from parts[1] on: behind tpl_begin. */
void tpl_parts(Tpl *t, const char *const *parts, uint32_t n);
/* Takes a part to hand, or none. */
void tpl_part(Tpl *t, uint32_t part);
void tpl_release(Tpl *t);

/* What names mean from here on; a name that is told again gets a new meaning. */
void tpl_value(Tpl *t, const char *name, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void tpl_flag(Tpl *t, const char *name, bool on);
void tpl_piece(Tpl *t, const char *name, Tpl_piece *f, void *user);
void tpl_each(Tpl *t, const char *name, Tpl_each *f, void *user);

/* Writes a section. */
void tpl_put(Tpl *t, const char *section);
/* Ends the text: puts the declarations where #declare stood. */
void tpl_end(Tpl *t);
/* Writes text for a piece as it is, but for ^ and ~. */
void tpl_text(Tpl *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Writes a line for a piece, in the language of templates without its directives. */
void tpl_line(Tpl *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
