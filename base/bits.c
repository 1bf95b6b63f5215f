/* SPDX-License-Identifier: MIT */
/* Bit sets: plain loops over words, which compilers vectorise. */
#include <string.h>
#include "base/bits.h"

enum { EMPTY = UINT32_MAX };    /* range of an empty set: its end is 0 */

Bits
bits_new(Arena *a, uint32_t nbits)
{
	uint32_t n = nbits / 64 + (nbits % 64 != 0);
	uint64_t *at = arena_array(a, n + 1u, sizeof *at);

	at[0] = EMPTY;
	return (Bits){ at + 1, n };
}

Bits
bits_small(uint64_t at[2])
{
	at[0] = EMPTY;
	at[1] = 0;
	return (Bits){ at + 1, 1 };
}

void
bits_clear(Bits b)
{
	const uint32_t first = bits_first(b), end = bits_end(b);

	if (first >= end)
		return;
	memset(b.word + first, 0, (end - first) * sizeof *b.word);
	b.word[-1] = EMPTY;
}

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
	const uint32_t first = bits_first(from), end = bits_end(from);
	uint64_t changed = 0;

	ASSERT(to.nwords == from.nwords);
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
	const uint32_t end = bits_end(to);

	for (uint32_t i = bits_first(to); i < end; i++)
		to.word[i] &= from.word[i];
}

void
bits_and_not(Bits to, Bits from)
{
	const uint32_t end = bits_end(from);

	ASSERT(to.nwords == from.nwords);
	for (uint32_t i = bits_first(from); i < end; i++)
		to.word[i] &= ~from.word[i];
}

bool
bits_within(Bits a, Bits b)
{
	const uint32_t end = bits_end(a);

	ASSERT(a.nwords == b.nwords);
	for (uint32_t i = bits_first(a); i < end; i++)
		if (a.word[i] & ~b.word[i])
			return false;
	return true;
}

bool
bits_meet(Bits a, Bits b)
{
	const uint32_t end = bits_end(a);

	ASSERT(a.nwords == b.nwords);
	for (uint32_t i = bits_first(a); i < end; i++)
		if (a.word[i] & b.word[i])
			return true;
	return false;
}

bool
bits_any(Bits b)
{
	const uint32_t end = bits_end(b);

	for (uint32_t i = bits_first(b); i < end; i++)
		if (b.word[i])
			return true;
	return false;
}

uint32_t
bits_count(Bits b)
{
	const uint32_t end = bits_end(b);
	uint32_t n = 0;

	for (uint32_t i = bits_first(b); i < end; i++)
		n += (uint32_t)__builtin_popcountll(b.word[i]);
	return n;
}

uint32_t
bits_next(Bits b, uint32_t from)
{
	const uint32_t first = bits_first(b), end = bits_end(b);
	uint32_t i = from >> 6;
	uint64_t mask = UINT64_MAX << (from & 63);

	if (i < first) {
		i = first;
		mask = UINT64_MAX;
	}
	if (i >= end)
		return UINT32_MAX;
	uint64_t w = b.word[i] & mask;
	while (!w) {
		if (++i == end)
			return UINT32_MAX;
		w = b.word[i];
	}
	return i * 64 + (uint32_t)__builtin_ctzll(w);
}
