/* SPDX-License-Identifier: MIT */
/* Diagnostics: collected during the work, sorted by position, printed once.
 *
 *	bfs.cu:14: warning: a call in the path to 'log' (in 2 copies) [-Wccc-call]
 *	  bfs.cu:17:9: note: here
 *	     17 |         log(v);
 *	        |         ^
 *	  note: make the function inline, or define it in the same file
 *
 * Positions are in the PTX; a program can supply their CUDA positions and source lines
 * (Diag_style). Then the PTX is not shown. A message about several copies of one place is printed
 * once.
 *
 * diags.def has one row per kind; the kind's name is the argument of -W<name>, -Wno-<name> and
 * -Werror=<name>. Messages: lower case, no full stop, names in single quotes. */
#ifndef BASE_DIAG_H
#define BASE_DIAG_H

#include <stdbool.h>
#include <stdio.h>
#include "base/buf.h"
#include "base/heap.h"
#include "base/source.h"

typedef enum { DIAG_NOTE, DIAG_WARNING, DIAG_ERROR } Diag_level;

typedef enum {
#define DIAG(id, name, level, summary) D_##id,
#include "base/diags.def"
#undef DIAG
	D_COUNT
} Diag_kind;

/* Position in the CUDA source; file NULL: unknown. */
typedef struct { const char *file; uint32_t line, col; } Cuda_pos;

#define DIAG_NOWHERE UINT32_MAX /* pos without a position in the PTX */

/* The kind's name: "ccc-rounding"; NULL if there is no such kind. */
const char *diag_name(Diag_kind kind);

typedef struct Diags Diags;

Diags *diags_new(Source *src); /* src: the PTX that positions refer to; may be NULL */
void diags_free(Diags *d);

/* Report a diagnostic of a kind at byte pos of the source (or DIAG_NOWHERE) and, if known, at a
 * CUDA position. */
void diag(Diags *d, Diag_kind kind, uint32_t pos, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
void diag_cuda(Diags *d, Diag_kind kind, Cuda_pos at, uint32_t pos, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
/* Adds a note to the last diagnostic. */
void diag_note(Diags *d, uint32_t pos, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* From now on, reported positions are in another text: origin maps a byte of it to the byte of the
 * source that it comes from. NULL: no mapping. */
typedef uint32_t Diag_origin(void *user, uint32_t pos);
void diags_set_origin(Diags *d, Diag_origin *origin, void *user);
/* The same for the text that origin maps to, if that is not the source. */
void diags_set_base(Diags *d, Diag_origin *base, void *user);

/* Drops everything reported since diags_mark. */
uint32_t diags_mark(const Diags *d);
void diags_rewind(Diags *d, uint32_t mark);

/* Settings of the -W options. */
typedef struct { Diag_level level[D_COUNT]; bool off[D_COUNT]; } Diag_settings;
Diag_settings diag_defaults(void);
/* Applies the text of a -W option after "-W" ("no-NAME", "no-all", "error", "error=NAME", "NAME").
 * Returns false if no kind has that name. */
bool diag_option(Diag_settings *s, const char *arg);
/* --strict: turns all warnings into errors, except hints about transformed code and about host
 * code. */
void diag_strict(Diag_settings *s);
void diags_set(Diags *d, const Diag_settings *s); /* to be called before the first diagnostic */

/* The CUDA position of a place in the PTX. */
typedef struct {
	Cuda_pos at;            /* file NULL: unknown */
	Cuda_pos caller;        /* where that code was inlined; file NULL: not inlined */
	const char *function;   /* function in the PTX; NULL: none */
} Diag_place;
typedef Diag_place Diag_locate(void *user, uint32_t pos);
/* Returns the text of a CUDA source; NULL if it is not available. */
typedef const char *Diag_read(void *user, const char *file, size_t *len);
/* show the PTX if the CUDA position is unknown, never, always */
typedef enum { SHOW_UNKNOWN, SHOW_CUDA, SHOW_ALL } Diag_show;

/* How diagnostics are printed; all members are optional. */
typedef struct {
	Diag_locate *locate; void *locator;
	Diag_read *read; void *reader;
	/* for suggestions: the statements of these sources, as source_stmts.h lists them */
	const char *statements;
	Diag_show show;
	bool color;
} Diag_style;
void diags_style(Diags *d, const Diag_style *s);
/* Returns a line of the CUDA source without its line end; NULL if it is not available. */
const char *diag_line(const Diag_style *s, Cuda_pos at, size_t *len);
const char *diags_line(const Diags *d, Cuda_pos at, size_t *len);

/* number of errors, including warnings turned into errors */
uint32_t diags_errors(const Diags *d);

/* A text and its position. */
typedef struct {
	const char *text;
	uint32_t pos;           /* in the PTX, or DIAG_NOWHERE */
	Diag_place place;
} Diag_remark;

typedef struct {
	const char *name;       /* name of the kind, for -W; "" for the count of further errors */
	Diag_level level;
	bool promoted;          /* a warning turned into an error by -Werror or --strict */
	const char *text;       /* the message alone */
	Cuda_pos cuda;
	uint32_t line, col;     /* in the PTX, from 1; 0: none */
	Diag_remark what;       /* the message and the position of the code at fault */
	Diag_remark *note; uint32_t nnotes;
	uint32_t copies;        /* number of copies; the first one is shown */
	/* functions of the copies, if that is informative; else "" */
	const char *instances;
	const char *notes;      /* texts of the notes, each with a line end; "" if there are none */
	const char *printed;    /* everything as a program prints it, with carets and notes */
} Diag;
typedef void Diag_visit(void *user, const Diag *g);
/* Visits all diagnostics, sorted by position, with at most 20 errors, and then drops them. The
 * visited data live as long as d. */
void diags_each(Diags *d, Diag_visit *visit, void *user);
/* Appends the printed form of a diagnostic (diag_print.c). src: the PTX, may be NULL. */
void diag_print(const Diag *g, const Diag_style *s, Source *src, Buf *to);
/* Prints all diagnostics (console.c). */
void diags_print(Diags *d, FILE *to);

#endif
