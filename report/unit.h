/* SPDX-License-Identifier: MIT */
/* What became of the annotations: the input of all report formats. A unit is a PTX module, i.e.
 * a source compiled for one architecture. lib/describe.c makes units; during a build they are
 * stored as records; they are written as text, JSON, SARIF, LLVM remarks and HTML. */
#ifndef REPORT_UNIT_H
#define REPORT_UNIT_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/diag.h"
#include "base/vec.h"

typedef struct {
	const char *reg, *type; /* register name in the PTX; "b32" */
	uint32_t bytes;
	Cuda_pos at;            /* where it is computed; file NULL if unknown */
} Unit_value;
/* Whether the register names the value, one of n whose line is unknown: not if lines of others are
 * known, because then the source is CUDA, unless it is a special register. */
bool unit_value_has_name(const Unit_value *v, const Unit_value *all, uint32_t n);

typedef struct { const char *text; Cuda_pos at; } Unit_note;

/* A candidate policy of a site: issue slots per iteration, and the expected speedup in
 * hundredths. */
typedef struct {
	const char *policy;     /* "queue(4)" */
	uint32_t before, after; /* after is 0 if unknown */
	uint32_t worth, least, most;
	bool measured;          /* from a profile */
} Unit_option;

/* A task region or branch, transformed or not. All strings may be NULL, all places unknown. */
typedef struct {
#define TEXT(member, ...) const char *member;
#define PLACE(member, ...) Cuda_pos member;
#define FLAG(member, ...) bool member;
#define NUMBER(member, ...) uint32_t member;
#include "report/site.def"
	VEC(Unit_value) context;
	VEC(Unit_value) kept;   /* lane invariants */
	VEC(Unit_value) results; /* results that a remapped branch returns */
	VEC(Unit_option) options; /* of a site with a choice of policies */
	VEC(Unit_note) notes;   /* further places that explain the reason: "computed here" */
} Unit_site;

typedef struct {
	/* name as given to the compiler; of a lone module, the module's */
	const char *source;
	/* working directory of the compiler, the base of relative file names; NULL if unknown */
	const char *folder;
	const char *arch;       /* "sm_90" */
	VEC(Unit_site) sites;
} Unit;

typedef VEC(Unit) Units;

void units_release(Units *u); /* frees the lists; strings are not owned */
void unit_site_release(Unit_site *s);

/* Returns the number of sites of one annotation in a function that have the same outcome: both arms
 * of an if, and copies by unrolling or inlining. Returns 0 if the site is not the first of them. */
uint32_t unit_copies(const Unit *u, uint32_t site);

/* Write and read records, a line-based format. Strings that were read are in the arena.
 * unit_read returns false if the text is not valid. */
void unit_write(const Unit *u, Buf *out);
bool unit_read(const char *records, Arena *a, Unit *u);

/* ---- formats --------------------------------------------------------------------------------- */

/* Returns the text of a CUDA source; NULL if it is unavailable. */
typedef const char *Unit_source(void *user, const char *file, size_t *len);

typedef struct {
	const Units *units;
	const char *version;    /* of ptxccc */
	Unit_source *read; void *reader; /* read NULL: shows no sources */
} Units_report;

void units_text(const Units_report *r, Buf *out);
void units_json(const Units_report *r, Buf *out);
void units_sarif(const Units_report *r, Buf *out);
void units_remarks(const Units_report *r, Buf *out); /* LLVM optimization remarks, as YAML */
void units_html(const Units_report *r, Buf *out);

/* One unit, as ptxccc --report prints it. */
void unit_text(const Unit *u, Buf *out);
void unit_json(const Unit *u, Buf *out);

typedef void Units_format(const Units_report *r, Buf *out);
/* Returns the format for a file name's extension (.txt .json .sarif .opt.yaml .html); NULL if
 * there is none. */
Units_format *units_format(const char *file);

/* ---- for the formats ------------------------------------------------------------------------- */

void json_string(Buf *out, const char *s);
void json_site(const Unit_site *s, Buf *out); /* writes its members, without the braces */
/* Writes one line about the outcome of a site: "transformed, policy stack: 4 bytes per task,
 * ..."; "left unchanged: ...". */
void site_line(const Unit_site *s, Buf *out);
/* Writes the expected speedup, "1.35x (24 issue slots per iteration instead of 32; ...)";
 * nothing if it is unknown. */
void site_gain(const Unit_site *s, Buf *out);
/* Writes the outcome of a site and its details, as HTML. arch: "sm_90"; NULL: unknown. */
void html_site(const Unit_site *s, const char *arch, Buf *out);
/* Returns the place of the path's annotation, else of the loop's. */
Cuda_pos site_place(const Unit_site *s);

#endif
