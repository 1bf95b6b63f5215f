/* SPDX-License-Identifier: MIT */
/* Branches and inner loops of a function without annotations that could be annotated, and the text
 * with such an annotation. */
#ifndef SUGGEST_CANDIDATE_H
#define SUGGEST_CANDIDATE_H

#include "analysis/dataflow/function.h"
#include "base/advice.h"
#include "base/annot.h"
#include "base/vec.h"
#include "suggest/executed.h"
#include "suggest/source_stmts.h"
#include "transform/text/edit.h"

/* Statements of the source, if they are known: that of the branch or loop and the part of it to
 * annotate; that of the enclosing loop; without such a loop, the kernel. */
typedef struct {
	const Source_stmt *site, *around, *kernel;
	Stmt_part part;
	const char *missing;    /* why there is no statement to annotate; NULL: there is one */
	bool tests_more;        /* the arm begins with another test of the same condition */
} Site_stmts;

typedef struct {
	const Fn *fn;
	Advice_kind kind;
	/* kind of annotation for the branch or inner loop: IF, FOR_VAR or WHILE; FOR: the loop
	 * itself, which lanes leave together */
	Annot_kind annot;
	uint32_t from;          /* block of the branch; block before the loop */
	uint32_t first;         /* first block of the arm; header of the loop */
	Bits blocks;            /* blocks of the arm or loop */
	/* DISTRIBUTE: the other arm's first block, and its blocks. The arms' markers have the
	 * numbers id and id + 1 */
	uint32_t first_other;
	Bits other;
	Bits exits;             /* FOR: the code of the loop's exits (exit_code.h) */
	bool reorders;          /* with a clause that allows floating-point sums to be reordered */
	bool proven;            /* with the clause `proven`: the annotation promises nothing */
	uint32_t loop;          /* the enclosing loop; 0: none. FOR: the loop itself */
	/* shares of the kernel's issue slots, by the model, or of the module's, as executed: of its
	 * blocks, and of the enclosing loop */
	double share, around;
	Diag_place at;          /* in the CUDA source, else in the PTX: of its statement if known */
	Cuda_pos marked;        /* the same, in its marker: that of its code if counts have that */
	Site_stmts in;          /* the statements to annotate */
	uint32_t id;            /* number of its marker; the enclosing loop's is one higher */
	uint32_t threshold;     /* PREDICT: number of lanes that wait for each other */
} Candidate;
typedef VEC(Candidate) Candidates;

/* Adds the function's candidates with a relevant share of its issue slots or, if it is known what
 * was executed, of the module's; costliest first. Returns false, and adds none, if its loops are
 * nested too deep. */
bool candidates_collect(const Fn *fn, const Executed *e, Arena *a, Candidates *to);
/* Returns the location of a statement in the CUDA source, or in the PTX if that is unknown. */
Diag_place candidate_place(const Fn *fn, uint32_t stmt);
/* Queues the edits that annotate n candidates of one function, without those that have an edge that
 * cannot have a marker. False, without edits: none is left. The column of a marker is the number of
 * the candidate's first block, so that the profile records of candidates in one line differ. */
bool candidates_annotate(const Candidate *c, uint32_t n, Edits *e);

#endif
