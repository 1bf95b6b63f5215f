/* SPDX-License-Identifier: MIT */
/* `#pragma ccc distribute`: the arms of an `if`/`else` are melded (meld.h). */
#ifndef TRANSFORM_REWRITE_DISTRIBUTE_H
#define TRANSFORM_REWRITE_DISTRIBUTE_H

#include "base/verdict.h"
#include "transform/plan/options.h"

/* Result of melding two arms. */
typedef struct {
	/* module indexes: the function, the arms' begin markers */
	uint32_t func, marker[2];
	/* instructions of the arms, and how many of them are emitted once for both */
	uint32_t total, both;
	uint64_t before, after;         /* issue slots of a warp with lanes in both */
	double saved;                   /* issue slots saved in a profile's runs; 0: unknown */
	/* the first marker's statement, which contains both now, is annotated for a further call:
	 * a later outcome is that of its annotation */
	bool open;
	Verdict why;                    /* why they were not melded */
} Meld_outcome;
typedef VEC(Meld_outcome) Meld_outcomes;

/* Queues the edits that meld annotated arms, innermost first. The caller parses the resulting
 * text and calls again. Returns false if there is nothing to meld. Reports the melded arms in
 * `told` or, if there were none, the refused ones; texts are allocated in the arena. */
bool distribute_run(
	const Module *m, const Pass_options *opt, Arena *a, Meld_outcomes *told, Edits *e);

/* Whether the text that melds n outcomes, from k on, does what the one before does, as far as that
 * can be shown (validate_arms). Otherwise those of the first function for which it cannot are
 * refused, with texts in the arena. */
bool melded_text_is_valid(
	const Module *before, const Module *after, Meld_outcome *k, uint32_t n, Arena *a);

#endif
