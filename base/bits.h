/* SPDX-License-Identifier: MIT */
/* Bit sets of fixed size over 32-bit ids, for data-flow analyses.
 *
 * A set knows the range of words that may have bits set. Sets over all blocks of a
 * function are often confined to one of its regions; operations take time proportional to that
 * range, not to the size. */
#ifndef BASE_BITS_H
#define BASE_BITS_H

#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"

/* word[-1]: the range, its first word in the lower half and its end in the upper half */
typedef struct { uint64_t *word; uint32_t nwords; } Bits;

Bits bits_new(Arena *a, uint32_t nbits); /* all zero */
Bits bits_small(uint64_t at[2]);         /* 64 bits, all zero, in the caller's memory */
void bits_clear(Bits b);
void bits_fill(Bits b, uint32_t from, uint32_t end); /* sets bits [from, end) */
void bits_copy(Bits to, Bits from);         /* same size */
bool bits_or(Bits to, Bits from);           /* to |= from; returns whether `to` changed */
void bits_and(Bits to, Bits from);          /* to &= from */
void bits_and_not(Bits to, Bits from);      /* to &= ~from */
bool bits_within(Bits a, Bits b);           /* whether a is a subset of b; same size */
bool bits_meet(Bits a, Bits b);             /* whether a and b intersect; same size */
bool bits_any(Bits b);
uint32_t bits_count(Bits b);
/* Returns the first set bit at or after from, or UINT32_MAX. */
uint32_t bits_next(Bits b, uint32_t from);
/* BITS_EACH(i, set) use(i); */
#define BITS_EACH(i, set) \
	for (uint32_t i = bits_next(set, 0); i != UINT32_MAX; i = bits_next(set, i + 1))

static inline uint32_t bits_first(Bits b) { return b.nwords ? (uint32_t)b.word[-1] : 0; }
static inline uint32_t bits_end(Bits b) { return b.nwords ? (uint32_t)(b.word[-1] >> 32) : 0; }
/* Extends the range to include the words [first, end). */
static inline void
bits_extend(Bits b, uint32_t first, uint32_t end)
{
	uint32_t from = bits_first(b), to = bits_end(b);

	if (first < from || end > to)
		b.word[-1] = (uint64_t)(end > to ? end : to) << 32 | (first < from ? first : from);
}
static inline void
bits_set(Bits b, uint32_t i)
{
	bits_extend(b, i >> 6, (i >> 6) + 1);
	b.word[i >> 6] |= UINT64_C(1) << (i & 63);
}
static inline void bits_unset(Bits b, uint32_t i) { b.word[i >> 6] &= ~(UINT64_C(1) << (i & 63)); }
static inline bool bits_has(Bits b, uint32_t i) { return b.word[i >> 6] >> (i & 63) & 1; }

#endif
