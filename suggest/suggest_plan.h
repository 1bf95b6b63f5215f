/* SPDX-License-Identifier: MIT */
/* Plans each candidate of a module (candidate.h) as if it were annotated. */
#ifndef SUGGEST_SUGGEST_PLAN_H
#define SUGGEST_SUGGEST_PLAN_H

#include "suggest/candidate.h"
#include "suggest/module_parts.h"
#include "transform/pipeline/pass.h"

/* The result for a candidate. */
typedef struct {
	const Candidate *c;
	Speedup gain;           /* gain of an iteration of the loop */
	double expected, least, most; /* speedup of the kernel */
	double share;
	bool done, known;       /* there is a plan; the result is known */
	uint32_t waits;         /* how many lanes the plan makes wait for each other; 0: none */
	bool ordered;           /* a better plan would reorder floating-point sums */
	const char *plan, *refused, *measured;
	const char *policy;     /* of the plan's first path, as an annotation names it */
	Report_profile profile; /* by which key a profile knows it, and its choice */
	Report_option *options; uint32_t noptions; /* the compared policies */
	Verdict why;            /* why there is no plan */
	/* with a profile: how many issue slots of warps it saves in the runs that were counted */
	double saved;
} Suggestion;

/* How candidates are annotated: with annotations that promise nothing, as arms to be melded, with
 * annotations that promise what their plans need. */
typedef enum { MELDED, PROVEN, PROMISED } Suggestion_sort;

typedef struct Suggestions Suggestions;
struct Suggestions {
	const Module *m;
	Pass_options opt;
	const Suggestions *like; /* has the found candidates and their tables; NULL: w itself */
	Source_stmts stmts;
	Module_parts parts;
	const Effects *effects;
	Suggestion_sort sort;
	Arena *arena, *tables;
	/* by Func, from first_found[f]: the candidates of all sorts */
	Candidates found;
	uint32_t *first_found;
	Candidates all;
	Executed executed;
	double *slots;          /* by Func: executed issue slots; NULL: unknown */
	Suggestion *of;         /* by candidate */
	uint32_t *first;        /* by Func: its first candidate; [nfuncs]: number of candidates */
	bool *deep;             /* by Func: its loops are nested too deep to be examined */
	/* restrict planning to predictions, or to candidates that may reorder sums */
	bool predicts, reorders;
	/* by candidate: what was planned without a promise. Restricts planning to those whose
	 * proof failed; NULL: no restriction */
	const Suggestion *unproven;
};

/* Plans each candidate of the functions without annotations separately. opt: as for a
 * transformation of the module. */
void suggestions_make(
	Suggestions *w, const Module *m, const Pass_options *opt, Suggestion_sort sort);
/* The same for the candidates of `like`, which must live longer. */
void suggestions_make_like(Suggestions *w, const Suggestions *like, const Pass_options *opt,
	Suggestion_sort sort);
/* Plans the candidates of the first n sorts by the text alone, whatever they gain; w[n]. */
void suggestions_make_unmeasured(
	Suggestions *w, uint32_t n, const Module *m, const Pass_options *opt);
/* Plans as PROMISED those candidates of `proven`, of sort PROVEN, that have no plan without a
 * promise. Others are not planned. */
void suggestions_make_promised(Suggestions *w, const Suggestions *proven);
/* Whether the proof failed: the reason is not its gain. */
bool suggestion_is_unproven(const Suggestion *s);
void suggestions_release(Suggestions *w);
/* Finds the candidates, or takes those of w->like. (suggest_collect.c) */
void suggestions_collect(Suggestions *w);
/* Finds the profile's counts of the candidate for that position. */
bool suggestions_find_counts(
	const Suggestions *w, const Candidate *c, Cuda_pos at, Execution_counts *f);
/* Returns the lowest number that is above those of the module's annotations. */
uint32_t candidates_first_id(const Module *m);
/* Whether the profile has counts of the function, but none at its branches and loops. */
bool suggestions_have_other_lines(const Suggestions *w, uint32_t func);
/* Plans all open candidates. */
void suggestions_plan(Suggestions *w);
/* Plans candidates that are not worth collecting once more as predictions, and keeps those results
 * that gain. (suggest_wait.c) */
void suggestions_plan_predictions(Suggestions *w);
/* Replaces the candidates from number `from` on by pairs of similar arms. (suggest_meld.c) */
void candidates_keep_melds(Candidates *of, uint32_t from);
/* Returns the policy to name, so that the annotated source gets the plan whose gain is printed;
 * NULL: it is the one that `auto` chooses, or the annotation implies one. unmeasured: what is
 * planned without the profile; NULL: there is none. (suggest_policy.c) */
const char *suggestion_policy_to_name(const Suggestion *r, const Suggestion *unmeasured);
/* Whether a has a plan, and a higher expected speedup than b. */
bool suggestion_is_better(const Suggestion *a, const Suggestion *b);

#endif
