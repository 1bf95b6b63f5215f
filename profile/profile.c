/* SPDX-License-Identifier: MIT */
/* Profiles in memory; see profile.h. */
#include <stdlib.h>
#include <string.h>
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
add(uint64_t *to, uint64_t n)
{
	*to = *to > UINT64_MAX - n ? UINT64_MAX : *to + n;
}

static uint64_t
times(uint64_t n, uint32_t weight)
{
	return weight && n > UINT64_MAX / weight ? UINT64_MAX : n * weight;
}

/* Whether any lane reached the profile point. */
static bool
came(const Frequency *f)
{
	for (uint32_t k = 1; k < 33; k++)
		if (f->histogram[k])
			return true;
	return false;
}

/* Block counts stay known if they were counted whenever lanes reached the profile point. */
static void
add_blocks(Frequency *to, const Frequency *f, uint32_t weight)
{
	if (!came(f) && to->nblocks)
		return;
	if (came(to) && to->nblocks != f->nblocks) {
		to->nblocks = 0;
		to->again = 0;
		return;
	}
	to->nblocks = f->nblocks;
	add(&to->again, times(f->again, weight));
	for (uint32_t k = 0; k < f->nblocks; k++) {
		Frequency_block *b = &to->blocks[k];
		const Frequency_block *n = &f->blocks[k];
		add(&b->runs, times(n->runs, weight));
		add(&b->longest, times(n->longest, weight));
		add(&b->squares, times(n->squares, weight));
		add(&b->last, times(n->last, weight));
		add(&b->changes, times(n->changes, weight));
		b->most = b->most > n->most ? b->most : n->most;
	}
}

/* Loop entries stay known if they were counted whenever the loop ran. */
static void
add_entries(Frequency *to, const Frequency *f, uint32_t weight)
{
	if ((to->rounds && !to->entries) || (f->rounds && !f->entries)) {
		to->entries = to->entered = 0;
	} else {
		add(&to->entries, times(f->entries, weight));
		add(&to->entered, times(f->entered, weight));
	}
}

/* The same for launches and the longest lane of each. */
static void
add_launches(Frequency *to, const Frequency *f, uint32_t weight)
{
	if ((to->rounds && !to->launches) || (f->rounds && !f->launches)) {
		to->launches = to->last = 0;
	} else {
		add(&to->launches, times(f->launches, weight));
		add(&to->last, times(f->last, weight));
	}
}

/* Memory counts cover the executions in which they were counted. */
static void
add_memory(Frequency *to, const Frequency *f, uint32_t weight)
{
	add(&to->atomics.runs, times(f->atomics.runs, weight));
	add(&to->atomics.done, times(f->atomics.done, weight));
	add(&to->atomics.compared, times(f->atomics.compared, weight));
	add(&to->atomics.same, times(f->atomics.same, weight));
	add(&to->loads.runs, times(f->loads.runs, weight));
	add(&to->loads.sectors, times(f->loads.sectors, weight));
	add(&to->loads.missed, times(f->loads.missed, weight));
}

static void
add_counts(Frequency *to, const Frequency *f, uint32_t weight)
{
	add_blocks(to, f, weight);
	add_entries(to, f, weight);
	add_launches(to, f, weight);
	add_memory(to, f, weight);
	add(&to->iterations, times(f->iterations, weight));
	add(&to->rounds, times(f->rounds, weight));
	add(&to->trips, times(f->trips, weight));
	add(&to->longest, times(f->longest, weight));
	for (uint32_t k = 1; k < 33; k++)
		add(&to->histogram[k], times(f->histogram[k], weight));
}

/* Computes the members that follow from the others. */
static void
complete(Frequency *f)
{
	f->lanes = f->warps = 0;
	for (uint32_t k = 1; k < 33; k++) {
		add(&f->warps, f->histogram[k]);
		add(&f->lanes, times(f->histogram[k], k));
	}
	f->histogram[0] = f->rounds > f->warps ? f->rounds - f->warps : 0;
}

/* ---- records --------------------------------------------------------------------------------- */

static const char *
copy(Arena *a, const char *s)
{
	return arena_strndup(a, s, strlen(s));
}

static Profile_key
copy_key(const Profile_key *k, Arena *a)
{
	Profile_key to = *k;

	to.kind = copy(a, k->kind);
	to.at.file = copy(a, k->at.file);
	to.function = copy(a, k->function);
	to.inlined = arena_array(a, k->ninlined + 1u, sizeof *to.inlined);
	for (uint32_t i = 0; i < k->ninlined; i++) {
		to.inlined[i] = k->inlined[i];
		to.inlined[i].file = copy(a, k->inlined[i].file);
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
profile_add(Profile *p, const Profile_key *key, const Frequency *counts)
{
	Profile_record *r = new_record(p, key);

	r->counted = true;
	add_counts(&r->counts, counts, 1);
	complete(&r->counts);
}

void
profile_add_memory(Profile *p, Profile_memory m)
{
	add(&p->memory.bytes, m.bytes);
	add(&p->memory.cycles, m.cycles);
}

double
profile_memory(const Profile *p)
{
	return p->memory.cycles ? (double)p->memory.bytes / (double)p->memory.cycles : 0;
}

void
profile_choose(Profile *p, const Profile_key *key, const char *choice, const char *by)
{
	Profile_record *r = new_record(p, key);

	r->choice = copy(p->arena, choice);
	r->by = copy(p->arena, by);
}

void
profile_merge(Profile *to, const Profile *from, uint32_t weight)
{
	profile_add_memory(to, (Profile_memory){ times(from->memory.bytes, weight),
				       times(from->memory.cycles, weight) });
	for (uint32_t i = 0; i < from->records.n; i++) {
		const Profile_record *f = &from->records.at[i];
		Profile_record *r = new_record(to, &f->key);
		r->counted = f->counted;
		add_counts(&r->counts, &f->counts, weight);
		complete(&r->counts);
		if (f->choice) {
			r->choice = copy(to->arena, f->choice);
			r->by = copy(to->arena, f->by);
		}
	}
}

static int
numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int
places(const Cuda_pos *a, const Cuda_pos *b)
{
	int files = strcmp(a->file, b->file);

	return files ? files : a->line != b->line ? numbers(a->line, b->line) :
						    numbers(a->col, b->col);
}

static int
by_key(const void *x, const void *y)
{
	const Profile_key *a = &((const Profile_record *)x)->key,
			  *b = &((const Profile_record *)y)->key;
	int d = places(&a->at, &b->at);

	if (!d)
		d = strcmp(a->function, b->function);
	if (!d)
		d = numbers(a->ninlined, b->ninlined);
	for (uint32_t i = 0; !d && i < a->ninlined; i++)
		d = places(&a->inlined[i], &b->inlined[i]);
	if (!d)
		d = strcmp(a->kind, b->kind);
	return d ? d : numbers(a->hash, b->hash);
}

static int
by_key_and_order(const void *x, const void *y)
{
	const Profile_record *a = x, *b = y;
	int d = by_key(a, b);

	return d ? d : numbers(a->order, b->order);
}

/* Adds a later record with the same key. */
static void
unite(Profile_record *to, const Profile_record *later)
{
	to->counted |= later->counted;
	add_counts(&to->counts, &later->counts, 1);
	complete(&to->counts);
	if (!later->choice)
		return;
	to->choice = later->choice;
	to->by = later->by;
	to->order = later->order;
}

void
profile_settle(Profile *p)
{
	uint32_t n = 0;

	if (p->records.n)
		qsort(p->records.at, p->records.n, sizeof *p->records.at, by_key_and_order);
	for (uint32_t i = 0; i < p->records.n; i++) {
		Profile_record *r = &p->records.at[i];
		if (n && by_key(&p->records.at[n - 1], r) == 0)
			unite(&p->records.at[n - 1], r);
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

/* Whether two compilations name the same file: bfs.cu, /home/me/bfs.cu. */
static bool
same_file(const char *a, const char *b)
{
	size_t m = strlen(a), n = strlen(b);
	const char *tail = m < n ? b + (n - m) : a + (m - n), *shorter = m < n ? a : b;

	if (m == n)
		return strcmp(a, b) == 0;
	return *shorter && strcmp(tail, shorter) == 0 && tail[-1] == '/';
}

static bool
same_chain(const Profile_key *a, const Profile_key *b)
{
	if (a->ninlined != b->ninlined)
		return false;
	for (uint32_t i = 0; i < a->ninlined; i++)
		if (a->inlined[i].line != b->inlined[i].line ||
			!same_file(a->inlined[i].file, b->inlined[i].file))
			return false;
	return true;
}

/* Kinds of inner loops are equivalent when records are matched by position. */
static bool
is_of_loop(const char *kind)
{
	return strcmp(kind, "for-var") == 0 || strcmp(kind, "while") == 0;
}

/* Whether the annotation is on that line or up to ABOVE lines above it. */
static bool
near_place(const Profile_key *r, const Profile_key *k)
{
	enum { ABOVE = 2 };

	return r->at.line <= k->at.line && k->at.line - r->at.line <= ABOVE &&
		(strcmp(r->kind, k->kind) == 0 ||
			(is_of_loop(r->kind) && is_of_loop(k->kind))) &&
		same_file(r->at.file, k->at.file);
}

/* How well a record's key matches that of a profile point. */
typedef enum { FAR, HERE, CODE, FUNCTION, CHAIN } Nearness;

static Nearness
nearness(const Profile_key *r, const Profile_key *k)
{
	bool columns = !r->at.col || !k->at.col || r->at.col == k->at.col;

	if (r->at.line != k->at.line || strcmp(r->kind, k->kind) != 0 || !columns ||
		!same_file(r->at.file, k->at.file))
		return FAR;
	if (r->hash != k->hash)
		return HERE;
	if (strcmp(r->function, k->function) != 0)
		return CODE;
	return same_chain(r, k) ? CHAIN : FUNCTION;
}

static Profile_match
match_of(Nearness n)
{
	return n == FAR ? PROFILE_NONE : n == HERE ? PROFILE_STALE : PROFILE_FOUND;
}

Profile_match
profile_find(const Profile *p, const Profile_key *key, Frequency *sum)
{
	Nearness best = FAR;

	*sum = (Frequency){ 0 };
	for (uint32_t i = 0; i < p->records.n; i++) {
		const Profile_record *r = &p->records.at[i];
		Nearness n = !r->counted ? FAR : !p->by_place ? nearness(&r->key, key) :
			near_place(&r->key, key)	      ? CODE : FAR;
		if (n > best) {
			best = n;
			*sum = (Frequency){ 0 };
		}
		if (n == best && n >= CODE)
			add_counts(sum, &r->counts, 1);
	}
	complete(sum);
	return match_of(best);
}

Profile_match
profile_chosen(const Profile *p, const Profile_key *key, const Profile_record **found)
{
	Nearness best = FAR;

	*found = NULL;
	for (uint32_t i = 0; i < p->records.n; i++) {
		const Profile_record *r = &p->records.at[i];
		Nearness n = r->choice && !p->by_place ? nearness(&r->key, key) : FAR;
		if (n == FAR || n < best || (n == best && (*found)->order > r->order))
			continue;
		best = n;
		*found = r;
	}
	return match_of(best);
}

bool
profile_counts(const Profile *p)
{
	for (uint32_t i = 0; i < p->records.n; i++)
		if (p->records.at[i].counted)
			return true;
	return false;
}
