/* SPDX-License-Identifier: MIT */
/* The memory model: how an access finds its bytes, and what the checks say of it. Internal to
 * simt/. */
#ifndef SIMT_MEMORY_H
#define SIMT_MEMORY_H

#include "simt/access.h"

/* ---- buffers.c ------------------------------------------------------------------------------ */

/* The buffer at a global address, which may have been freed; NULL: there is none. */
Buffer *buffer_find(Sim *s, uint64_t at);
void buffer_release(Buffer *b);
/* Have all of size bytes been written? Marks them as written. size is a power of two up to 32, and
 * `at` a multiple of it. */
bool written_all(const uint8_t *bits, uint64_t at, uint32_t size);
void written_set(uint8_t *bits, uint64_t at, uint32_t size);
void written_clear(uint8_t *bits, uint64_t at);         /* one byte */

/* ---- memory.c ------------------------------------------------------------------------------- */

void memory_local(Warp *w, uint32_t bytes);             /* makes room for so many bytes a lane */
/* Finds where the part that lane p->lane has of an access lies; p, which is zero otherwise, gets
 * all that is found. Gives the bytes on the host; NULL after a fault. */
uint8_t *memory_find(Warp *w, const Access *x, Spot *p);
/* Likewise, and makes all checks. A WRITE stores p->from; the caller makes the change of an
 * ATOMIC. */
uint8_t *memory_access(Warp *w, const Access *x, Spot *p);
/* To be called before, and after, the parts of all lanes: counts the access, and keeps what strong
 * ones order. */
void memory_begin(Warp *w, const Access *x);
void memory_end(Warp *w, const Access *x);

/* ---- race.c --------------------------------------------------------------------------------- */

Shadow *race_shadow(size_t bytes);                      /* of so many bytes of memory */
void race_shadow_free(Shadow *s);
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

/* ---- unwritten.c ---------------------------------------------------------------------------- */

/* Marks the registers that a lane's part of a load fills with bytes that nobody wrote. */
void unwritten_load(Warp *w, const Access *x, const Spot *p);
/* While registers are marked: a lane's part of a store, whose bytes count as written now. */
void unwritten_store(Warp *w, const Access *x, const Spot *p);
/* While registers are marked, before each instruction: moves the marks as it moves values. lanes
 * are those of the group, active those that the guard leaves on. */
void unwritten_follow(Warp *w, const Inst *i, uint32_t lanes, uint32_t active);

#endif
