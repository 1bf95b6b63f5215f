/* SPDX-License-Identifier: MIT */
/* Legality and planning of waiting policies, which move no work between lanes
 * (docs/design.md 6.12). */
#ifndef TRANSFORM_WAIT_WAIT_H
#define TRANSFORM_WAIT_WAIT_H

#include "transform/plan/passes.h"

/* Returns the inner loop at which `flatten` makes lanes wait: the costliest annotated one. */
static inline uint32_t
wait_inner_loop(const Plan *x)
{
	return x->site->inner_loops[0]->loop;
}
/* Fills in wait.predicted: the statements and inner loops of a `wait` annotation at which lanes
 * wait (predicted_wait_points.c). */
void plan_predicted_regions(Plan *x);
/* Fills in the wait points of the predicted regions. */
Verdict plan_predicted_wait_points(Plan *x);
/* Returns the block after an inner loop that most of its exit edges lead to; 0 if there is none. */
uint32_t wait_inner_loop_exit(const Plan *x, uint32_t loop);
/* Returns the number of lanes for which lanes wait before a predicted region, by its annotation. */
uint32_t wait_region_threshold(const Plan *x, const Region *r);
/* Whether the edge leads to a wait point (wait_points.c). */
bool edge_reaches_wait_point(const Plan *x, uint32_t from, uint32_t to);
/* Fills in wait.first_blocks and wait.round_blocks. */
void plan_first_blocks(Plan *x);
/* Whether lanes may look ahead, that is, execute the common code of later iterations early and
 * repeat it. Fills in lookahead.counts and lookahead.copied (lookahead_legality.c). */
Verdict plan_check_lookahead(Plan *x);
/* Whether lanes may execute each other's iterations. Fills in wait.pool (dynamic_assignment.c). */
Verdict plan_iteration_pool(Plan *x, const Shared_budget *budget);
/* Whether lanes may execute iterations of other warps. Finds the induction variables, and adds what
 * lanes need to compute them to an iteration's live-ins and definitions (block_pool.c). */
Verdict plan_block_counts(Plan *x, Iteration_pool *p, Bits in, Bits defined);
/* Lays out the block's shared memory. */
Verdict plan_block_memory(Plan *x, Iteration_pool *p, const Shared_budget *budget);
/* Whether the register is an induction variable of the loop. Adds what an iteration adds to it to
 * lookahead.counts (lookahead_legality.c). */
bool plan_find_loop_counter(Plan *x, uint32_t sym);
/* Delay of an iteration draw while lanes are idle. A counter begins with `start`, and each round
 * subtracts `round` minus the number of lanes that have an iteration. Lanes draw when the counter
 * is used up; start 0: at once. */
typedef struct { uint32_t start, round; } Draw_threshold;
/* Returns the number of iterations of an inner loop between two votes. */
uint32_t wait_inner_steps(const Plan *x);
Draw_threshold wait_draw_threshold(const Plan *x);
/* Finds the common statements that only selected iterations execute, since each iteration is
 * selected. Fills in lookahead.late (late_statements.c). */
void plan_late_statements(Plan *x);
/* Whether a lane's iterations may be reordered by the arm that they take (unify.c). */
Verdict plan_check_unify(const Plan *x);
/* Selects the form of the look-ahead iterations. Fills in lookahead.group_size, known_trips,
 * path_alone and meets_before_run (lookahead_copies.c). */
void plan_lookahead_copies(Plan *x);
/* Whether the common code reads no memory, thread-local memory included, that the path writes.
 * `independent` promises this for later iterations only. */
Verdict plan_check_memory_disjoint(const Plan *x);
/* Selects the wait points and the release rule of a waiting policy. Fills in wait.predicted and
 * wait.points (wait_points.c). */
Verdict plan_wait_points(Plan *x);

#endif
