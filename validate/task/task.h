/* SPDX-License-Identifier: MIT */
/* The position of a lane in the input, and tasks: their extent, live-in and live-out values.
 * Internal to validate/. */
#ifndef VALIDATE_TASK_TASK_H
#define VALIDATE_TASK_TASK_H

#include "validate/task/reductions.h"
#include "validate/text/text.h"

/* input_position.c: following the input */
Input *cursor_read(const Fn *fn, Arena *a);
bool cursor_init(Site *s);
/* Moves to the next statement with an effect, through labels and unconditional branches. Collected
 * paths on the way become pending tasks. Returns false on a fault. */
bool cursor_settle(Site *s, Lane *l);
/* The same without paths. */
uint32_t cursor_plain(const Site *s, uint32_t stmt);
/* The first statement with an effect from `stmt` on, in a task or (0) in the lane's own iteration;
 * 0 if control leaves before, or reaches a collected path. */
uint32_t cursor_first(const Site *s, uint32_t task, uint32_t stmt);
/* The input's conditional branch that the lane is at; 0 if it is at none. */
uint32_t cursor_branch(const Site *s, const Lane *l);
/* Follows the branch, taken or not. */
bool cursor_take(Site *s, Lane *l, bool taken);
/* Whether the lane is still in its loop. */
bool cursor_inside(const Site *s, const Lane *l);
/* Whether a register of the input is live before a statement. */
bool cursor_live(const Site *s, uint32_t stmt, uint32_t sym);
/* All live registers, by local symbol. */
Bits cursor_all_live(const Site *s, uint32_t stmt);
static inline uint32_t *cursor_of(Lane *l) { return l->task ? &l->task_at : &l->at; }
static inline uint32_t cursor_now(const Lane *l) { return l->task ? l->task_at : l->at; }
/* extent.c: reads the labels of tasks, then determines the extent of each path's task. */
void span_labels(Site *s);
bool span_init(Site *s, Path *p);
/* Whether a task of the path may omit the statement. */
bool span_is_idle(const Site *s, uint32_t path, uint32_t stmt);
/* buffer_address.c: addresses and rows of shared memory */
Row *buffer_row(Site *s, Row r);
/* Offset of the address in operand k in the warp's part of the buffer; 0 on a fault. buffer_part:
 * without the constant offset. */
Term_id buffer_rest(Site *s, Lane *l, uint32_t stmt, uint32_t k);
Term_id buffer_part(Site *s, Lane *l, uint32_t stmt, uint32_t k);
/* The address in operand k without the constant offset; and its offset in the warp's part. 0 on a
 * fault. */
Term_id buffer_address(Site *s, Lane *l, uint32_t stmt, uint32_t k);
Term_id buffer_within(Site *s, uint32_t stmt, Term_id a);
/* batch_registers.c: registers of several iterations of a batch */
/* turns_read: whether the statement's registers hold what they stand for. turns_written: those that
 * it writes do from here on. turns_holds: whether one register does. */
bool turns_read(const Site *s, const Lane *l, uint32_t stmt);
void turns_written(const Site *s, Lane *l, uint32_t stmt);
bool turns_holds(const Site *s, const Lane *l, const Reg *r);
/* First register whose value the lane would lose, and that is live before a statement; 0 if
 * none. */
uint32_t turns_lost(const Site *s, const Lane *l, uint32_t in);
/* At a label, with nothing assumed: forgets the iteration of the batch for registers that are dead,
 * and for paths that the lane has not just passed. */
void turns_forget(const Site *s, Lane *l);
/* entry.c: where copies of paths begin; fills Path.first and Path.starts */
void begin_init(Site *s);
/* Whether a copy of a path begins with the statement; if so, the lane enters it. */
bool path_begin(Site *s, Lane *l, uint32_t stmt);
/* Whether one might begin with it. */
bool path_may_begin(Site *s, uint32_t stmt);
/* lane_invariants.c: values that lanes keep while the loop runs */
/* Whether the access is to a lane's slot, by its lane number. */
bool lasting_is(Site *s, Lane *l, uint32_t stmt);
bool lasting_store(Site *s, Lane *l, uint32_t stmt);
bool lasting_load(Site *s, Lane *l, uint32_t stmt);
/* Sets the path's predicate register to a bit of a loaded word. Returns false if that is not its
 * value. */
bool lasting_bit(Site *s, Lane *l, const Reg *r, Term word, uint32_t bit);
/* values.c: values of tasks */
bool path_set(Site *s, Lane *l, uint32_t stmt);
/* The number of the task that a register belongs to, if it belongs to one. */
uint32_t path_task(const Site *s, const Reg *r);
/* Like path_slot(), but allots a place to a register that has none. */
Term_id *path_room(Site *s, Lane *l, Reg *r);
/* Whether every lane has the register's value at the block under its own name: it is uniform, and
 * the loop does not write it. */
bool path_common(const Site *s, uint32_t block, uint32_t sym);
/* The only definition that reaches a block; 0 if there is none. */
uint32_t path_only_def(const Site *s, uint32_t block, uint32_t sym);
/* Value of an output register as a part of a task, for a push. */
Term_id path_value(Site *s, Lane *l, uint32_t sym, uint32_t task);
/* Recomputes a uniform value. */
bool path_again(Site *s, uint32_t stmt);
/* Whether the input's statement gives the same result whenever it is executed with the same
 * operands. */
bool path_repeatable(const Site *s, uint32_t stmt);
/* owner_slice.c: what the owner computes itself */
/* Whether the register holds, in the owner, its value of when the owner reached the path. Paths
 * that it passed directly before may have given it a value. */
bool owner_holds(const Site *s, const Lane *l, uint32_t path, uint32_t sym);
/* Fills in Path.flows. */
void owner_init(Site *s, Path *p);
/* Executes a statement of a path that the lane passed; false if it is none. */
bool owner_slice(Site *s, Lane *l, uint32_t stmt);
/* A register of the input is overwritten with a value of another origin than the lane's iteration:
 * paths that the lane passed can no longer read it. Returns false on a fault. */
bool owner_overwrites(Site *s, Lane *l, uint32_t sym);
/* Whether a live-out of the paths that it passed is missing, in its iteration or (around) in a
 * path. */
bool owner_owes(const Site *s, const Lane *l, uint32_t around);
/* Forgets the paths that the lane passed, if it has no pending task of them, and no live-out is
 * missing. */
void owner_forget(const Site *s, Lane *l);
/* The lane continues: reports a fault if a live-out is missing. */
bool owner_sliced_all(Site *s, Lane *l, uint32_t around);
/* Splits the lane at its branch of the input. said: the predicate's value for this lane; the other
 * one goes to the work list. */
bool lane_split(Site *s, Lane *l, bool *said);

#endif
