/* SPDX-License-Identifier: MIT */
/* Bit sets of fixed size over 32-bit ids, for data-flow analyses.
 *
 * A set knows the range of words that may have bits set; words outside of it are undefined. Sets
 * over all blocks of a function are often confined to one of its regions; operations take time
 * proportional to that range, not to the size.
 *
 * Sets that are kept for long, many at a time, can be sparse, with memory only for words that are
 * not zero. Bits of these can be unset, but not set. */
#ifndef BASE_BITS_H
#define BASE_BITS_H

#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"

/* word[-1]: the range, its first word in the lower half and its end in the upper half; sparse: the
 * number of words that are stored, as pairs of index and word */
typedef struct { uint64_t *word; uint32_t nwords; bool sparse; } Bits;

Bits bits_new(Arena *a, uint32_t nbits); /* all zero, in constant time */
/* Returns an empty sparse set with memory for `most` bits, which bits_append adds in ascending
 * order. */
Bits bits_sparse(Arena *a, uint32_t nbits, uint32_t most);
void bits_append(Bits b, uint32_t i);
Bits bits_freeze(Arena *a, Bits b);      /* a sparse copy */
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
void bits_grow(Bits b, uint32_t first, uint32_t end);
uint64_t *bits_find(Bits b, uint32_t w);
/* Extends the range to include the words [first, end). */
static inline void
bits_extend(Bits b, uint32_t first, uint32_t end)
{
	if (first < bits_first(b) || end > bits_end(b))
		bits_grow(b, first, end);
}
/* Return word w of the set; bits_at: its address, NULL if it is not stored. */
static inline uint64_t *
bits_at(Bits b, uint32_t w)
{
	if (b.sparse)
		return bits_find(b, w);
	return w >= bits_first(b) && w < bits_end(b) ? &b.word[w] : NULL;
}
static inline uint64_t
bits_word(Bits b, uint32_t w)
{
	const uint64_t *at = bits_at(b, w);

	return at ? *at : 0;
}
static inline void
bits_set(Bits b, uint32_t i)
{
	bits_extend(b, i >> 6, (i >> 6) + 1);
	b.word[i >> 6] |= UINT64_C(1) << (i & 63);
}
static inline bool bits_has(Bits b, uint32_t i) { return bits_word(b, i >> 6) >> (i & 63) & 1; }
static inline void
bits_unset(Bits b, uint32_t i)
{
	if (bits_has(b, i))
		*bits_at(b, i >> 6) &= ~(UINT64_C(1) << (i & 63));
}

#endif
