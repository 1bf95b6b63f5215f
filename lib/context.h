/* SPDX-License-Identifier: MIT */
/* The members of a context, for ptxccc.c and options.c. */
#ifndef LIB_CONTEXT_H
#define LIB_CONTEXT_H

#include "base/heap.h"
#include "lib/describe.h"
#include "lib/ptxccc.h"
#include "transform/pipeline/pipeline.h"
#include "suggest/suggest.h"

typedef VEC(ptxccc_diagnostic) Told_diagnostics;

/* A text supplied by the caller: a profile or PTX. */
typedef struct Given_text Given_text;
struct Given_text { Given_text *before; size_t len; char *text; char name[]; };

/* What the last job produced, in the context's heap. */
typedef struct {
	bool done;              /* the job succeeded: the members below are valid */
	Told_diagnostics told;
	uint32_t errors;
	Buf text;
	/* Input of the reports, which are formatted on demand; points into the module. */
	Unit unit;
	bool described;
	Buf report[PTXCCC_EXPLANATION + 1]; /* by ptxccc_format */
	Explained explained;
	ptxccc_site *sites;
	uint32_t nsites;
	ptxccc_annotation *annotations;
	uint32_t nannotations;
} Job_results;

struct ptxccc {
	Heap heap;              /* of the last job */
	Diag_settings warnings;
	Pass_options pass;
	Diag_style style;
	bool strip_lines;
	bool switchable;        /* originals of kernels are kept next to the transformed ones */
	Given_text *switched;   /* names of kernels whose originals are kept in any case */
	ptxccc_diagnose *diagnose;
	void *user;
	ptxccc_assemble *assemble;
	void *assemble_user;
	ptxccc_machine_code *machine_code;
	uint32_t guards;        /* guard numbers used by annotated texts so far */

	Given_text *profiles;   /* the most recent one */
	Suggest *suggest;       /* collects suggestions; NULL if not requested */
	bool automatic;         /* --auto */
	bool other_assembler;   /* --other-assembler */
	bool generates;         /* code is instrumented with counters instead of transformed */
	/* name of the file that the program writes; NULL for the default */
	Given_text *generates_to;
	Given_text *plain;      /* the PTX without annotations; NULL if not supplied */

	Job_results last;
	bool explains;          /* --explain */
	char message[240];
};

/* Stores the message and returns the status. */
__attribute__((format(printf, 3, 4)))
ptxccc_status context_fail(ptxccc *c, ptxccc_status status, const char *fmt, ...);

#endif
