/* SPDX-License-Identifier: MIT */
/* Reductions in a transformed loop, and the registers of the input that hold them. Internal to
 * validate/. */
#ifndef VALIDATE_TASK_REDUCTIONS_H
#define VALIDATE_TASK_REDUCTIONS_H

#include "validate/state/state.h"

/* reduction_web.c: registers that hold a variable that is only folded into */
/* The operation of an input statement; of an output statement that folds into a slot. */
Fold_operation web_fold(const Module *m, const Stmt *t);
Fold_operation web_fold_in_memory(const Module *m, const Stmt *t);
bool web_folds_equal(Fold_operation a, Fold_operation b);
uint64_t web_identity(Fold_operation f);
bool web_has_register(const Fn *fn, const Slot_reduction *x, uint32_t sym);
/* Fills in the web of register x->out and its operation. Returns false if it is no reduction. */
bool web_find(const Loop_check *s, Slot_reduction *x);

/* reductions.c: reductions */
/* Whether a lane may keep the results of all runs that it executes, whichever lanes own them. */
bool reductions_find_warpwide(const Input_text *input);
bool reductions_init(Loop_check *s);
/* reduction_has_output: whether `out` is a reduction that is live out of the path.
 * reduction_has_input: whether `in` is one that is live into it. reduction_is_touched: whether a
 * statement of the path, executed by the owner, writes one of these or one that must be forwarded
 * first. */
bool reduction_has_output(const Reductions *reductions, uint32_t path, uint32_t out);
bool reduction_has_input(const Reductions *reductions, uint32_t path, uint32_t in);
bool reduction_is_touched(const Loop_check *s, const Lane_state *l, uint32_t path, uint32_t in);
/* Whether the statement begins a run by setting the register to the identity. */
bool reduction_set_identity(Loop_check *s, Lane_state *l, uint32_t stmt, const Output_reg *r);
/* The path is run; whether all results of the run are folded. */
void reduction_begin_run(Loop_check *s, Lane_state *l, uint32_t path);
bool reduction_all_folded(Loop_check *s, const Lane_state *l);
/* reduction_forward_value: the statement forwards a reduction past a path that the owner reached.
 * reduction_is_forwarded: this is done. reduction_path_passed: the lane has reached the path, so
 * nothing is forwarded yet. */
bool reduction_forward_value(const Loop_check *s, Lane_state *l, uint32_t stmt);
bool reduction_is_forwarded(
	const Reductions *reductions, const Lane_reductions *done, uint32_t path, uint32_t out);
void reduction_path_passed(const Reductions *reductions, Lane_reductions *done, uint32_t path);
/* Accesses to slots. */
bool reduction_store(Loop_check *s, Lane_state *l, uint32_t stmt);
bool reduction_fold_value(Loop_check *s, Lane_state *l, uint32_t stmt);
bool reduction_load(Loop_check *s, Lane_state *l, uint32_t stmt);
/* The statement gives a lane its slot's value; whether a lane that leaves has received it. */
bool reduction_fold_slot(Loop_check *s, Lane_state *l, uint32_t stmt);
bool reduction_all_given(Loop_check *s, const Lane_state *l, uint32_t stmt);
/* Whether a lane may vote on paths. */
bool reduction_is_ready(Loop_check *s, const Lane_state *l, uint32_t stmt);

#endif
