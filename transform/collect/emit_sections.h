/* SPDX-License-Identifier: MIT */
/* Interface between the emitters of a collected loop. */
#ifndef TRANSFORM_COLLECT_EMIT_PARTS_H
#define TRANSFORM_COLLECT_EMIT_PARTS_H

#include "transform/emit/emit.h"

/* Makes a region the current one: names in the template refer to it from here on. */
void emit_select_region(Emit *e, uint32_t number);
/* Whether the branch at the end of block b leaves the loop, and continues at `next` otherwise.
 * Sets `out` to its target (0: the thread ends), and `negated` if the lane stays when the
 * branch's predicate is false. */
bool emit_branch_exits_loop(const Emit *e, uint32_t b, uint32_t next, uint32_t *out, bool *negated);
/* Pieces of a single region (emit_path.c). */
Tpl_piece emit_declare_registers, emit_common_blocks, emit_owner_slice, emit_code_after_path,
	emit_branch_prefix, emit_chain_to_branch, emit_chain_to_header, emit_derived_values,
	emit_path_copy, emit_votes, emit_next_vote, emit_first_run;
/* Regions with a shared vote (emit_shared_vote.c): emits the vote with the executions of all paths;
 * returns Emit.alike; copies a lane's own context to the registers of its pending task; pushes
 * pending tasks to their paths' rows. */
void emit_shared_vote(Emit *e);
uint32_t shared_vote_row_distance(const Plan *x);
Tpl_piece shared_vote_load_own, shared_vote_push;
/* Lane invariants (emit_lane_invariants.c). */
Tpl_piece lane_invariants_own_address; /* addresses of the lane's own slots, into %~of1 .. %~of16 */
Tpl_piece lane_invariants_store; /* stores the lane's own values */
/* addresses of the slots of lane %^owner, for the widths that the task uses */
Tpl_piece lane_invariants_owner_address;
/* loads the values that the task reads, on all lanes that reach it */
Tpl_piece lane_invariants_load;

/* Inner loops that are expanded in the paths (emit_nested_rows.c). emit_define_expansions() sets
 * the values common to all; emit_expansion_arrival() emits the code that replaces the inner loop;
 * emit_expansion() emits the code that follows the blocks before it. */
void emit_define_expansions(Emit *e);
void emit_expansion_arrival(Emit *e, const Task_region *rows);
void emit_expansion(Emit *e, const Task_region *rows);
/* Whether the copy for full warps drains the tasks that are left at the end. */
bool emit_full_copy_drains(const Plan *x);

#endif
