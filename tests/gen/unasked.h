/* SPDX-License-Identifier: MIT */
/* Transforms a kernel without annotations at places that it selects, as `cccnvcc --ccc-auto` and
 * `ptxccc --auto` do: with annotations that promise nothing (clause `proven`), whatever their
 * expected speedup. */
#ifndef GEN_UNASKED_H
#define GEN_UNASKED_H

#include "transform/pipeline/pipeline.h"

/* Texts of one kernel: annotated at random places, and one by `ptxccc --auto`. */
enum { UNASKED_TRIES = 3, UNASKED_BY_AUTO = 2 };

typedef struct {
	uint64_t policies[POLICY_COUNT]; /* transformed sites */
	uint64_t task_loops;             /* those of them that are the kernel's task loop */
	uint64_t melds;                  /* branches of which both arms were melded */
	uint64_t sites;                  /* all that were annotated */
	uint64_t texts;                  /* that were transformed */
	uint64_t kernels;                /* with such a text */
	bool fault;                      /* the validator refused a text */
} Unasked;

void unasked_add(Unasked *to, const Unasked *u);
void unasked_print(const Unasked *u, uint64_t kernels);

/* Annotates random places of the module, which has no annotations. Returns false if there are none
 * to annotate. */
bool unasked_annotate(const Module *m, uint64_t *state, Buf *out);
/* Transforms an annotated text by one policy after another until one of them changes something.
 * Returns false if none does, or on errors (`why`). */
bool unasked_transform(const Module *m, const Pass_options *opt, uint64_t *state, Unasked *sum,
	Buf *out, Buf *why);

/* Transforms a module without annotations as `ptxccc --auto --choose=always` does. Returns false as
 * unasked_transform() does. */
bool unasked_auto(const Module *m, const Pass_options *opt, uint64_t *state, Unasked *sum, Buf *out,
	Buf *why);

#endif
