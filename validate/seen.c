/* SPDX-License-Identifier: MIT */
/* The states that some lane was in at a label, in a hash table. See site.h. */
#include <stddef.h>
#include <string.h>
#include "validate/parts.h"

/* Of four words at a time; what is behind the last four is not looked at. */
static uint64_t
hash_words(uint64_t h, const void *from, size_t size)
{
	const char *at = from, *end = at + size / 32 * 32;
	uint64_t w[4];

	for (; at < end; at += sizeof w) {
		memcpy(w, at, sizeof w); /* it need not be aligned */
		h = (h ^ (w[0] + w[1] * UINT64_C(0xc2b2ae3d27d4eb4f))) *
				UINT64_C(0x9e3779b97f4a7c15) +
			(w[2] * UINT64_C(0x165667b19e3779f9) ^ w[3] * UINT64_C(0x27d4eb2f165667c5));
	}
	return h ^ h >> 29;
}

/* Of the most of it that states are told apart by. */
static uint32_t
hash(const Site *s, const Lane *l)
{
	uint64_t h = hash_words(l->nfacts ? l->facts[0] : 0, l, offsetof(Lane, facts));

	h = hash_words(h, l->env, s->lane_size - sizeof *l);
	return (uint32_t)(h >> 32);
}

static void
grow(Site *s)
{
	Seen *old = s->seen;
	uint32_t n = s->seen_cap;

	s->seen_cap = n ? 2 * n : 256;
	s->seen = arena_array(s->arena, s->seen_cap, sizeof *s->seen);
	for (uint32_t i = 0; i < n; i++) {
		if (!old[i].lane)
			continue;
		uint32_t h = old[i].hash & (s->seen_cap - 1);
		while (s->seen[h].lane)
			h = (h + 1) & (s->seen_cap - 1);
		s->seen[h] = old[i];
	}
}

static bool
find_seen(Site *s, const Lane *l)
{
	if (2 * s->nseen >= s->seen_cap)
		grow(s);
	uint32_t k = hash(s, l), h = k & (s->seen_cap - 1);
	for (; s->seen[h].lane; h = (h + 1) & (s->seen_cap - 1))
		if (s->seen[h].hash == k && memcmp(s->seen[h].lane, l, s->lane_size) == 0)
			return true;
	s->seen[h] = (Seen){ lane_copy(s, l), k };
	s->nseen++;
	return false;
}

bool
lane_seen(Site *s, Lane *l)
{
	uint32_t branches = l->branches;

	l->branches = 0;
	bool yes = find_seen(s, l);
	l->branches = branches;
	return yes;
}
