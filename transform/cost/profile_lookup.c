/* SPDX-License-Identifier: MIT */
/* Looks up profile records for planning. See profile_lookup.h.
 *
 * A profile point is looked up in the input module, because its hash is of that code and the steps
 * before planning change it (pre_passes.h, task_loop_set.h). In a derived text it is identified by
 * its function, its annotation, and its number among that annotation's copies in the function:
 * these steps neither add nor remove other paths. */
#include <stdlib.h>
#include <string.h>
#include "analysis/analyse.h"
#include "transform/cost/profile_lookup.h"

/* The copy-th copy of an annotation in a function; identified by its begin marker. */
typedef struct {
	uint32_t func, id, copy;
	bool is_profiled; Execution_counts counts;
	const char *key;        /* lines that begin its record */
	const char *choice;     /* recorded policy; NULL: none */
	bool stale;             /* there is a recorded policy for different code */
} Profiled_point;

/* The analysis of a function, until it is taken. */
typedef struct { Fn *fn; Arena *tables; } Built_fn;

struct Profile_lookup {
	const Module *m;
	Profiled_point *at; uint32_t n;
	double memory;          /* result of profile_memory() */
	/* by marker of the module: index into `at`, from 1; 0: no profile point */
	uint32_t *by_marker;
	Built_fn *built;        /* by function */
};

/* Whether annotations were added since their function was counted: in lines of their own, or in
 * lines that the source had, such as those of `#pragma` for a build without ptxccc. */
typedef enum { NOT_ADDED, IN_NEW_LINES, IN_OLD_LINES } Added;

/* State of the lookup. */
typedef struct {
	Profile_lookup *to;
	const Profile *profile; /* NULL: none */
	uint32_t inserted_from; /* as in Measured_counts */
	bool counts;            /* the profile has counts */
	bool keyless;           /* keys are not needed */
	bool version_warned;
	Diags *diags;
	Arena *arena;
	uint32_t *copy;         /* marker_copy_numbers() of the current function */
	Added added;            /* of the current function */
	Cuda_pos *lines; uint32_t nlines; /* of annotations, sorted, each once */
} Lookup;

/* Returns the number of begin markers of the same annotation before this one in its function. */
static uint32_t
marker_copy_number(const Module *m, const Func *f, uint32_t marker)
{
	const Marker *k = &m->markers[marker];
	uint32_t n = 0;

	for (uint32_t i = f->marker; i < marker; i++) {
		const Marker *o = &m->markers[i];
		n += !o->end && o->id == k->id && o->annot.kind == k->annot.kind;
	}
	return n;
}

static void
warn_mismatch(const Fn *fn, const Region *point, Profile_match match, Diags *d)
{
	const Marker *k = &fn->m->markers[point->marker];
	uint32_t pos = fn_stmt(fn, k->stmt)->at.pos;

	if (match == PROFILE_STALE) {
		diag_cuda(d, D_PROFILE_STALE, k->cuda, pos,
			"the profile is of other code: its counts are not used here");
		diag_note(d, DIAG_NOWHERE,
			"the source, the compiler or its options changed since: make the profile anew");
	} else if (match == PROFILE_NONE && point->kind != REGION_LOOP) {
		diag_cuda(d, D_PROFILE_MISSING, k->cuda, pos,
			"the profile has nothing about this annotation");
	}
}

static const char *
key_lines(const Profile_key *key, Arena *a)
{
	Buf b = { 0 };

	profile_put_key(key, &b);
	const char *text = arena_strndup(a, b.at, b.n);
	buf_free(&b);
	return text;
}

/* Warns if choices were measured with another version, which may generate different code. */
static void
warn_version(const Profile_record *r, Diags *d)
{
	if (strcmp(r->by, VERSION) == 0)
		return;
	diag(d, D_PROFILE_STALE, DIAG_NOWHERE,
		"the profile's choices were measured with ptxccc %s, this is %s", r->by, VERSION);
	diag_note(d, DIAG_NOWHERE, "they are followed: measure anew, by ccc-tune");
}

static void
lookup_choice(const Profile_key *key, Lookup *l, Profiled_point *k)
{
	const Profile_record *r;
	Profile_match match = profile_find_choice(l->profile, key, &r);

	k->stale = match == PROFILE_STALE;
	if (match != PROFILE_FOUND)
		return;
	k->choice = arena_strndup(l->arena, r->choice, strlen(r->choice));
	if (!l->version_warned)
		warn_version(r, l->diags);
	l->version_warned = true;
}

/* Warns if the profile knows the function, but none of its annotations. Counts of another file are
 * reported once for all functions (profile_relocate). */
static void
warn_edited(const Fn *fn, const Region *first, Lookup *l)
{
	const Marker *k = &fn->m->markers[first->marker];
	size_t n;
	const char *name = ptx_name(fn->m, fn->f->sym, &n);

	if (!profile_has_function(l->profile, name, n, k->cuda.file))
		return;
	diag_cuda(l->diags, D_PROFILE_STALE, k->cuda, fn_stmt(fn, k->stmt)->at.pos,
		"the profile's counts of this function are for other lines: none is used");
	diag_note(l->diags, DIAG_NOWHERE,
		"lines were added or removed since: count the program as it is now, built with --ccc-profile-generate, or with --ccc-markers-only for 'ptxrun --profile'");
}

/* ---- annotations that were added ------------------------------------------------------------- */

static int
by_line(const void *a, const void *b)
{
	const Cuda_pos *x = a, *y = b;
	int order = strcmp(x->file, y->file);

	return order ? order : (x->line > y->line) - (x->line < y->line);
}

static void
collect_lines(const Module *m, Lookup *l)
{
	uint32_t n = 0;

	l->lines = arena_array(l->arena, m->nmarkers, sizeof *l->lines);
	for (uint32_t i = 1; i < m->nmarkers; i++)
		if (m->markers[i].cuda.file)
			l->lines[l->nlines++] = m->markers[i].cuda;
	if (l->nlines)
		qsort(l->lines, l->nlines, sizeof *l->lines, by_line);
	for (uint32_t i = 0; i < l->nlines; i++)
		if (!n || by_line(&l->lines[n - 1], &l->lines[i]) != 0)
			l->lines[n++] = l->lines[i];
	l->nlines = n;
}

/* Returns the number of lines with annotations in a file, up to this one. */
static uint32_t
lines_up_to(const Lookup *l, Cuda_pos at)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < l->nlines; i++)
		n += strcmp(l->lines[i].file, at.file) == 0 && l->lines[i].line <= at.line;
	return n;
}

/* A prediction was counted as the path or the inner loop that it is for, and the rest of an
 * iteration as the path of the branch before it. */
static const char *
kind_when_counted(const Fn *fn, const Region *point)
{
	Annot_kind kind = fn->m->markers[point->marker].annot.kind;

	if (kind == ANNOT_PREDICT || kind == ANNOT_PATH)
		kind = point->kind == REGION_INNER_LOOP ? ANNOT_FOR_VAR : ANNOT_IF;
	return annot_kinds[kind].marker;
}

/* Finds the counts of a loop by the line of its code that ptxrun names, which does not know the
 * statement: it may be far below the annotation. Returns a distance; -1: there are none. */
static int
find_by_loop_code(const Fn *fn, const Region *point, const Lookup *l, Profile_key *key,
	Execution_counts *counts, Cuda_pos *at)
{
	enum { LEAST_NEAR = 2 };
	const char *file = key->at.file;

	if (point->kind == REGION_PATH || !point->loop ||
		!ptx_cuda_pos(fn->m, fn_loop_stmt(fn, point->loop), &key->at) ||
		!profile_same_file(key->at.file, file))
		return -1;
	key->at.file = file; /* as in markers, whose lines are counted */
	const uint32_t added = l->added == IN_NEW_LINES ? lines_up_to(l, key->at) : 0;
	key->at.line--; /* where an annotation of that line would be */
	return profile_find_added(l->profile, key, added, counts, at) == 0 ? LEAST_NEAR : -1;
}

/* Whether the counts are of as many blocks as the point has. Texts with other annotations have the
 * same counted blocks, unless paths are annotated in them. */
static bool
counts_have_blocks_of(const Fn *fn, const Region *point, const Execution_counts *counts, Arena *tmp)
{
	Counted_block blocks[MAX_COUNTED_BLOCKS];

	return profile_point_blocks(fn, point, blocks, tmp) == counts->nblocks;
}

/* Finds the counts of a point of a function that was counted without annotations. Those of a loop's
 * common code are with those of its path. Returns how well they match, first of all by the line; 0:
 * there are none. */
static uint32_t
find_added(const Fn *fn, const Region *r, const Lookup *l, Execution_counts *counts, Arena *tmp)
{
	enum { SAME_LINE = 3, A_LINE = 2 };
	const Region *point = r->kind == REGION_LOOP ? profile_point_of_site(r) : r;
	const Annot_kind kind = fn->m->markers[point->marker].annot.kind;
	Cuda_pos at;

	Profile_key key = profile_key(fn, point, tmp);
	uint32_t added = l->added == IN_NEW_LINES ? lines_up_to(l, key.at) : 0;
	key.kind = kind_when_counted(fn, point);
	/* a path was counted at its condition, which is above what these are before */
	key.at.line -= point->kind == REGION_PATH && (kind == ANNOT_PREDICT || kind == ANNOT_PATH);
	int distance = profile_find_added(l->profile, &key, added, counts, &at);
	if (distance < 0)
		distance = find_by_loop_code(fn, point, l, &key, counts, &at);
	if (distance < 0)
		return 0;
	const bool same_blocks = counts_have_blocks_of(fn, point, counts, tmp);
	if (point != r && !profile_find_candidate(l->profile, annot_kinds[ANNOT_FOR].marker, at,
				  key.function, counts))
		return 0;
	return A_LINE * (SAME_LINE - (uint32_t)distance) + same_blocks;
}

/* Returns how the annotations of the function were added since it was counted. They were if the
 * profile has counts of the function, none of them at its annotations, but some at the statements
 * that these annotate. */
static Added
how_annotated_since(const Fn *fn, const Profile_points *c, Lookup *l, Arena *tmp)
{
	static const Added how[] = { IN_NEW_LINES, IN_OLD_LINES };
	size_t n;
	const char *name = ptx_name(fn->m, fn->f->sym, &n);
	Execution_counts counts;
	Added best = NOT_ADDED;
	uint32_t most = 0;

	if (!l->counts || l->keyless || l->inserted_from ||
		!profile_has_function(l->profile, name, n, NULL))
		return NOT_ADDED;
	for (uint32_t i = 0; i < c->n; i++) {
		Profile_key key = profile_key(fn, c->at[i].region, tmp);
		if (profile_find(l->profile, &key, &counts) != PROFILE_NONE)
			return NOT_ADDED;
	}
	for (size_t k = 0; k < sizeof how / sizeof *how; k++) {
		uint32_t near = 0;
		l->added = how[k];
		for (uint32_t i = 0; i < c->n; i++)
			near += find_added(fn, c->at[i].region, l, &counts, tmp);
		if (near > most)
			best = l->added;
		most = near > most ? near : most;
	}
	return best;
}

/* ---- the lookup ------------------------------------------------------------------------------ */

/* Returns whether the profile knows the place of the annotation. */
static bool
lookup_point(const Fn *fn, const Region *r, Lookup *l, Arena *tmp)
{
	Profiled_point *k = &l->to->at[l->to->n++];

	l->to->by_marker[r->marker] = l->to->n;
	k->func = fn->func;
	k->id = fn->m->markers[r->marker].id;
	k->copy = l->copy[r->marker - fn->f->marker];
	Profile_key key = profile_key(fn, r, tmp);
	k->key = key_lines(&key, l->arena);
	key.by_place = l->inserted_from && k->id >= l->inserted_from;
	if (!l->profile)
		return true;
	lookup_choice(&key, l, k);
	if (!l->counts)
		return true;
	Profile_match match = !l->added ? profile_find(l->profile, &key, &k->counts) :
		find_added(fn, r, l, &k->counts, tmp) ? PROFILE_FOUND : PROFILE_NONE;
	k->is_profiled = match == PROFILE_FOUND;
	if (!key.by_place)
		warn_mismatch(fn, r, match, l->diags);
	return key.by_place || match != PROFILE_NONE;
}

/* Returns marker_copy_number() of the function's begin markers. */
static uint32_t *
marker_copy_numbers(const Module *m, const Func *f, Arena *a)
{
	const uint32_t n = f->nmarkers;
	uint32_t *copy = arena_array(a, n, sizeof *copy);
	/* hash table with chaining by number of the annotation: 1 + the last marker of a bucket; by
	 * marker, 1 + the one before it */
	uint32_t *last = arena_array(a, n, sizeof *last),
		 *before = arena_array(a, n, sizeof *before);

	for (uint32_t i = 0; i < n; i++) {
		const Marker *at = &m->markers[f->marker], *k = &at[i];
		uint32_t *bucket = &last[k->id % n], o = *bucket;
		if (k->end)
			continue;
		while (o && (at[o - 1].id != k->id || at[o - 1].annot.kind != k->annot.kind))
			o = before[o - 1];
		copy[i] = o ? copy[o - 1] + 1 : 0;
		before[i] = *bucket;
		*bucket = i + 1;
	}
	return copy;
}

static void
lookup_function(const Fn *fn, Lookup *l)
{
	Arena *tmp = arena_new();
	Profile_points c = profile_points_find(fn, tmp);
	bool known = false;

	l->copy = marker_copy_numbers(fn->m, fn->f, tmp);
	l->added = how_annotated_since(fn, &c, l, tmp);
	for (uint32_t i = 0; i < c.n; i++)
		if (!c.at[i].whole)
			known |= lookup_point(fn, c.at[i].region, l, tmp);
	if (c.n && !known)
		warn_edited(fn, c.at[0].region, l);
	arena_free(tmp);
}

Profile_lookup *
profile_lookup_build(const Module *m, const Measured_counts *of, Diags *d, Arena *a)
{
	Profile_lookup *x = arena_zalloc(a, sizeof *x);
	const Profile *p = of->profile;
	Lookup l = { .to = x, .profile = p, .inserted_from = of->inserted_from,
		.counts = p && profile_counts(p), .keyless = of->keyless && !p, .diags = d,
		.arena = a };

	x->m = m;
	x->memory = p ? profile_memory(p) : 0;
	x->at = arena_zalloc(a, (m->nmarkers + 1u) * sizeof *x->at);
	x->by_marker = arena_array(a, m->nmarkers + 1u, sizeof *x->by_marker);
	x->built = arena_array(a, m->nfuncs + 1u, sizeof *x->built);
	if (m->nmarkers < 2)
		return x;
	if (l.counts)
		collect_lines(m, &l);
	const Effects *effects = effects_build(m, a);
	for (uint32_t i = 1; i < m->nfuncs; i++) {
		if (!m->funcs[i].body || !m->funcs[i].nmarkers)
			continue;
		Built_fn *b = &x->built[i];
		b->tables = arena_new();
		b->fn = fn_build(m, i, effects, b->tables);
		if (!l.keyless)
			lookup_function(b->fn, &l);
	}
	return x;
}

const Fn *
profile_lookup_tables(const void *measured, const Module *m, uint32_t func)
{
	const Profile_lookup *x = measured;

	return x && m == x->m ? x->built[func].fn : NULL;
}

Fn *
profile_lookup_take_tables(void *measured, const Module *m, uint32_t func, Arena **tables)
{
	Profile_lookup *x = measured;

	if (!profile_lookup_tables(x, m, func))
		return NULL;
	Built_fn b = x->built[func];
	x->built[func] = (Built_fn){ NULL, NULL };
	*tables = b.tables;
	return b.fn;
}

void
profile_lookup_release(void *measured)
{
	Profile_lookup *x = measured;

	for (uint32_t i = 0; i < x->m->nfuncs; i++)
		arena_free(x->built[i].tables);
}

static const Profiled_point *
profiled_point(const Profile_lookup *x, const Fn *fn, const Region *point)
{
	uint32_t id = fn->m->markers[point->marker].id, copy;

	if (x && fn->m == x->m)
		return x->by_marker[point->marker] ? &x->at[x->by_marker[point->marker] - 1] : NULL;
	copy = marker_copy_number(fn->m, fn->f, point->marker);
	for (uint32_t i = 0; x && i < x->n; i++)
		if (x->at[i].func == fn->func && x->at[i].id == id && x->at[i].copy == copy)
			return &x->at[i];
	return NULL;
}

const Execution_counts *
profile_lookup_counts(void *measured, const Fn *fn, const Region *point)
{
	const Profiled_point *k = profiled_point(measured, fn, point);

	return k && k->is_profiled ? &k->counts : NULL;
}

const Region *
profile_point_of_site(const Region *site)
{
	return site->npaths ? site->paths[0] : site->ninner_loops ? site->inner_loops[0] : site;
}

const char *
profile_lookup_key(const Pass_options *opt, const Fn *fn, const Region *point)
{
	const Profiled_point *k = profiled_point(opt->measured.lookup, fn, point);

	return k ? k->key : NULL;
}

/* Starts with the costliest path, which may change with the surrounding code. A loop without paths
 * and inner loops has its own choice. */
const char *
profile_lookup_choice(const Pass_options *opt, const Fn *fn, const Region *site, bool *stale)
{
	const uint32_t n = site->npaths + site->ninner_loops;

	*stale = false;
	for (uint32_t i = 0; i < n || (n == 0 && i == 0); i++) {
		const Profiled_point *k = profiled_point(opt->measured.lookup, fn,
			n == 0		 ? site :
			i < site->npaths ? site->paths[i] :
					   site->inner_loops[i - site->npaths]);
		if (k && k->choice)
			return k->choice;
		*stale |= k && k->stale;
	}
	return NULL;
}

bool
profile_lookup_melds(const Pass_options *opt, const Fn *fn, const Region *arm)
{
	const Profiled_point *k = profiled_point(opt->measured.lookup, fn, arm);

	return k && k->choice && strcmp(k->choice, CHOICE_MELD) == 0;
}

double
profile_memory_bandwidth(const Pass_options *opt)
{
	const Profile_lookup *x = opt->measured.lookup;

	return x ? x->memory : 0;
}
