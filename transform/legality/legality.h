/* SPDX-License-Identifier: MIT */
/* Whether a loop may be transformed, and which warnings it needs. */
#ifndef TRANSFORM_LEGALITY_LEGALITY_H
#define TRANSFORM_LEGALITY_LEGALITY_H

#include "transform/plan/passes.h"

/* Computes the blocks of the common code and its exit edges, given the task regions. */
void plan_common_code(Plan *x);
/* Whether other lanes may run the region's path. Sets k->scratch. common_code_check_legal: whether
 * the common code may be copied. */
Verdict task_region_check_legal(const Plan *x, Task_region *k);
Verdict common_code_check_legal(const Plan *x);
/* Whether other lanes may run these blocks. *scratch: whether the thread-local memory that they
 * name is used by them alone. */
Verdict blocks_check_legal(const Plan *x, Bits blocks, bool *scratch);
/* All of the above for a plan with one task region. */
Verdict plan_check_legal(Plan *x, Task_region *k);
/* With tail capture: whether the rest of the iteration that a task runs keeps its order with what
 * the owner runs (alias_warnings.c). */
Verdict plan_check_rest_order(const Plan *x, const Task_region *k);
/* Whether the code after a path in its iteration provably commutes with the path
 * (alias_warnings.c). */
Verdict plan_check_rest_disjoint(const Plan *x);
/* Adds warnings about memory order and forward progress. */
void plan_warn_hazards(Plan *x);
/* Adds warnings about iterations that may depend on each other through memory
 * (promise_warnings.c). */
void plan_warn_promise(Plan *x);
/* Whether the module's target supports transformed loops. */
Verdict plan_check_target(const Plan *x);
/* Whether a waiting policy may transform the loop. Computes the common code, which excludes the
 * plan's task regions, and its exit edges. */
Verdict plan_check_waiting(Plan *x);
/* Whether the common code of later iterations reads no memory that a path writes
 * (alias_warnings.c). */
Verdict plan_check_reads_ahead(const Plan *x);
/* Whether the exit of the loop does not depend on memory that is written late
 * (forward_progress.c). */
Verdict plan_check_exit_in_time(Plan *x);
/* Whether a lane leaves every loop that it executes without the progress of other lanes. */
Verdict plan_check_forward_progress(const Plan *x);
/* Whether lanes reach the loop together, by a barrier if need be, or meet nothing in it that lets
 * machine code separate them (lane_groups.c). Sets common.gathers. */
Verdict plan_check_groups(Plan *x);
/* Whether lanes execute the block between the begin marker and the end of the loop. */
bool plan_block_is_executed(const Plan *x, uint32_t b);
/* Whether no loop in the blocks, nor in a function that they call, polls memory. */
Verdict plan_polls_nothing(const Plan *x, Bits blocks);
/* Whether all threads of the thread block execute the block, equally often (block_barriers.c). */
bool plan_threads_arrive_together(const Plan *x, uint32_t block);
/* Refuses barriers of the program that may conflict with emitted ones. before: the blocks that
 * reach these; meanwhile: those that some threads may execute while others wait there. */
Verdict plan_check_block_barriers(const Plan *x, Bits before, Bits meanwhile);
/* Whether an accepted plan provably changes no result, although the annotation promises nothing.
 * needs: what the pass requires (proven.c). */
Verdict plan_check_proven(const Plan *x, Promise needs);
/* Adds warnings about polling loops inside the annotated one. */
void plan_warn_spin_loops(Plan *x);

#endif
