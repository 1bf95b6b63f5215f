/* SPDX-License-Identifier: MIT */
/* Reductions in a transformed loop, and the registers of the input that hold them. Internal to
 * validate/. */
#ifndef VALIDATE_TASK_REDUCTIONS_H
#define VALIDATE_TASK_REDUCTIONS_H

#include "validate/state/state.h"

/* reduction_web.c: registers that hold a variable that is only folded into */
/* The operation of an input statement; of an output statement that folds into a slot. */
Fold web_fold(const Module *m, const Stmt *t);
Fold web_fold_in_memory(const Module *m, const Stmt *t);
bool web_same(Fold a, Fold b);
uint64_t web_identity(Fold f);
bool web_has(const Site *s, const Sum *x, uint32_t sym);
/* Fills in the web of register x->out and its operation. Returns false if it is no reduction. */
bool web_find(const Site *s, Sum *x);

/* reductions.c: reductions */
/* Whether a lane may keep the results of all runs that it executes, whichever lanes own them. */
bool sums_warpwide(const Site *s);
bool sums_init(Site *s);
/* sums_has: whether `out` is a reduction that is live out of the path. sums_comes_in: whether `in`
 * is one that is live into it. sums_touched: whether a statement of the path, executed by the
 * owner, writes one of these or one that must be forwarded first. */
bool sums_has(const Site *s, uint32_t path, uint32_t out);
bool sums_comes_in(const Site *s, uint32_t path, uint32_t in);
bool sums_touched(const Site *s, const Lane *l, uint32_t path, uint32_t in);
/* Whether the statement begins a run by setting the register to the identity. */
bool sums_identity(Site *s, Lane *l, uint32_t stmt, const Reg *r);
/* The path is run; whether all results of the run are folded. */
void sums_run(Site *s, Lane *l, uint32_t path);
bool sums_folded(Site *s, const Lane *l);
/* sums_hand_on: the statement forwards a reduction past a path that the owner reached. sums_handed:
 * this is done. sums_passed: the lane has reached the path, so nothing is forwarded yet. */
bool sums_hand_on(const Site *s, Lane *l, uint32_t stmt);
bool sums_handed(const Site *s, const Lane *l, uint32_t path, uint32_t out);
void sums_passed(const Site *s, Lane *l, uint32_t path);
/* Accesses to slots. */
bool sums_store(Site *s, Lane *l, uint32_t stmt);
bool sums_fold(Site *s, Lane *l, uint32_t stmt);
bool sums_load(Site *s, Lane *l, uint32_t stmt);
/* The statement gives a lane its slot's value; whether a lane that leaves has received it. */
bool sums_end(Site *s, Lane *l, uint32_t stmt);
bool sums_given(Site *s, const Lane *l, uint32_t stmt);
/* Whether a lane may vote on paths. */
bool sums_ready(Site *s, const Lane *l, uint32_t stmt);

#endif
