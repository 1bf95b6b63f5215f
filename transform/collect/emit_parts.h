/* SPDX-License-Identifier: MIT */
/* Interface between the emitters of a collected loop. */
#ifndef TRANSFORM_COLLECT_EMIT_PARTS_H
#define TRANSFORM_COLLECT_EMIT_PARTS_H

#include "transform/emit/emit.h"

/* Makes a part the current one: names in the template refer to it from here on. */
void emit_take(Emit *e, uint32_t part);
/* Whether the branch at the end of block b leaves the loop, and continues at `next` otherwise.
 * Sets `out` to its target (0: the thread ends), and `negated` if the lane stays when the
 * branch's predicate is false. */
bool emit_leaves(const Emit *e, uint32_t b, uint32_t next, uint32_t *out, bool *negated);
/* Pieces of a single part (emit_path.c). */
Tpl_piece part_registers, part_blocks, part_slice, part_behind_path, part_prefix, part_to_branch,
	part_to_header, part_compute, part_path, part_first_vote, part_next_vote,
	part_first_run;
/* Parts with a shared vote (emit_shared_vote.c): emits the vote with the executions of all
 * paths; returns Emit.alike; copies a lane's own context to the registers of its pending task;
 * pushes pending tasks to their paths' rows. */
void emit_group(Emit *e);
uint32_t group_alike(const Plan *x);
Tpl_piece group_take_own, group_push;
/* Lane invariants (emit_lane_invariants.c). */
Tpl_piece kept_mine;        /* addresses of the lane's own slots, into %~of1 .. %~of16 */
Tpl_piece kept_store;       /* stores the lane's own values */
/* addresses of the slots of lane %^owner, for the widths that the task uses */
Tpl_piece kept_owners;
Tpl_piece kept_load;        /* loads the values that the task reads, on all lanes that reach it */

/* Inner loops that are expanded in the paths (emit_nested_rows.c). emit_rows_tell() sets the
 * values common to all; emit_rows_come() emits the code that replaces the inner loop;
 * emit_rows() emits the code that follows the blocks before it. */
void emit_rows_tell(Emit *e);
void emit_rows_come(Emit *e, const Part *rows);
void emit_rows(Emit *e, const Part *rows);
/* Whether the copy for full warps drains the tasks that are left at the end. */
bool emit_drains_itself(const Plan *x);

#endif
