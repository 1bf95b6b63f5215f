/* SPDX-License-Identifier: MIT */
/* The checks of an access: data races, promises of annotations, uninitialised reads. Internal to
 * simt/. */
#ifndef SIMT_CHECKS_CHECKS_H
#define SIMT_CHECKS_CHECKS_H

#include "simt/state/access.h"
#include "simt/state/shadow.h"

/* ---- race.c --------------------------------------------------------------------------------- */

/* Returns the record of a block's shared memory, reusing those of finished blocks; NULL: accesses
 * are not recorded. */
Shadow *race_shared(Sim *s);
void race_shared_end(Sim *s, Shadow *shadow);           /* the block has finished */
/* Checks a lane's part of an access that reads, or writes: p->from, or if that is NULL the result
 * of an atomic operation. */
void race_read(Warp *w, const Access *x, const Access_target *p);
void race_write(Warp *w, const Access *x, const Access_target *p);
/* Called before several lanes' parts of an access: prefetches the records. */
void race_prepare(const Warp *w, const Access *x);
void race_sync(Warp *w, uint32_t lanes);                /* bar.warp.sync */
void race_barrier(Thread_block *b, const uint32_t *lanes); /* bar.sync of these lanes, by warp */
void race_start(Warp *w);
/* Whether nothing orders the last accesses of a word of global memory by another lane of the warp
 * before the next ones of a lane; false if they are not known. */
bool race_is_unordered(Warp *w, uint32_t lane, uint32_t other, const Shadow_word *at);

/* ---- causality.c ---------------------------------------------------------------------------- */

/* The order that strong accesses and fences establish, for the race check. */
Causality *causality_new(void);                              /* for a launch */
void causality_free(Causality *o);                           /* o may be NULL */
Warp_causality *causality_warp_new(void);                    /* for a warp */
void causality_warp_free(Warp_causality *x);                 /* x may be NULL */
void causality_warp_start(Warp *w);
/* causality_before_access is called before a strong write of the lanes, causality_after_access
 * after a strong read, causality_fence for a fence (without effect if the check is disabled). order
 * is an Inst_order. */
void causality_before_access(Warp *w, uint32_t order, uint32_t lanes);
void causality_after_access(Warp *w, uint32_t order, uint32_t lanes);
void causality_fence(Warp *w, uint32_t order, uint32_t lanes);
/* The lane has waited for lanes of its block at an mbarrier. */
void causality_acquire(Warp *w, uint32_t lane);

/* ---- promise.c ------------------------------------------------------------------------------- */

/* Instructions of annotated loops that the decoder inserts (imm: index into Sim.promises.loops):
 * lanes reach the loop or have left it; begin an iteration; enter and leave a path of a loop whose
 * lanes are in step. */
Run promise_outside, promise_iteration, promise_path, promise_path_end;
/* Checks a lane's part of an access, before it changes memory. */
void promise_access(Warp *w, const Access *x, const Access_target *p);
void promise_start(Warp *w);                            /* a new block */

/* ---- uninitialised_reads.c ------------------------------------------------------------------- */

/* Marks the registers that a lane's part of a load fills with uninitialised bytes. */
void unwritten_load(Warp *w, const Access *x, const Access_target *p);
/* While registers are marked: corrects a lane's part of a store, whose bytes count as initialised
 * by then. */
void unwritten_store(Warp *w, const Access *x, const Access_target *p);
/* While registers are marked, called before each instruction: propagates the marks with the values.
 * lanes are those of the group, active those that are not predicated off. */
void unwritten_follow(Warp *w, const Inst *i, uint32_t lanes, uint32_t active);

#endif
