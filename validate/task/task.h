/* SPDX-License-Identifier: MIT */
/* A lane's place in the input, and tasks: what they are, what comes into them and out. Internal to
 * validate/. */
#ifndef VALIDATE_TASK_TASK_H
#define VALIDATE_TASK_TASK_H

#include "validate/task/reductions.h"
#include "validate/text/text.h"

/* input_position.c: the input, as a lane goes through it */
Input *cursor_read(const Fn *fn, Arena *a);
bool cursor_init(Site *s);
/* Goes on to the next statement that does something, by way of labels and branches that all take;
 * paths that are collected are taken to hand. False: a fault. */
bool cursor_settle(Site *s, Lane *l);
/* The same without paths. */
uint32_t cursor_plain(const Site *s, uint32_t stmt);
/* The statement that does something first, from one on, in a task or (0) in the lane's own
 * iteration; 0: control leaves that before, or comes to a path that is collected. */
uint32_t cursor_first(const Site *s, uint32_t task, uint32_t stmt);
/* Is the lane at a branch of the input that it may take or not? */
uint32_t cursor_branch(const Site *s, const Lane *l);
/* Takes the branch or does not. */
bool cursor_take(Site *s, Lane *l, bool taken);
/* Is the lane in its loop still? */
bool cursor_inside(const Site *s, const Lane *l);
/* Is a register of the input read from a statement on, before it is written? */
bool cursor_live(const Site *s, uint32_t stmt, uint32_t sym);
/* All that are, by local symbol. */
Bits cursor_all_live(const Site *s, uint32_t stmt);
static inline uint32_t *cursor_of(Lane *l) { return l->task ? &l->task_at : &l->at; }
static inline uint32_t cursor_now(const Lane *l) { return l->task ? l->task_at : l->at; }
/* extent.c: reads labels of tasks; then, by path, fills what a task is. */
void span_labels(Site *s);
bool span_init(Site *s, Path *p);
/* Need a task of the path not run the statement? */
bool span_is_idle(const Site *s, uint32_t path, uint32_t stmt);
/* buffer_address.c: addresses and rows of shared memory */
Row *buffer_row(Site *s, Row r);
/* What an address means beside the warp's part of the buffer, operand k being it; 0: a fault. The
 * same of its register alone, without the number behind that. */
Term_id buffer_rest(Site *s, Lane *l, uint32_t stmt, uint32_t k);
Term_id buffer_part(Site *s, Lane *l, uint32_t stmt, uint32_t k);
/* The address in the register of operand k, without its number; what that is beside the warp's
 * part.
 * 0: a fault. */
Term_id buffer_address(Site *s, Lane *l, uint32_t stmt, uint32_t k);
Term_id buffer_within(Site *s, uint32_t stmt, Term_id a);
/* batch_registers.c */
/* Do the registers of the statement hold what they stand for? Those that it writes do, from here
 * on. Does the register? */
bool turns_read(const Site *s, const Lane *l, uint32_t stmt);
void turns_written(const Site *s, Lane *l, uint32_t stmt);
bool turns_holds(const Site *s, const Lane *l, const Reg *r);
/* The first one whose value the lane leaves behind, and that is read from a statement on; 0. */
uint32_t turns_lost(const Site *s, const Lane *l, uint32_t in);
/* At a label, where nothing is assumed: of a register that nothing reads any more, and of paths
 * that the lane has not just come past, it does not matter which own part they were of. */
void turns_forget(const Site *s, Lane *l);
/* entry.c: where a path's copy begins; fills what may be first there */
void begin_init(Site *s);
/* Does a copy of a path begin with the statement? The lane is there then. */
bool path_begin(Site *s, Lane *l, uint32_t stmt);
/* Might one begin with it? */
bool path_may_begin(Site *s, uint32_t stmt);
/* lane_invariants.c: what lanes keep while the loop runs */
/* Is the access to a slot of a lane, by its number? */
bool lasting_is(Site *s, Lane *l, uint32_t stmt);
bool lasting_store(Site *s, Lane *l, uint32_t stmt);
bool lasting_load(Site *s, Lane *l, uint32_t stmt);
/* Sets the path's register, a predicate, to the bit of that number of a word that the lane has
 * loaded; false: that is not what it stands for, or none. */
bool lasting_bit(Site *s, Lane *l, const Reg *r, Term word, uint32_t bit);
/* values.c: values of tasks */
bool path_set(Site *s, Lane *l, uint32_t stmt);
/* The number of the task that a register stands for something in; it does in one. */
uint32_t path_task(const Site *s, const Reg *r);
/* The same, for a register that may not have had a value yet: there is room for so many. */
Term_id *path_room(Site *s, Lane *l, Reg *r);
/* Does every lane have the register's value at the block under its own name? It varies nowhere, and
 * the loop does not write it. */
bool path_common(const Site *s, uint32_t block, uint32_t sym);
/* The definition that alone reaches a block; 0: there is none. */
uint32_t path_only_def(const Site *s, uint32_t block, uint32_t sym);
/* The value of a register of the output as a part of a task, for pushing. */
Term_id path_value(Site *s, Lane *l, uint32_t sym, uint32_t task);
/* Computes again what is the same in all lanes. */
bool path_again(Site *s, uint32_t stmt);
/* Does the statement of the input give the same whenever it runs, from the same registers? */
bool path_repeatable(const Site *s, uint32_t stmt);
/* owner_slice.c: what an owner computes for itself */
/* Does the register hold, in the owner, what it did when the owner came to the path? Paths that it
 * came past directly in front of that may have given it a value. */
bool owner_holds(const Site *s, const Lane *l, uint32_t path, uint32_t sym);
/* Fills flows. */
void owner_init(Site *s, Path *p);
/* A statement of a path that the lane came past; false: it is none. */
bool owner_slice(Site *s, Lane *l, uint32_t stmt);
/* A register of the input is overwritten by something else than what the lane's iteration makes of
 * it: it does not hold any more what paths that the lane came past may read. False: a fault. */
bool owner_overwrites(Site *s, Lane *l, uint32_t sym);
/* Is anything missing of what flows out of the paths that it came past, in its iteration or
 * (around) in a path? */
bool owner_owes(const Site *s, const Lane *l, uint32_t around);
/* If the lane has no task in hand of the paths that it came past, and nothing is missing of what
 * flows out of them, it is as if it had gone on. */
void owner_forget(const Site *s, Lane *l);
/* It goes on: nothing may be missing. */
bool owner_sliced_all(Site *s, Lane *l, uint32_t around);
/* Both ways of the branch that the lane is at in the input. said: what its predicate holds on the
 * way that this lane goes. */
bool lane_split(Site *s, Lane *l, bool *said);

#endif
