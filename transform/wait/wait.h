/* SPDX-License-Identifier: MIT */
/* What must hold of plans that move nothing between lanes (docs/design.md 6.12), and what is only
 * warned of. */
#ifndef TRANSFORM_WAIT_WAIT_H
#define TRANSFORM_WAIT_WAIT_H

#include "transform/plan/plan.h"

/* The inner loop at which `flatten` has lanes meet: the costliest that is annotated. */
static inline uint32_t
bound_inner(const Plan *x)
{
	return x->site->rounds[0]->loop;
}
/* Fills stops, where there are more than one: the statements and inner loops at each of which
 * lanes wait until so many do. (predicted_wait_points.c) */
void plan_stops(Plan *x);
/* Fills the places that belong to them. */
Verdict plan_stop_places(Plan *x);
/* The block behind an inner loop where most ways out of it lead; 0: there is none. */
uint32_t bound_behind(const Plan *x, uint32_t loop);
/* The number of lanes that the annotation of a stop names. */
uint32_t bound_least(const Plan *x, const Region *r);
/* Does a lane that goes along the edge come to a place where lanes stand? (wait_points.c) */
bool bound_stands(const Plan *x, uint32_t from, uint32_t to);
/* Fills bound.first and later. */
void plan_first(Plan *x);
/* May lanes look ahead: run the own part of later iterations, and run it again? Fills bound.counts
 * and looks (lookahead_legality.c). */
Verdict plan_ahead(Plan *x);
/* May lanes run each other's iterations? Fills bound.pool (dynamic_assignment.c). */
Verdict plan_pool(Plan *x);
/* Lanes without an iteration draw when this is used up: at each meeting by what a round counts,
 * less those that are in. start 0: at once. */
typedef struct { uint32_t start, round; } Patience;
/* So many iterations of an inner loop between two meetings. */
uint32_t bound_steps(const Plan *x);
Patience bound_patience(const Plan *x);
/* May a lane's iterations change places, by the side of the branch that they take? (unify.c) */
Verdict plan_unify(const Plan *x);
/* How do they? Fills bound.group, held, straight and gathers (lookahead_copies.c). */
void plan_looks(Plan *x);
/* Does the own part read none that the path writes, thread-local memory included? What
 * 'independent' promises of later iterations alone. */
Verdict plan_memory_apart(const Plan *x);
/* Where do lanes of a bound plan wait, and by which rule do they go on? Fills bound's stops and
 * places. (wait_points.c) */
Verdict plan_places(Plan *x);

#endif
