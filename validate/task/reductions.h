/* SPDX-License-Identifier: MIT */
/* Reductions in a transformed loop, and the registers of the input that hold them. Internal to
 * validate/; see site.h. */
#ifndef VALIDATE_TASK_REDUCTIONS_H
#define VALIDATE_TASK_REDUCTIONS_H

#include "validate/state/state.h"

/* reduction_web.c: registers that hold a variable that is only folded into */
/* What a statement of the input folds; the output's in a slot. */
Fold web_fold(const Module *m, const Stmt *t);
Fold web_fold_in_memory(const Module *m, const Stmt *t);
bool web_same(Fold a, Fold b);
uint64_t web_identity(Fold f);
bool web_has(const Site *s, const Sum *x, uint32_t sym);
/* Fills the web of the register x->out, which is in it, and what folds. False: it is none. */
bool web_find(const Site *s, Sum *x);

/* reductions.c: reductions */
/* May a lane keep what its runs of some path fold, whosever tasks they are? */
bool sums_warpwide(const Site *s);
bool sums_init(Site *s);
/* Is it a reduction that flows out of the path, that comes into it? Does a statement of the path,
 * which the owner would run, write one of it or one that is to be handed on first? */
bool sums_has(const Site *s, uint32_t path, uint32_t out);
bool sums_comes_in(const Site *s, uint32_t path, uint32_t in);
bool sums_touched(const Site *s, const Lane *l, uint32_t path, uint32_t in);
/* Is the statement one that begins a run with the identity, in the register? */
bool sums_identity(Site *s, Lane *l, uint32_t stmt, const Reg *r);
/* The path is run. Was all folded that came of the run? */
void sums_run(Site *s, Lane *l, uint32_t path);
bool sums_folded(Site *s, const Lane *l);
/* Does the statement hand a reduction on past a path that the owner came to? Is this done? It is
 * not of a path that it has not come to. */
bool sums_hand_on(const Site *s, Lane *l, uint32_t stmt);
bool sums_handed(const Site *s, const Lane *l, uint32_t path, uint32_t out);
void sums_passed(const Site *s, Lane *l, uint32_t path);
/* Accesses to slots. */
bool sums_store(Site *s, Lane *l, uint32_t stmt);
bool sums_fold(Site *s, Lane *l, uint32_t stmt);
bool sums_load(Site *s, Lane *l, uint32_t stmt);
/* Does the statement give a lane what its slot held? Has a lane that leaves got it? */
bool sums_end(Site *s, Lane *l, uint32_t stmt);
bool sums_given(Site *s, const Lane *l, uint32_t stmt);
/* May a lane vote on paths? */
bool sums_ready(Site *s, const Lane *l, uint32_t stmt);

#endif
