/* SPDX-License-Identifier: MIT */
/* Branches and inner loops of a function without annotations that somebody could annotate, and the
 * text in which one of them is. */
#ifndef SUGGEST_CANDIDATE_H
#define SUGGEST_CANDIDATE_H

#include "analysis/dataflow/function.h"
#include "base/advice.h"
#include "base/annot.h"
#include "base/vec.h"
#include "transform/text/edit.h"

typedef struct {
	const Fn *fn;
	Advice_kind kind;
	Annot_kind annot;       /* of the branch or inner loop: IF, FOR_VAR or WHILE */
	uint32_t from;          /* the block with the branch; in front of the loop */
	uint32_t first;         /* where the arm begins; the loop's header */
	Bits blocks;            /* of the arm, or of the loop */
	bool reorders;          /* floating-point sums may change their order: a clause says so */
	bool proven;            /* the annotation promises nothing: a clause says so */
	uint32_t loop;          /* around it; 0: none */
	/* parts of the kernel's issue slots, by the model: of its blocks, and of the loop around
	 * it */
	double share, around;
	Diag_place at;          /* of the CUDA source, else of the PTX */
	uint32_t id;            /* of its marker; that of the loop around it is one more */
} Candidate;
typedef VEC(Candidate) Candidates;

/* Adds those of the function of which a part of the issue slots is worth telling, costliest
 * first. False: its loops are nested too deep, and none is added. */
bool candidates_find(const Fn *fn, Arena *a, Candidates *to);
/* Where a statement is in the CUDA source; where that is not known, in the PTX. */
Diag_place candidate_place(const Fn *fn, uint32_t stmt);
/* Of a prediction: how many lanes wait there for each other. */
uint32_t candidate_threshold(const Candidate *c);
/* Queues the edits by which the candidate is annotated. False: its edges cannot be told apart, and
 * nothing was queued. */
bool candidate_put(const Candidate *c, Edits *e);

#endif
