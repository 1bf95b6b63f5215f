/* SPDX-License-Identifier: MIT */
/* What came of the annotations, for readers outside: a unit is a PTX module, that is a source for
 * one architecture. Made by lib/describe.c, kept as records while a build goes on, written as text,
 * JSON, SARIF, LLVM remarks and HTML.
 */
#ifndef REPORT_UNIT_H
#define REPORT_UNIT_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/diag.h"
#include "base/vec.h"

typedef struct {
	const char *reg, *type; /* register as the PTX names it; "b32" */
	uint32_t bytes;
	Cuda_pos at;            /* where it is computed; file NULL: not known */
} Unit_value;

typedef struct { const char *text; Cuda_pos at; } Unit_note;

/* A policy that a site could have: issue slots of an iteration, and what it is worth, in
 * hundredths. */
typedef struct {
	const char *policy;     /* "queue(4)" */
	uint32_t before, after; /* after 0: nothing is known of it */
	uint32_t worth, least, most;
	bool measured;          /* by a profile */
} Unit_option;

/* A path that is collected, a loop that is not, or a branch. All members of text may be NULL, all
 * places unknown. */
typedef struct {
#define TEXT(member, ...) const char *member;
#define PLACE(member, ...) Cuda_pos member;
#define FLAG(member, ...) bool member;
#define NUMBER(member, ...) uint32_t member;
#include "report/site.def"
	VEC(Unit_value) context;
	VEC(Unit_value) kept;   /* by each lane, for its tasks */
	VEC(Unit_value) results; /* that come back, of a remapped branch */
	VEC(Unit_option) options; /* of a site whose policy is open */
	VEC(Unit_note) notes;   /* further places of the reason: "computed here" */
} Unit_site;

typedef struct {
	/* as the compiler was told its name; of a module alone, the module's */
	const char *source;
	/* where the compiler ran: names of files are relative to it; NULL: not known */
	const char *folder;
	const char *arch;       /* "sm_90" */
	VEC(Unit_site) sites;
} Unit;

typedef VEC(Unit) Units;

void units_release(Units *u); /* the lists; texts live where they were made */
void unit_site_release(Unit_site *s);

/* Records: lines that unit_read reads. Texts of what was read live in the arena. False: they are
 * none. */
void unit_write(const Unit *u, Buf *out);
bool unit_read(const char *records, Arena *a, Unit *u);

/* ---- formats --------------------------------------------------------------------------------- */

/* A CUDA source's text; NULL if it cannot be had. */
typedef const char *Unit_source(void *user, const char *file, size_t *len);

typedef struct {
	const Units *units;
	const char *version;    /* of ptxccc */
	Unit_source *read; void *reader; /* read NULL: no sources are shown */
} Units_report;

void units_text(const Units_report *r, Buf *out);
void units_json(const Units_report *r, Buf *out);
void units_sarif(const Units_report *r, Buf *out);
void units_remarks(const Units_report *r, Buf *out); /* LLVM's, as YAML */
void units_html(const Units_report *r, Buf *out);

/* Of one unit, as ptxccc --report prints it. */
void unit_text(const Unit *u, Buf *out);
void unit_json(const Unit *u, Buf *out);

typedef void Units_format(const Units_report *r, Buf *out);
/* The format that a file's name asks for by its ending (.txt .json .sarif .opt.yaml .html); NULL:
 * none. */
Units_format *units_format(const char *file);

/* ---- for the formats ------------------------------------------------------------------------- */

void json_string(Buf *out, const char *s);
void json_site(const Unit_site *s, Buf *out); /* its members, without the braces */
/* One line that says what came of a site: "transformed, policy stack: 4 bytes a task, ..."; "left
 * as it was: ...". */
void site_line(const Unit_site *s, Buf *out);
/* What it is expected to gain, "1.35x (24 issue slots an iteration instead of 32; 0.90x to 1.80x by
 * how many lanes need it)"; nothing where that is not known. */
void site_gain(const Unit_site *s, Buf *out);
/* Where it is: the path's annotation, else the loop's. */
Cuda_pos site_place(const Unit_site *s);

#endif
