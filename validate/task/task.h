/* SPDX-License-Identifier: MIT */
/* The position of a lane in the input, and tasks: their extent, live-in and live-out values.
 * Internal to validate/. */
#ifndef VALIDATE_TASK_TASK_H
#define VALIDATE_TASK_TASK_H

#include "validate/task/reductions.h"
#include "validate/text/text.h"

/* input_position.c: following the input */
Input_stmt *input_read(const Fn *fn, Arena *a);
bool input_init(Loop_check *s);
/* Moves to the next statement with an effect, through labels and unconditional branches. Collected
 * paths on the way become pending tasks. Returns false on a fault. */
bool input_advance(Loop_check *s, Lane_state *l);
/* The same without paths. */
uint32_t input_next_plain(const Input_text *input, uint32_t stmt);
/* The first statement with an effect from `stmt` on, in a task or (0) in the lane's own iteration;
 * 0 if control leaves before, or reaches a collected path. */
uint32_t input_first_effect(const Loop_check *s, uint32_t task, uint32_t stmt);
/* The input's conditional branch that the lane is at; 0 if it is at none. */
uint32_t input_branch(const Loop_check *s, const Lane_position *at);
/* Follows the branch, taken or not. */
bool input_take_branch(Loop_check *s, Lane_state *l, bool taken);
/* Whether the lane is still in its loop. */
bool input_is_in_loop(const Loop_check *s, const Lane_position *at);
/* Whether a register of the input is live before a statement. */
bool input_register_is_live(const Input_text *input, uint32_t stmt, uint32_t sym);
/* All live registers, by local symbol. */
Bits input_live_registers(const Input_text *input, uint32_t stmt, Arena *a);
static inline uint32_t *
input_position(Lane_position *at)
{
	return at->task ? &at->task_input : &at->input;
}
static inline uint32_t
input_position_now(const Lane_position *at)
{
	return at->task ? at->task_input : at->input;
}
/* extent.c: reads the labels of tasks, then determines the extent of each path's task. */
void task_labels_read(Loop_check *s);
bool task_extent_init(Loop_check *s, Input_path *p);
/* Whether a task of the path may omit the statement. */
bool task_stmt_is_dead(const Loop_check *s, uint32_t path, uint32_t stmt);
/* buffer_address.c: addresses and rows of shared memory */
Buffer_row *buffer_row(Task_buffer *buffer, Buffer_row r);
/* Offset of the address in operand k in the warp's part of the buffer; 0 on a fault.
 * buffer_address_base: without the constant offset. */
Term_id buffer_offset_of(Loop_check *s, Lane_state *l, uint32_t stmt, uint32_t k);
Term_id buffer_address_base(Loop_check *s, Lane_state *l, uint32_t stmt, uint32_t k);
/* The address in operand k without the constant offset; and its offset in the warp's part. 0 on a
 * fault. */
Term_id buffer_address(Loop_check *s, Lane_state *l, uint32_t stmt, uint32_t k);
Term_id buffer_offset_at(Loop_check *s, uint32_t stmt, Term_id a);
/* batch_registers.c: registers of several iterations of a batch */
/* batch_operands_hold: whether the statement's registers hold what they stand for.
 * batch_note_written: those that it writes do from here on. batch_register_holds: whether one
 * register does. */
bool batch_operands_hold(const Loop_check *s, const Lane_state *l, uint32_t stmt);
void batch_note_written(const Loop_check *s, Lane_state *l, uint32_t stmt);
bool batch_register_holds(const Loop_check *s, const Lane_state *l, const Output_reg *r);
/* First register whose value the lane would lose, and that is live before a statement; 0 if
 * none. */
uint32_t batch_lost_register(const Loop_check *s, const Lane_state *l, uint32_t in);
/* At a label, with nothing assumed: forgets the iteration of the batch for registers that are dead,
 * and for paths that the lane has not just passed. */
void batch_forget(const Loop_check *s, Lane_state *l);
/* entry.c: where copies of paths begin; fills Input_path.first and starts */
void path_starts_init(Loop_check *s);
/* Whether a copy of a path begins with the statement; if so, the lane enters it. */
bool path_enter(Loop_check *s, Lane_state *l, uint32_t stmt);
/* Whether one might begin with it. */
bool path_may_begin(Loop_check *s, uint32_t stmt);
/* lane_invariants.c: values that lanes keep while the loop runs */
/* Whether the access is to a lane's slot, by its lane number. */
bool invariant_access(Loop_check *s, Lane_state *l, uint32_t stmt);
bool invariant_store(Loop_check *s, Lane_state *l, uint32_t stmt);
bool invariant_load(Loop_check *s, Lane_state *l, uint32_t stmt);
/* Sets the path's predicate register to a bit of a loaded word. Returns false if that is not its
 * value. */
bool invariant_load_bit(Loop_check *s, Lane_state *l, const Output_reg *r, Term word, uint32_t bit);
/* values.c: values of tasks */
bool set_task_register(Loop_check *s, Lane_state *l, uint32_t stmt);
/* The number of the task that a register belongs to, if it belongs to one. */
uint32_t reg_task(const Collected_paths *paths, const Output_reg *r);
/* Like reg_env_slot(), but allots a place to a register that has none. */
Term_id *reg_env_slot_grow(Loop_check *s, Lane_state *l, Output_reg *r);
/* Whether every lane has the register's value at the block under its own name: it is uniform, and
 * the loop does not write it. */
bool value_is_common(const Loop_check *s, uint32_t block, uint32_t sym);
/* The only definition that reaches a block; 0 if there is none. */
uint32_t block_only_def(const Fn *fn, uint32_t block, uint32_t sym);
/* Value of an output register as a part of a task, for a push. */
Term_id task_value(Loop_check *s, Lane_state *l, uint32_t sym, uint32_t task);
/* Whether the definition is the only one that reaches the statement's use of the register. */
bool use_has_only_def(const Fn *fn, uint32_t stmt, uint32_t sym, uint32_t def);
/* Whether the register still has, at the entry of the block, the value that the statement read. */
bool value_lasts(Loop_check *s, uint32_t stmt, uint32_t sym, uint32_t block);
/* Recomputes a uniform value. */
bool recompute_uniform(Loop_check *s, uint32_t stmt);
/* Whether the input's statement gives the same result whenever it is executed with the same
 * operands. */
bool stmt_is_repeatable(const Fn *fn, uint32_t stmt);
/* owner_slice.c: what the owner computes itself */
/* Whether the register holds, in the owner, its value of when the owner reached the path. Paths
 * that it passed directly before may have given it a value. */
bool owner_register_is_intact(
	const Loop_check *s, const Lane_state *l, uint32_t path, uint32_t sym);
/* Fills in Input_path.live_outs. */
void owner_find_live_outs(Loop_check *s, Input_path *p);
/* Executes a statement of a path that the lane passed; false if it is none. */
bool owner_run_slice(Loop_check *s, Lane_state *l, uint32_t stmt);
/* A register of the input is overwritten with a value of another origin than the lane's iteration:
 * paths that the lane passed can no longer read it. Returns false on a fault. */
bool owner_overwrite(Loop_check *s, Lane_state *l, uint32_t sym);
/* Whether a live-out of the paths that it passed is missing, in its iteration or (around) in a
 * path. */
bool owner_lacks_live_out(const Loop_check *s, const Lane_state *l, uint32_t around);
/* Forgets the paths that the lane passed, if it has no pending task of them, and no live-out is
 * missing. */
void owner_drop_tasks(const Loop_check *s, Lane_state *l);
/* The lane continues: reports a fault if a live-out is missing. */
bool owner_check_slice(Loop_check *s, Lane_state *l, uint32_t around);
/* Splits the lane at its branch of the input. said: the predicate's value for this lane; the other
 * one goes to the work list. */
bool lane_fork_branch(Loop_check *s, Lane_state *l, bool *said);

#endif
