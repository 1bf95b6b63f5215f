/* SPDX-License-Identifier: MIT */
/* Bit sets: plain loops over words, which compilers vectorise. */
#include <string.h>
#include "base/bits.h"

enum { EMPTY = UINT32_MAX };    /* range of an empty set: its end is 0 */

Bits
bits_new(Arena *a, uint32_t nbits)
{
	uint32_t n = nbits / 64 + (nbits % 64 != 0);
	uint64_t *at = arena_alloc(a, (n + (size_t)1) * sizeof *at);

	at[0] = EMPTY;
	return (Bits){ .word = at + 1, .nwords = n };
}

Bits
bits_small(uint64_t at[2])
{
	at[0] = EMPTY;
	return (Bits){ .word = at + 1, .nwords = 1 };
}

void
bits_grow(Bits b, uint32_t first, uint32_t end)
{
	const uint32_t from = bits_first(b), to = bits_end(b);
	uint64_t *w = b.word;

	ASSERT(!b.sparse && end <= b.nwords);
	if (from >= to) {
		memset(w + first, 0, (end - first) * sizeof *w);
		w[-1] = (uint64_t)end << 32 | first;
		return;
	}
	if (first < from)
		memset(w + first, 0, (from - first) * sizeof *w);
	if (end > to)
		memset(w + to, 0, (end - to) * sizeof *w);
	w[-1] = (uint64_t)(end > to ? end : to) << 32 | (first < from ? first : from);
}

void
bits_clear(Bits b)
{
	ASSERT(!b.sparse);
	if (b.nwords)
		b.word[-1] = EMPTY;
}

/* ---- sparse sets ----------------------------------------------------------------------------- */

Bits
bits_sparse(Arena *a, uint32_t nbits, uint32_t most)
{
	uint32_t n = nbits / 64 + (nbits % 64 != 0);
	uint64_t *at = arena_alloc(a, (2 * (size_t)(most < n ? most : n) + 1) * sizeof *at);

	at[0] = 0;
	return (Bits){ .word = at + 1, .nwords = n, .sparse = true };
}

static void
append_word(Bits b, uint32_t w, uint64_t bits)
{
	uint64_t *last = b.word + 2 * b.word[-1];

	if (b.word[-1] == 0 || last[-2] != w) {
		b.word[-1]++;
		last[0] = w;
		last[1] = 0;
		last += 2;
	}
	last[-1] |= bits;
}

void
bits_append(Bits b, uint32_t i)
{
	append_word(b, i >> 6, UINT64_C(1) << (i & 63));
}

/* Returns the position of the first stored word at or after word w. */
static uint32_t
position_of(Bits b, uint32_t w)
{
	uint32_t lo = 0, hi = (uint32_t)b.word[-1];

	if (hi == 0 || w <= b.word[0])
		return 0;
	if (w - b.word[0] < hi && b.word[2 * (w - b.word[0])] == w)
		return w - (uint32_t)b.word[0]; /* no gaps before it */
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (b.word[2 * mid] < w)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

uint64_t *
bits_find(Bits b, uint32_t w)
{
	uint64_t n = b.word[-1];

	if (n == 0 || w < b.word[0] || w > b.word[2 * n - 2])
		return NULL;
	uint32_t k = position_of(b, w);
	return b.word[2 * k] == w ? &b.word[2 * k + 1] : NULL;
}

/* Returns the first word at or after word w that is not zero, or UINT32_MAX. */
static uint32_t
next_word(Bits b, uint32_t w)
{
	if (b.sparse) {
		for (uint32_t k = position_of(b, w); k < b.word[-1]; k++)
			if (b.word[2 * k + 1])
				return (uint32_t)b.word[2 * k];
		return UINT32_MAX;
	}
	const uint32_t first = bits_first(b), end = bits_end(b);
	for (w = w < first ? first : w; w < end; w++)
		if (b.word[w])
			return w;
	return UINT32_MAX;
}

#define EACH_WORD(w, b) \
	for (uint32_t w = next_word(b, 0); w != UINT32_MAX; w = next_word(b, w + 1))

Bits
bits_freeze(Arena *a, Bits b)
{
	uint32_t n = 0;

	EACH_WORD(w, b)
		n++;
	Bits to = bits_sparse(a, b.nwords * 64, n);
	EACH_WORD(w, b)
		append_word(to, w, bits_word(b, w));
	return to;
}

/* ---- operations ------------------------------------------------------------------------------ */

void
bits_fill(Bits b, uint32_t from, uint32_t end)
{
	if (from < end)
		bits_extend(b, from >> 6, ((end - 1) >> 6) + 1);
	for (uint32_t i = from; i < end;) {
		bool whole = i % 64 == 0 && end - i >= 64;
		if (whole)
			b.word[i >> 6] = UINT64_MAX;
		else
			bits_set(b, i);
		i += whole ? 64 : 1;
	}
}

void
bits_copy(Bits to, Bits from)
{
	ASSERT(to.nwords == from.nwords);
	if (to.word == from.word)
		return;
	bits_clear(to);
	bits_or(to, from);
}

bool
bits_or(Bits to, Bits from)
{
	uint64_t changed = 0;

	ASSERT(to.nwords == from.nwords);
	if (from.sparse) {
		EACH_WORD(w, from) {
			bits_extend(to, w, w + 1);
			changed |= bits_word(from, w) & ~to.word[w];
			to.word[w] |= bits_word(from, w);
		}
		return changed != 0;
	}
	const uint32_t first = bits_first(from), end = bits_end(from);
	if (first >= end)
		return false;
	bits_extend(to, first, end);
	for (uint32_t i = first; i < end; i++) {
		uint64_t w = to.word[i] | from.word[i];
		changed |= w ^ to.word[i];
		to.word[i] = w;
	}
	return changed != 0;
}

void
bits_and(Bits to, Bits from)
{
	ASSERT(!to.sparse);
	const uint32_t end = bits_end(to);

	for (uint32_t i = bits_first(to); i < end; i++)
		to.word[i] &= bits_word(from, i);
}

void
bits_and_not(Bits to, Bits from)
{
	ASSERT(to.nwords == from.nwords);
	EACH_WORD(w, from)
		if (bits_word(to, w))
			*bits_at(to, w) &= ~bits_word(from, w);
}

bool
bits_within(Bits a, Bits b)
{
	ASSERT(a.nwords == b.nwords);
	EACH_WORD(w, a)
		if (bits_word(a, w) & ~bits_word(b, w))
			return false;
	return true;
}

bool
bits_meet(Bits a, Bits b)
{
	ASSERT(a.nwords == b.nwords);
	EACH_WORD(w, a)
		if (bits_word(a, w) & bits_word(b, w))
			return true;
	return false;
}

bool
bits_any(Bits b)
{
	return next_word(b, 0) != UINT32_MAX;
}

uint32_t
bits_count(Bits b)
{
	uint32_t n = 0;

	EACH_WORD(w, b)
		n += (uint32_t)__builtin_popcountll(bits_word(b, w));
	return n;
}

uint32_t
bits_next(Bits b, uint32_t from)
{
	uint32_t i = from >> 6;
	uint64_t w = bits_word(b, i) & UINT64_MAX << (from & 63);

	if (!w) {
		i = next_word(b, i + 1);
		if (i == UINT32_MAX)
			return UINT32_MAX;
		w = bits_word(b, i);
	}
	return i * 64 + (uint32_t)__builtin_ctzll(w);
}
