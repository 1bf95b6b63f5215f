/* SPDX-License-Identifier: MIT */
/* Bit sets: plain loops over words; compilers vectorise them. */
#include <string.h>
#include "base/bits.h"

Bits
bits_new(Arena *a, uint32_t nbits)
{
	uint32_t n = nbits / 64 + (nbits % 64 != 0);

	return (Bits){ arena_array(a, n, sizeof(uint64_t)), n };
}

void
bits_clear(Bits b)
{
	if (b.nwords)
		memset(b.word, 0, b.nwords * sizeof *b.word);
}

void
bits_fill(Bits b, uint32_t from, uint32_t end)
{
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
	if (to.nwords)
		memcpy(to.word, from.word, to.nwords * sizeof *to.word);
}

bool
bits_or(Bits to, Bits from)
{
	uint64_t changed = 0;

	ASSERT(to.nwords == from.nwords);
	for (uint32_t i = 0; i < to.nwords; i++) {
		uint64_t w = to.word[i] | from.word[i];
		changed |= w ^ to.word[i];
		to.word[i] = w;
	}
	return changed != 0;
}

void
bits_and(Bits to, Bits from)
{
	for (uint32_t i = 0; i < to.nwords; i++)
		to.word[i] &= from.word[i];
}

void
bits_and_not(Bits to, Bits from)
{
	ASSERT(to.nwords == from.nwords);
	for (uint32_t i = 0; i < to.nwords; i++)
		to.word[i] &= ~from.word[i];
}

bool
bits_within(Bits a, Bits b)
{
	ASSERT(a.nwords == b.nwords);
	for (uint32_t i = 0; i < a.nwords; i++)
		if (a.word[i] & ~b.word[i])
			return false;
	return true;
}

bool
bits_any(Bits b)
{
	for (uint32_t i = 0; i < b.nwords; i++)
		if (b.word[i])
			return true;
	return false;
}

uint32_t
bits_count(Bits b)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < b.nwords; i++)
		n += (uint32_t)__builtin_popcountll(b.word[i]);
	return n;
}

uint32_t
bits_next(Bits b, uint32_t from)
{
	uint32_t i = from >> 6;

	if (i >= b.nwords)
		return UINT32_MAX;
	uint64_t w = b.word[i] & UINT64_MAX << (from & 63);
	while (!w) {
		if (++i == b.nwords)
			return UINT32_MAX;
		w = b.word[i];
	}
	return i * 64 + (uint32_t)__builtin_ctzll(w);
}
