/* SPDX-License-Identifier: MIT */
/* What --explain shows of a module. The passes fill it in (transform/output/explain.h), and
 * report/explain.c writes it as a page. Lines are numbered from 1. */
#ifndef BASE_EXPLAINED_H
#define BASE_EXPLAINED_H

#include "base/diag.h"
#include "base/vec.h"

/* A line of the output. */
typedef struct {
	uint32_t from;          /* line of the input that it is or copies; 0: it is new */
	uint32_t at;            /* line of the input at which it is */
	const char *by;         /* template line, "collect.tpl:57 C5, C6"; NULL: none */
} Explained_line;

/* Code of a site that has a role in the plan. */
typedef struct {
	const char *role;       /* "loop", "path" */
	const char *text;       /* a sentence about it */
	/* lines of the input; positions in the text that the passes read, until explain_finish */
	VEC(uint32_t) lines;
} Explained_region;

typedef struct {
	uint32_t func;          /* Func index */
	Cuda_pos at;            /* of the annotation */
	VEC(Explained_region) regions;
	const char *plan;       /* the dump of the plan (plan_dump) */
} Explained_site;

/* A function with a site, in the order of the text. */
typedef struct {
	const char *name;       /* in the PTX */
	uint32_t func;          /* Func index */
	uint32_t first, last;   /* its lines in the input */
} Explained_func;

typedef struct {
	bool cites;             /* comments name the sources of new lines while sites are written */
	VEC(Explained_site) sites;
	VEC(Explained_func) funcs;
	VEC(Explained_line) lines; /* of the output */
	const char *in, *out; size_t in_len, out_len; /* the texts */
} Explained;

#endif
