/* SPDX-License-Identifier: MIT */
/* The memory model: how an access finds its bytes, and what the checks say of it. Internal to
 * simt/. */
#ifndef SIMT_MEMORY_H
#define SIMT_MEMORY_H

#include "simt/access.h"

/* ---- buffers.c ------------------------------------------------------------------------------ */

/* of a global address; it may have been freed. NULL: none there */
Buffer *buffer_find(Sim *s, uint64_t at);
void buffer_release(Buffer *b);
/* Are, become all of size bytes written: a power of two up to 32, `at` a multiple of it. */
bool written_all(const uint8_t *bits, uint64_t at, uint32_t size);
void written_set(uint8_t *bits, uint64_t at, uint32_t size);
void written_clear(uint8_t *bits, uint64_t at);         /* one byte */

/* ---- memory.c ------------------------------------------------------------------------------- */

void memory_local(Warp *w, uint32_t bytes);             /* makes room for so many bytes a lane */
/* Finds a lane's part of an access. *p has the lane and zeros; what is found goes there, too. The
 * host's bytes, NULL after a fault. */
uint8_t *memory_find(Warp *w, const Access *x, Spot *p);
/* Likewise with all checks. WRITE: stores p->from; ATOMIC leaves the change to the caller. */
uint8_t *memory_access(Warp *w, const Access *x, Spot *p);
/* In front of, behind the lanes' parts: counts; fences and strong accesses. */
void memory_begin(Warp *w, const Access *x);
void memory_end(Warp *w, const Access *x);

/* ---- race.c --------------------------------------------------------------------------------- */

Shadow *race_shadow(size_t bytes);                      /* of so many bytes of memory */
void race_shadow_free(Shadow *s);
/* A lane's part of an access reads; writes what p->from has, without it by an atomic operation. */
void race_read(Warp *w, const Access *x, const Spot *p);
void race_write(Warp *w, const Access *x, const Spot *p);
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
/* In front of a strong write by the lanes, behind a strong read, and both, for a fence (does
 * nothing without the check); order: Inst_order. */
void causal_before(Warp *w, uint32_t order, uint32_t lanes);
void causal_after(Warp *w, uint32_t order, uint32_t lanes);
void causal_fence(Warp *w, uint32_t order, uint32_t lanes);
/* it has waited for lanes of its block, otherwise than at a barrier */
void causal_learn(Warp *w, uint32_t lane);

/* ---- unwritten.c ---------------------------------------------------------------------------- */

/* A lane's part of a load found bytes that nobody wrote. */
void unwritten_load(Warp *w, const Access *x, const Spot *p);
/* With marked registers: likewise a store, whose bytes now count as written. */
void unwritten_store(Warp *w, const Access *x, const Spot *p);
/* With marked registers, in front of an instruction: what becomes of them. lanes: of the group;
 * active: without the guard's. */
void unwritten_follow(Warp *w, const Inst *i, uint32_t lanes, uint32_t active);

#endif
