/* SPDX-License-Identifier: MIT */
/* The text of a collected loop, part by part. */
#ifndef TRANSFORM_COLLECT_EMIT_PARTS_H
#define TRANSFORM_COLLECT_EMIT_PARTS_H

#include "transform/emit/emit.h"

/* Takes a part to hand: what names mean from here on is what they mean for it. */
void emit_take(Emit *e, uint32_t part);
/* Does the branch that ends block b leave the loop, where else it would go on with block next?
 * Fills where to (0: the thread ends), and whether it stays if the branch's predicate is false. */
bool emit_leaves(const Emit *e, uint32_t b, uint32_t next, uint32_t *out, bool *negated);
/* Pieces that are the parts' own (emit_path.c). */
Tpl_piece part_registers, part_blocks, part_slice, part_behind_path, part_prefix, part_to_branch,
	part_to_header, part_compute, part_path, part_first_vote, part_next_vote,
	part_first_run;
/* Of parts that share a vote (emit_shared_vote.c): the vote, with all runs; Emit.alike; the
 * context of a lane's own task to where it waits for the vote; tasks in hand to their paths'
 * rows. */
void emit_group(Emit *e);
uint32_t group_alike(const Plan *x);
Tpl_piece group_take_own, group_push;
/* What lanes keep while the loop runs (emit_lane_invariants.c). */
Tpl_piece kept_mine;        /* the addresses of the lane's own slots, into %~of1 .. %~of16 */
Tpl_piece kept_store;       /* stores the lane's own values there */
Tpl_piece kept_owners;      /* the addresses of those of lane %^owner that the task names */
Tpl_piece kept_load;        /* loads from there what the task reads, on all lanes that come here */

/* Inner loops that are expanded in the paths (emit_rows.c): tells the template what holds of all,
 * and puts what stands in place of one, and what stands behind the blocks in front of it. */
void emit_rows_tell(Emit *e);
void emit_rows_come(Emit *e, const Part *rows);
void emit_rows(Emit *e, const Part *rows);
/* Does the copy for full warps run what is left at the end? */
bool emit_drains_itself(const Plan *x);

#endif
