/* SPDX-License-Identifier: MIT */
/* What would become of each candidate of a module (candidate.h), if somebody annotated it. */
#ifndef SUGGEST_SUGGEST_PLAN_H
#define SUGGEST_SUGGEST_PLAN_H

#include "suggest/candidate.h"
#include "transform/pipeline/pass.h"

/* What came of a candidate. */
typedef struct {
	const Candidate *c;
	Gain gain;              /* of an iteration of the loop */
	double expected, least, most; /* of the kernel */
	double share;
	bool done, known;       /* there is a plan; it, or why there is none, is known */
	bool waits;             /* by it lanes wait for each other */
	bool ordered;           /* a better one would need another order of sums */
	const char *plan, *refused, *measured;
} Suggestion;

typedef struct {
	const Module *m;
	Pass_options opt;
	Profile places;         /* the options' profile, asked by place */
	Arena *arena, *tables;
	Candidates all;
	Suggestion *of;         /* by candidate */
	uint32_t *first;        /* by Func: its first candidate; [nfuncs]: how many there are */
	bool *deep;             /* by Func: its loops are nested too deep to look for any */
	/* those are planned that are predictions, or that may change the order of sums */
	bool predicts, reorders;
} Suggestions;

/* Plans each candidate of the functions without annotations, by itself. proven: by an annotation
 * that promises nothing. opt: as the module would be transformed. */
void suggestions_make(Suggestions *w, const Module *m, const Pass_options *opt, bool proven);
void suggestions_release(Suggestions *w);
/* Plans them; and what is expected of the kernel by what an iteration gains. */
void suggestions_plan(Suggestions *w);
void suggestion_expect(Suggestion *r);
/* Plans what is not worth collecting once more, as a prediction, and keeps that where it is worth
 * it. (suggest_wait.c) */
void suggestions_predict(Suggestions *w);
/* Is there a plan, and is more expected of it than of the other? */
bool suggestion_better(const Suggestion *a, const Suggestion *b);

#endif
