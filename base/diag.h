/* SPDX-License-Identifier: MIT */
/* Diagnostics: collected while working, sorted by position, printed once.
 *
 *	bfs.cu:14: warning: path left as it was: a call in the path to 'log' [-Wccc-call] (in 2
 *	copies)
 *	  bfs.cu:17:9: note: here
 *	     17 |         log(v);
 *	        |         ^
 *	  note: make the function inline, or define it in the same file
 *
 * Places are known in the PTX; a program can tell where those are in the CUDA source, and show its
 * lines (Diag_style). Then the PTX is not shown. What is said of several copies of one place is
 * said once.
 *
 * diags.def has one row a kind; a kind's name is what -W<name>, -Wno-<name> and -Werror=<name>
 * take. Messages: lower case, no full stop, names in single quotes.
 */
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

/* Where in the CUDA source a diagnostic belongs; file NULL when unknown. */
typedef struct { const char *file; uint32_t line, col; } Cuda_pos;

#define DIAG_NOWHERE UINT32_MAX /* as pos: no position in the PTX */

typedef struct Diags Diags;

Diags *diags_new(Source *src); /* src: the PTX that positions point into; may be NULL */
void diags_free(Diags *d);

/* Reports a diagnostic of a kind at byte pos of the source (or DIAG_NOWHERE) and, when known, at a
 * place in CUDA. */
void diag(Diags *d, Diag_kind kind, uint32_t pos, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
void diag_cuda(Diags *d, Diag_kind kind, Cuda_pos at, uint32_t pos, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
/* Adds a note to the diagnostic reported last. */
void diag_note(Diags *d, uint32_t pos, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* What is reported from here on has places in another text: the byte of the source that one of its
 * bytes comes from. NULL: it has not. */
typedef uint32_t Diag_origin(void *user, uint32_t pos);
void diags_through(Diags *d, Diag_origin *origin, void *user);

/* Forgets what was reported since diags_mark. */
uint32_t diags_mark(const Diags *d);
void diags_back(Diags *d, uint32_t mark);

/* What -W options say. */
typedef struct { Diag_level level[D_COUNT]; bool off[D_COUNT]; } Diag_settings;
Diag_settings diag_defaults(void);
/* Applies one -W option's text after "-W" ("no-NAME", "no-all", "error", "error=NAME", "NAME");
 * false if no kind has that name. */
bool diag_option(Diag_settings *s, const char *arg);
/* --strict: all warnings are errors but those that are hints about code that was transformed. */
void diag_strict(Diag_settings *s);
void diags_set(Diags *d, const Diag_settings *s); /* before the first diagnostic */
bool diags_option(Diags *d, const char *arg);

/* Where a place in the PTX is in the CUDA source. */
typedef struct {
	Cuda_pos at;            /* file NULL: not known */
	Cuda_pos caller;        /* where that code was inlined; file NULL: nowhere */
	const char *function;   /* whose code it is, in the PTX; NULL: no function's */
} Diag_place;
typedef Diag_place Diag_locate(void *user, uint32_t pos);
/* A CUDA source's text; NULL if it cannot be had. */
typedef const char *Diag_read(void *user, const char *file, size_t *len);
/* PTX: where CUDA is not known, never, always */
typedef enum { SHOW_UNKNOWN, SHOW_CUDA, SHOW_ALL } Diag_show;

/* How diagnostics are printed; none of it need be set. */
typedef struct {
	Diag_locate *locate; void *locator;
	Diag_read *read; void *reader;
	Diag_show show;
	bool color;
} Diag_style;
void diags_style(Diags *d, const Diag_style *s);
/* A line of the CUDA source, without its end; NULL if it cannot be had. */
const char *diag_line(const Diag_style *s, Cuda_pos at, size_t *len);
const char *diags_line(const Diags *d, Cuda_pos at, size_t *len);

/* errors reported, warnings turned into errors among them */
uint32_t diags_errors(const Diags *d);
uint32_t diags_warnings(const Diags *d);

/* What is said, and where. */
typedef struct {
	const char *text;
	uint32_t pos;           /* in the PTX, or DIAG_NOWHERE */
	Diag_place place;
} Diag_remark;

typedef struct {
	const char *name;       /* of its kind, for -W; "" for the count of further errors */
	Diag_level level;
	bool promoted;          /* a warning that -Werror or --strict made an error */
	const char *text;       /* the message alone */
	Cuda_pos cuda;
	uint32_t line, col;     /* in the PTX, from 1; 0: none */
	Diag_remark what;       /* the message, and the place at fault */
	Diag_remark *note; uint32_t nnotes;
	uint32_t copies;        /* of the place; what is shown is the first */
	/* the functions that they are in, if that tells something; "" if not */
	const char *instances;
	const char *notes;      /* their texts, each ending in a line end; "" if none */
	const char *printed;    /* all of it as a program prints it, with carets and notes */
} Diag;
typedef void Diag_visit(void *user, const Diag *g);
/* Visits all, sorted by position, at most 20 errors, and forgets them. What is visited lives as
 * long as d. */
void diags_each(Diags *d, Diag_visit *visit, void *user);
/* Adds what a program prints of a diagnostic (diag_print.c). src: the PTX, may be NULL. */
void diag_print(const Diag *g, const Diag_style *s, Source *src, Buf *to);
/* Prints all (console.c). */
void diags_print(Diags *d, FILE *to);

#endif
