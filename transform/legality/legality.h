/* SPDX-License-Identifier: MIT */
/* Whether a loop may be transformed, and what it must be warned of. */
#ifndef TRANSFORM_LEGALITY_LEGALITY_H
#define TRANSFORM_LEGALITY_LEGALITY_H

#include "transform/plan/passes.h"

/* Fills own and ways, by the parts. */
void plan_own(Plan *x);
/* Fills the part's scratch. */
Verdict part_legal(const Plan *x, Part *k);
Verdict own_legal(const Plan *x);
/* May other lanes run these blocks? scratch: thread-local memory that they name is theirs alone. */
Verdict blocks_legal(const Plan *x, Bits blocks, bool *scratch);
/* All three, for a plan of one part. */
Verdict plan_legal(Plan *x, Part *k);
/* In a jump: does what a task runs of the rest of the iteration keep its order with what stays?
 * (alias_warnings.c) */
Verdict plan_rest_order(const Plan *x, const Part *k);
/* Is it certain that what comes behind a path in its iteration could as well come before it?
 * (alias_warnings.c) */
Verdict plan_rest_apart(const Plan *x);
/* Adds to hints. */
void plan_hints(Plan *x);
/* May the module's target have any transformed loop? */
Verdict plan_target(const Plan *x);
/* May the loop be transformed? Fills own and ways; the own part is the loop without the plan's
 * parts, if it has any. */
Verdict plan_legal_bound(Plan *x);
/* Does the own part of later iterations read memory that the path writes? (alias_warnings.c) */
Verdict plan_reads_ahead(const Plan *x);
/* Is the loop left by what is known in time? (forward_progress.c) */
Verdict plan_ends(Plan *x);
/* Does a lane leave each loop that it executes, though other lanes wait? */
Verdict plan_waits_for_nobody(const Plan *x);
/* Whether no loop in the blocks, nor in a function that they call, polls memory. */
Verdict plan_polls_nothing(const Plan *x, Bits blocks);
/* Is it shown that the plan, which stands, changes no result, though nobody promises anything?
 * needs: what its pass needs promised
 * (proven.c)? */
Verdict plan_proven(const Plan *x, Promise needs);
/* Warns of loops that wait, inside the annotated one. */
void plan_spins(Plan *x);

#endif
