/* SPDX-License-Identifier: MIT */
/* Profiles in memory; see profile.h. */
#include <stdlib.h>
#include <string.h>
#include "profile/match.h"
#include "profile/profile.h"

Profile
profile_new(void)
{
	return (Profile){ .arena = arena_new() };
}

void
profile_release(Profile *p)
{
	vec_free(&p->records);
	arena_free(p->arena);
	p->arena = NULL;
}

/* ---- counts ---------------------------------------------------------------------------------- */

/* Saturating addition. */
static void
saturating_add(uint64_t *to, uint64_t n)
{
	*to = *to > UINT64_MAX - n ? UINT64_MAX : *to + n;
}

static uint64_t
saturating_multiply(uint64_t n, uint32_t weight)
{
	return weight && n > UINT64_MAX / weight ? UINT64_MAX : n * weight;
}

/* Whether any lane reached the profile point. */
static bool
point_was_reached(const Execution_counts *f)
{
	for (uint32_t k = 1; k < 33; k++)
		if (f->histogram[k])
			return true;
	return false;
}

/* Block counts stay known if they were counted whenever lanes reached the profile point. */
static void
add_blocks(Execution_counts *to, const Execution_counts *f, uint32_t weight)
{
	if (!point_was_reached(f) && to->nblocks)
		return;
	if (point_was_reached(to) && to->nblocks != f->nblocks) {
		to->nblocks = 0;
		to->repeated = 0;
		return;
	}
	to->nblocks = f->nblocks;
	saturating_add(&to->repeated, saturating_multiply(f->repeated, weight));
	for (uint32_t k = 0; k < f->nblocks; k++) {
		Block_counts *b = &to->blocks[k];
		const Block_counts *n = &f->blocks[k];
		saturating_add(&b->runs, saturating_multiply(n->runs, weight));
		saturating_add(&b->longest, saturating_multiply(n->longest, weight));
		saturating_add(&b->squares, saturating_multiply(n->squares, weight));
		saturating_add(&b->launch_maxima, saturating_multiply(n->launch_maxima, weight));
		saturating_add(&b->changes, saturating_multiply(n->changes, weight));
		b->most = b->most > n->most ? b->most : n->most;
	}
}

/* Loop entries stay known if they were counted whenever the loop ran. */
static void
add_entries(Execution_counts *to, const Execution_counts *f, uint32_t weight)
{
	if ((to->warp_iterations && !to->entries) || (f->warp_iterations && !f->entries)) {
		to->entries = to->warp_entries = 0;
	} else {
		saturating_add(&to->entries, saturating_multiply(f->entries, weight));
		saturating_add(&to->warp_entries, saturating_multiply(f->warp_entries, weight));
	}
}

/* The same for launches and the longest lane of each. */
static void
add_launches(Execution_counts *to, const Execution_counts *f, uint32_t weight)
{
	if ((to->warp_iterations && !to->launches) || (f->warp_iterations && !f->launches)) {
		to->launches = to->launch_maxima = 0;
	} else {
		saturating_add(&to->launches, saturating_multiply(f->launches, weight));
		saturating_add(&to->launch_maxima, saturating_multiply(f->launch_maxima, weight));
	}
}

/* The largest block and GPU stay known if they were recorded whenever the kernel ran. */
static void
add_maximum(const Execution_counts *to, uint64_t *most, const Execution_counts *f, uint64_t n)
{
	if ((to->warp_iterations && !*most) || (f->warp_iterations && !n))
		*most = 0;
	else if (*most < n)
		*most = n;
}

/* Memory counts cover the executions in which they were counted. */
static void
add_memory(Execution_counts *to, const Execution_counts *f, uint32_t weight)
{
	saturating_add(&to->atomics.runs, saturating_multiply(f->atomics.runs, weight));
	saturating_add(&to->atomics.done, saturating_multiply(f->atomics.done, weight));
	saturating_add(&to->atomics.compared, saturating_multiply(f->atomics.compared, weight));
	saturating_add(&to->atomics.same, saturating_multiply(f->atomics.same, weight));
	saturating_add(&to->loads.runs, saturating_multiply(f->loads.runs, weight));
	saturating_add(&to->loads.sectors, saturating_multiply(f->loads.sectors, weight));
	saturating_add(&to->loads.missed, saturating_multiply(f->loads.missed, weight));
}

static void
add_counts(Execution_counts *to, const Execution_counts *f, uint32_t weight)
{
	add_blocks(to, f, weight);
	add_entries(to, f, weight);
	add_launches(to, f, weight);
	add_maximum(to, &to->largest_block, f, f->largest_block);
	add_maximum(to, &to->multiprocessors, f, f->multiprocessors);
	to->sampling = to->sampling > f->sampling ? to->sampling : f->sampling;
	add_memory(to, f, weight);
	saturating_add(&to->iterations, saturating_multiply(f->iterations, weight));
	saturating_add(&to->warp_iterations, saturating_multiply(f->warp_iterations, weight));
	saturating_add(&to->exits, saturating_multiply(f->exits, weight));
	saturating_add(&to->warp_exits, saturating_multiply(f->warp_exits, weight));
	saturating_add(&to->whole_trips, saturating_multiply(f->whole_trips, weight));
	saturating_add(&to->whole_longest, saturating_multiply(f->whole_longest, weight));
	saturating_add(&to->trips, saturating_multiply(f->trips, weight));
	saturating_add(&to->longest, saturating_multiply(f->longest, weight));
	saturating_add(&to->apart, saturating_multiply(f->apart, weight));
	for (uint32_t k = 1; k < 33; k++)
		saturating_add(&to->histogram[k], saturating_multiply(f->histogram[k], weight));
}

/* Limits a sum to which each warp adds at most `most`. */
static void
limit_sum(uint64_t *sum, uint64_t warps, uint64_t most)
{
	if (most && *sum / most >= warps)
		*sum = warps * most;
}

/* Computes the members that follow from the others. On a GPU the lanes of a warp may leave a
 * profile point in several groups. Each group adds its longest lane, so sums may be too high. */
static void
complete_counts(Execution_counts *f)
{
	f->lanes = f->warps = 0;
	for (uint32_t k = 1; k < 33; k++) {
		saturating_add(&f->warps, f->histogram[k]);
		saturating_add(&f->lanes, saturating_multiply(f->histogram[k], k));
	}
	f->histogram[0] = f->warp_iterations > f->warps ? f->warp_iterations - f->warps : 0;
	limit_sum(&f->longest, f->warps, f->launch_maxima);
	for (uint32_t i = 0; i < f->nblocks; i++)
		limit_sum(&f->blocks[i].longest, f->warps, f->blocks[i].most);
}

/* ---- records --------------------------------------------------------------------------------- */

static const char *
copy_text(Arena *a, const char *s)
{
	return arena_strndup(a, s, strlen(s));
}

static Profile_key
copy_key(const Profile_key *k, Arena *a)
{
	Profile_key to = *k;

	to.kind = copy_text(a, k->kind);
	to.at.file = copy_text(a, k->at.file);
	to.function = copy_text(a, k->function);
	to.inlined = arena_array(a, k->ninlined + 1u, sizeof *to.inlined);
	for (uint32_t i = 0; i < k->ninlined; i++) {
		to.inlined[i] = k->inlined[i];
		to.inlined[i].file = copy_text(a, k->inlined[i].file);
	}
	return to;
}

static Profile_record *
new_record(Profile *p, const Profile_key *key)
{
	Profile_record *r = vec_push(&p->records);

	*r = (Profile_record){ .key = copy_key(key, p->arena), .order = p->next++ };
	return r;
}

void
profile_add(Profile *p, const Profile_key *key, const Execution_counts *counts)
{
	Profile_record *r = new_record(p, key);

	r->counted = true;
	add_counts(&r->counts, counts, 1);
	complete_counts(&r->counts);
}

void
profile_add_memory(Profile *p, Profile_memory m)
{
	saturating_add(&p->memory.bytes, m.bytes);
	saturating_add(&p->memory.cycles, m.cycles);
}

double
profile_memory(const Profile *p)
{
	return p->memory.cycles ? (double)p->memory.bytes / (double)p->memory.cycles : 0;
}

uint64_t
profile_multiprocessors(const Profile *p)
{
	uint64_t most = 0;

	for (uint32_t i = 0; i < p->records.n; i++)
		if (most < p->records.at[i].counts.multiprocessors)
			most = p->records.at[i].counts.multiprocessors;
	return most;
}

void
profile_add_choice(Profile *p, const Profile_key *key, const char *choice, const char *by)
{
	Profile_record *r = new_record(p, key);

	r->choice = copy_text(p->arena, choice);
	r->by = copy_text(p->arena, by);
}

void
profile_merge(Profile *to, const Profile *from, uint32_t weight)
{
	profile_add_memory(to, (Profile_memory){ saturating_multiply(from->memory.bytes, weight),
				       saturating_multiply(from->memory.cycles, weight) });
	for (uint32_t i = 0; i < from->records.n; i++) {
		const Profile_record *f = &from->records.at[i];
		Profile_record *r = new_record(to, &f->key);
		r->counted = f->counted;
		add_counts(&r->counts, &f->counts, weight);
		complete_counts(&r->counts);
		if (f->choice) {
			r->choice = copy_text(to->arena, f->choice);
			r->by = copy_text(to->arena, f->by);
		}
	}
}

static int
compare_numbers(uint64_t a, uint64_t b) { return (a > b) - (a < b); }

static int
compare_places(const Cuda_pos *a, const Cuda_pos *b)
{
	int files = strcmp(a->file, b->file);

	return files ? files : a->line != b->line ? compare_numbers(a->line, b->line) :
						    compare_numbers(a->col, b->col);
}

static int
by_key(const void *x, const void *y)
{
	const Profile_key *a = &((const Profile_record *)x)->key,
			  *b = &((const Profile_record *)y)->key;
	int d = compare_places(&a->at, &b->at);

	if (!d)
		d = strcmp(a->function, b->function);
	if (!d)
		d = compare_numbers(a->ninlined, b->ninlined);
	for (uint32_t i = 0; !d && i < a->ninlined; i++)
		d = compare_places(&a->inlined[i], &b->inlined[i]);
	if (!d)
		d = strcmp(a->kind, b->kind);
	return d ? d : compare_numbers(a->hash, b->hash);
}

static int
by_key_and_order(const void *x, const void *y)
{
	const Profile_record *a = x, *b = y;
	int d = by_key(a, b);

	return d ? d : compare_numbers(a->order, b->order);
}

/* Adds a later record with the same key. */
static void
merge_record(Profile_record *to, const Profile_record *later)
{
	to->counted |= later->counted;
	add_counts(&to->counts, &later->counts, 1);
	complete_counts(&to->counts);
	if (!later->choice)
		return;
	to->choice = later->choice;
	to->by = later->by;
	to->order = later->order;
}

void
profile_sort_and_merge(Profile *p)
{
	uint32_t n = 0;

	if (p->records.n)
		qsort(p->records.at, p->records.n, sizeof *p->records.at, by_key_and_order);
	for (uint32_t i = 0; i < p->records.n; i++) {
		Profile_record *r = &p->records.at[i];
		if (n && by_key(&p->records.at[n - 1], r) == 0)
			merge_record(&p->records.at[n - 1], r);
		else
			p->records.at[n++] = *r;
	}
	p->records.n = n;
}

/* ---- overlap --------------------------------------------------------------------------------- */

static double
all_lanes(const Profile *p)
{
	double n = 0;

	for (uint32_t i = 0; i < p->records.n; i++)
		n += (double)p->records.at[i].counts.lanes;
	return n;
}

double
profile_overlap(const Profile *a, const Profile *b)
{
	double all_a = all_lanes(a), all_b = all_lanes(b), same = 0;

	for (uint32_t i = 0, k = 0; i < a->records.n && k < b->records.n;) {
		const Profile_record *x = &a->records.at[i], *y = &b->records.at[k];
		int d = by_key(x, y);
		if (d == 0 && all_a > 0 && all_b > 0) {
			double m = (double)x->counts.lanes / all_a,
			       n = (double)y->counts.lanes / all_b;
			same += m < n ? m : n;
		}
		i += d <= 0;
		k += d >= 0;
	}
	return same;
}

/* ---- look-up --------------------------------------------------------------------------------- */

static Profile_match
match_of(Nearness n)
{
	return n == FAR ? PROFILE_NONE : n == HERE ? PROFILE_STALE : PROFILE_FOUND;
}

Profile_match
profile_find(const Profile *p, const Profile_key *key, Execution_counts *sum)
{
	Nearness best = FAR;

	*sum = (Execution_counts){ 0 };
	for (uint32_t i = 0; i < p->records.n; i++) {
		const Profile_record *r = &p->records.at[i];
		Nearness n = !r->counted ? FAR : !key->by_place ? profile_match_code(&r->key, key) :
			profile_match_place(&r->key, key);
		if (n > best) {
			best = n;
			*sum = (Execution_counts){ 0 };
		}
		if (n == best && n >= ANY)
			add_counts(sum, &r->counts, 1);
	}
	complete_counts(sum);
	return match_of(best);
}

/* Of different candidates in a line, such as the conditions of an `if`, the innermost one counts,
 * which has the largest column; copies of one are added up. */
int
profile_find_added(const Profile *p, const Profile_key *key, uint32_t added,
	Execution_counts *sum, Cuda_pos *at)
{
	const Profile_key *best = NULL;
	int nearest = -1;

	*sum = (Execution_counts){ 0 };
	for (uint32_t i = 0; i < p->records.n; i++) {
		const Profile_key *k = &p->records.at[i].key;
		int n = p->records.at[i].counted ? profile_match_added(k, key, added) : -1;
		bool copy = best && n == nearest && k->hash == best->hash;
		if (n < 0 || (best && n > nearest) ||
			(best && n == nearest && !copy && k->at.col <= best->at.col))
			continue;
		if (!copy)
			*sum = (Execution_counts){ 0 };
		add_counts(sum, &p->records.at[i].counts, 1);
		best = k;
		nearest = n;
	}
	complete_counts(sum);
	if (best)
		*at = best->at;
	return nearest;
}

Profile_match
profile_find_choice(const Profile *p, const Profile_key *key, const Profile_record **found)
{
	Nearness best = FAR;

	*found = NULL;
	for (uint32_t i = 0; i < p->records.n; i++) {
		const Profile_record *r = &p->records.at[i];
		Nearness n = !r->choice ? FAR : key->by_place ? profile_match_place(&r->key, key) :
			profile_match_code(&r->key, key);
		if (n == FAR || (key->by_place && n != FUNCTION) || n < best ||
			(n == best && (*found)->order > r->order))
			continue;
		best = n;
		*found = r;
	}
	return match_of(best);
}

bool
profile_find_candidate(const Profile *p, const char *kind, Cuda_pos at, const char *function,
	Execution_counts *sum)
{
	const Profile_key key = { .kind = kind, .at = at, .function = function };
	bool any = false;

	*sum = (Execution_counts){ 0 };
	for (uint32_t i = 0; i < p->records.n; i++) {
		const Profile_record *r = &p->records.at[i];
		if (!r->counted || profile_match_place(&r->key, &key) != FUNCTION)
			continue;
		add_counts(sum, &r->counts, 1);
		any = true;
	}
	complete_counts(sum);
	return any;
}

bool
profile_has_function(const Profile *p, const char *name, size_t n, const char *file)
{
	for (uint32_t i = 0; i < p->records.n; i++) {
		const Profile_record *r = &p->records.at[i];
		if (r->counted && strlen(r->key.function) == n &&
			memcmp(r->key.function, name, n) == 0 &&
			(!file || profile_same_file(r->key.at.file, file)))
			return true;
	}
	return false;
}

bool
profile_counts(const Profile *p)
{
	for (uint32_t i = 0; i < p->records.n; i++)
		if (p->records.at[i].counted)
			return true;
	return false;
}
