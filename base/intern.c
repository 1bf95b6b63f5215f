/* SPDX-License-Identifier: MIT */
/* Interned strings: a hash table of (key, id) with open addressing.
 *
 * Most names of a PTX module are registers of at most eight bytes. The key of such a name is the
 * name itself, so a look-up reads one cache line and never the text. The key of a longer name is a
 * 64-bit hash, and its text is compared. */
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"
#include "base/diag.h"
#include "base/intern.h"
#include "base/vec.h"

typedef struct {
	uint64_t key;
	uint32_t len;
	uint32_t id; /* 0: free */
} Intern_slot;

typedef struct {
	const char *text;
	uint32_t len;
} Interned_name;

struct Intern {
	Intern_slot *slot;
	uint32_t mask; /* number of slots - 1, where the number is a power of two */
	VEC(Interned_name) name;
};

static uint64_t
mix_hash(uint64_t h)
{
	h *= UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 32;
}

/* Returns the first n <= 8 bytes as a number. */
static uint64_t
load_word(const char *s, size_t n)
{
	uint64_t v = 0;

	if (n >= 4) { /* two overlapping loads */
		uint32_t lo, hi;
		memcpy(&lo, s, 4);
		memcpy(&hi, s + n - 4, 4);
		v = lo | (uint64_t)hi << 8 * (n - 4);
	} else {
		for (size_t i = n; i-- > 0;)
			v = v << 8 | (unsigned char)s[i];
	}
	return v;
}

static uint64_t
key_of(const char *s, size_t len)
{
	if (len <= 8)
		return load_word(s, len);
	uint64_t h = len;
	for (; len > 8; s += 8, len -= 8)
		h = mix_hash(h ^ load_word(s, 8));
	return mix_hash(h ^ load_word(s, len));
}

Intern *
intern_new(void)
{
	Intern *t = xmalloc(sizeof *t);

	*t = (Intern){ .mask = 1023 };
	t->slot = xmalloc((t->mask + 1) * sizeof *t->slot);
	memset(t->slot, 0, (t->mask + 1) * sizeof *t->slot);
	*vec_push(&t->name) = (Interned_name){ "", 0 };
	return t;
}

void
intern_free(Intern *t)
{
	if (!t)
		return;
	xfree(t->slot);
	vec_free(&t->name);
	xfree(t);
}

/* Returns the slot of the string, or the free slot where it belongs. */
static Intern_slot *
find_slot(const Intern *t, const char *s, size_t len, uint64_t key)
{
	for (uint32_t i = (uint32_t)mix_hash(key ^ len);; i++) {
		Intern_slot *e = &t->slot[i & t->mask];
		if (!e->id)
			return e;
		if (e->key == key && e->len == len &&
			(len <= 8 || memcmp(t->name.at[e->id].text, s, len) == 0))
			return e;
	}
}

static void
grow_table(Intern *t)
{
	Intern_slot *old = t->slot;
	uint32_t n = t->mask + 1;

	t->mask = 2 * n - 1;
	t->slot = xmalloc(2 * (size_t)n * sizeof *t->slot);
	memset(t->slot, 0, 2 * (size_t)n * sizeof *t->slot);
	for (uint32_t k = 0; k < n; k++) {
		if (!old[k].id)
			continue;
		uint32_t i = (uint32_t)mix_hash(old[k].key ^ old[k].len);
		while (t->slot[i & t->mask].id)
			i++;
		t->slot[i & t->mask] = old[k];
	}
	xfree(old);
}

uint32_t
intern_add(Intern *t, const char *s, size_t len)
{
	uint64_t key = key_of(s, len);
	Intern_slot *e = find_slot(t, s, len, key);

	if (e->id)
		return e->id;
	if (t->name.n > t->mask / 2) {
		grow_table(t);
		e = find_slot(t, s, len, key);
	}
	*e = (Intern_slot){ key, (uint32_t)len, t->name.n };
	*vec_push(&t->name) = (Interned_name){ s, (uint32_t)len };
	return e->id;
}

uint32_t
intern_find(const Intern *t, const char *s, size_t len)
{
	return find_slot(t, s, len, key_of(s, len))->id;
}

const char *
intern_text(const Intern *t, uint32_t id, size_t *len)
{
	if (id >= t->name.n)
		die("no interned string %u", id);
	*len = t->name.at[id].len;
	return t->name.at[id].text;
}

uint32_t
intern_count(const Intern *t)
{
	return t->name.n - 1;
}
