/* SPDX-License-Identifier: MIT */
/* What was transformed and what was not: for --report and --list. */
#ifndef TRANSFORM_REPORT_H
#define TRANSFORM_REPORT_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/vec.h"
#include "parser/ptx.h"

typedef struct {
	char name[40];          /* register as the PTX names it, cut if longer */
	const char *type;       /* "b32" */
	uint32_t bytes;         /* a task; 0 for a predicate, which takes a bit */
} Report_value;

typedef struct {
	uint32_t func;          /* Func index */
	uint32_t marker;        /* the loop's begin marker: index in Module.markers */
	Cuda_pos loop;          /* the `for` annotation */
	Cuda_pos path;          /* the path's; file NULL when there is none */
	bool done;              /* transformed */
	const char *policy;     /* "stack" */
	bool lockstep;          /* lanes walk through the loop together, not apart (step.c) */
	Report_value *context; uint32_t ncontext;
	uint32_t context_bytes; /* a task */
	uint32_t shared;        /* bytes a block */
	uint32_t threads;       /* largest block that takes the transformed loop */
	uint32_t recomputed;    /* instructions computed again at the entry */
	uint32_t owner_slice;   /* instructions of the path that the owner runs for itself */
	uint32_t reductions;    /* registers that the path only folds into, with a slot for each lane */
	char *refused;          /* why not, in the arena; NULL when done */
	uint32_t *followed; uint32_t nfollowed; /* begin markers that the plan acts on: indexes in Module.markers */
} Report_site;

typedef struct {
	Arena *arena;           /* of the strings and lists above */
	VEC(Report_site) sites;
	VEC(uint32_t) met;      /* begin markers of annotations: indexes in Module.markers */
} Report;

/* An annotation, all copies of it together. */
typedef struct {
	uint32_t number;        /* as its markers have it */
	Cuda_pos at;
	uint32_t copies, followed;
} Report_annotation;

void report_init(Report *r);

void report_release(Report *r);
void report_text(const Report *r, const Module *m, Buf *out);
/* The annotations met, by their numbers; in arena a. */
Report_annotation *report_annotations(const Report *r, const Module *m, Arena *a, uint32_t *n);
void report_json(const Report *r, const Module *m, const char *file, Buf *out);

#endif
