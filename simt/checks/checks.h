/* SPDX-License-Identifier: MIT */
/* What an access is checked for: races, and reads of what nobody wrote. Internal to simt/. */
#ifndef SIMT_CHECKS_CHECKS_H
#define SIMT_CHECKS_CHECKS_H

#include "simt/state/access.h"

/* ---- race.c --------------------------------------------------------------------------------- */

/* Of a block's shared memory in this launch, often one that another block had; NULL: no check. */
Shadow *race_shared(Sim *s);
void race_shared_end(Sim *s, Shadow *shadow);           /* the block is over */
/* A lane's part of an access reads, or writes: p->from, or where that is NULL what an atomic
 * operation gives. */
void race_read(Warp *w, const Access *x, const Spot *p);
void race_write(Warp *w, const Access *x, const Spot *p);
/* To be called before the parts of several lanes: what they will look at is on its way then. */
void race_ahead(const Warp *w, const Access *x);
void race_sync(Warp *w, uint32_t lanes);                /* bar.warp.sync */
void race_barrier(Cta *b, const uint32_t *lanes);     /* bar.sync of these lanes, by warp */
void race_start(Warp *w);

/* ---- causality.c ---------------------------------------------------------------------------- */

/* What strong accesses and fences order, for the race check. */
Causality *causal_new(void);                                 /* of a launch */
void causal_free(Causality *o);                              /* o may be NULL */
Warp_causality *causal_warp(void);                           /* of a warp */
void causal_warp_free(Warp_causality *x);                    /* x may be NULL */
void causal_start(Warp *w);
/* To be called before a strong write by the lanes; after a strong read; for a fence (which does
 * nothing without the check). order is an Inst_order. */
void causal_before(Warp *w, uint32_t order, uint32_t lanes);
void causal_after(Warp *w, uint32_t order, uint32_t lanes);
void causal_fence(Warp *w, uint32_t order, uint32_t lanes);
/* The lane has waited for lanes of its block, at an mbarrier. */
void causal_learn(Warp *w, uint32_t lane);

/* ---- uninitialised_reads.c ------------------------------------------------------------------- */

/* Marks the registers that a lane's part of a load fills with bytes that nobody wrote. */
void unwritten_load(Warp *w, const Access *x, const Spot *p);
/* While registers are marked: a lane's part of a store, whose bytes count as written now. */
void unwritten_store(Warp *w, const Access *x, const Spot *p);
/* While registers are marked, before each instruction: moves the marks as it moves values. lanes
 * are those of the group, active those that the guard leaves on. */
void unwritten_follow(Warp *w, const Inst *i, uint32_t lanes, uint32_t active);

#endif
