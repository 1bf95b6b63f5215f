/* SPDX-License-Identifier: MIT */
/* Computes maxima over the lanes that entered a profile point together (instrument.c).
 *
 * On a GPU these lanes may leave in several groups: ptxas does not make lanes reconverge at every
 * loop exit. A barrier for the lanes that entered together could hang a program whose lanes wait
 * for each other, and some lanes may end in the loop. So lanes do not wait: the maximum is kept in
 * global memory, in a row that the entry's lanes share, and each lane that leaves adds the amount
 * by which it raises the maximum. These amounts add up to the maximum. If all lanes of an entry
 * leave together, as usual, no memory is accessed.
 *
 * Correctness (labels are those of profile.tpl):
 * - Lanes that execute `enter` together get the same %^began and %^key.
 * - Let B be the lanes at `left` that are in an entry. If each has %^began = B (%^whole), all are
 *   in one entry, and all of its lanes are here: of two entries by the same lanes, one is later for
 *   each of them, so they are in that one. None of them has used the row, and the first one may
 *   keep it for its next entry. Otherwise no lane keeps it.
 * - A row is in use until as many lanes have departed as began the entry. Then the last one frees
 *   it; no other one accesses it afterwards, since a fence precedes each departure. So a row that
 *   has been used belongs to one entry. The lane that takes a row increments its number of uses,
 *   and atom.max compares that before the maximum. So the first lane to leave finds a smaller
 *   number of uses in each word, and its amount is all that it has counted.
 * - No loop waits for another lane: `claim` tries 64 rows.
 * - Lanes that end in the region by a return or exit of the same function depart (`abandon`). If
 *   they end in a called function, the row remains in use.
 *
 * An entry without a row, because all that were tried are in use, adds the numbers of all lanes if
 * they do not leave together: an upper bound. On an H100 there are 7 rows for each resident warp
 * that counts. A warp needs one for each level of nested profile points, and one more for each
 * entry from which only some of its lanes have left. */
#include <stdio.h>
#include "transform/instrument/instrument.h"

enum {
	ROWS = 65536,           /* if all blocks count */
	LEAST_ROWS = 1024,
	WORD = 8                /* bytes */
};

uint32_t
instrument_rows(const Instrumentation *w)
{
	uint32_t n = w->opt->instrument.sampling < 32 ? ROWS >> w->opt->instrument.sampling : 0;

	return n > LEAST_ROWS ? n : LEAST_ROWS;
}

void
instrument_set_rows(Instrumentation *w, const char *prefix)
{
	tpl_value(&w->t, "rows", "%srows", prefix);
	tpl_value(&w->t, "last_row", "%u", instrument_rows(w) - 1);
}

uint32_t
instrument_row_word(Instrumentation *w, uint32_t k)
{
	if (w->row_words < k + 2)
		w->row_words = k + 2;
	return (k + 1) * instrument_rows(w) * WORD - WORD;
}

/* Whether profile point i is nested in profile point k, or the later one of two that are nested in
 * each other. */
static bool
is_nested(const Profile_points *points, uint32_t i, uint32_t k)
{
	const Profile_point *in = &points->at[i], *out = &points->at[k];

	return i != k && bits_has(out->region->blocks, in->entered.at[0]) &&
		(k < i || !bits_has(in->region->blocks, out->entered.at[0]));
}

const Point_entry *
instrument_add_entry(Instrumentation *w, const Profile_points *points, uint32_t number)
{
	Point_entry *e = vec_push(&w->entries);

	*e = (Point_entry){ .point = w->points, .blocks = points->at[number].region->blocks };
	for (uint32_t k = 0; k < points->n; k++)
		e->depth += is_nested(points, number, k);
	for (; w->free_rows <= e->depth; w->free_rows++) {
		instrument_declare_register(w, 64, "free", w->free_rows);
		instrument_flush(w, "release", "free", w->free_rows, 0);
	}
	instrument_declare_register(w, 32, "began", e->point);
	instrument_declare_register(w, 64, "key", e->point);
	return e;
}

void
instrument_set_entry(Instrumentation *w, const Point_entry *e, const char *after)
{
	tpl_value(&w->t, "k", "%u", e->point);
	tpl_value(&w->t, "d", "%u", e->depth);
	tpl_value(&w->t, "held", "%%%skey%u", w->t.prefix, e->point);
	tpl_value(&w->t, "after", "%s", after);
}

void
instrument_enter(Instrumentation *w, const Point_entry *e)
{
	instrument_set_entry(w, e, "entered");
	tpl_write_section(&w->t, "enter");
}

void
instrument_abandon_entries(Instrumentation *w, uint32_t block)
{
	char after[32];

	for (uint32_t i = 0; i < w->entries.n; i++) {
		if (!bits_has(w->entries.at[i].blocks, block))
			continue;
		snprintf(after, sizeof after, "departed%u_", w->entries.at[i].point);
		instrument_set_entry(w, &w->entries.at[i], after);
		tpl_write_section(&w->t, "abandon");
	}
}
