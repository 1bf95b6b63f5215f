/* SPDX-License-Identifier: MIT */
/* A context: what ptxccc.c and options.c know of it. */
#ifndef LIB_CONTEXT_H
#define LIB_CONTEXT_H

#include "base/heap.h"
#include "lib/describe.h"
#include "lib/ptxccc.h"
#include "transform/pipeline/output.h"
#include "suggest/suggest.h"

typedef VEC(ptxccc_diagnostic) Told;

/* A text as it was given: a profile's, or PTX. */
typedef struct Given Given;
struct Given { Given *before; size_t len; char *text; char name[]; };

struct ptxccc {
	Heap heap;              /* the last job's */
	Diag_settings warnings;
	Pass_options pass;
	Diag_style style;
	bool strip_lines;
	bool switchable;        /* kernels as they were stand beside the transformed ones */
	Given *switched;        /* names of kernels of which that is asked in any case */
	ptxccc_diagnose *diagnose;
	void *user;
	ptxccc_assemble *assemble;
	void *assemble_user;
	uint32_t guards;        /* numbers that annotated texts took */

	Given *profiles;        /* the one given last */
	Suggest *suggest;       /* what is worth an annotation is told; NULL: is not */
	bool generates;         /* what is made counts, and is not transformed */
	Given *generates_to;    /* the name of the file that the program writes; NULL: the usual */
	Given *plain;           /* the PTX without annotations; NULL: not given */

	bool done;              /* the last job came to its end: what follows holds */
	Told told;
	uint32_t errors;
	Buf text;
	/* What the reports say, which are written when they are asked for; it points to the
	 * module. */
	Unit unit;
	bool described;
	Buf report[PTXCCC_SUGGESTIONS + 1]; /* by ptxccc_format */
	ptxccc_site *sites;
	uint32_t nsites;
	ptxccc_annotation *annotations;
	uint32_t nannotations;
	char message[240];
};

/* Keeps the message; gives the status. */
__attribute__((format(printf, 3, 4)))
ptxccc_status context_fail(ptxccc *c, ptxccc_status status, const char *fmt, ...);

#endif
