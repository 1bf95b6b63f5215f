/* SPDX-License-Identifier: MIT */
/* Looks up profile records for planning. See profile_lookup.h.
 *
 * A profile point is looked up in the input module, because its hash is of that code and the steps
 * before planning change it (pre_passes.h, task_loop_set.h). In a derived text it is identified by
 * its function, its annotation, and its number among that annotation's copies in the function:
 * these steps neither add nor remove other paths. */
#include <string.h>
#include "analysis/analyse.h"
#include "transform/cost/profile_lookup.h"

/* The copy-th copy of an annotation in a function; identified by its begin marker. */
typedef struct {
	uint32_t func, id, copy;
	bool known; Frequency counts;
	const char *key;        /* lines that begin its record */
	const char *choice;     /* recorded policy; NULL: none */
	bool stale;             /* there is a recorded policy for different code */
} Known_cut;

/* The analysis of a function, until it is taken. */
typedef struct { Fn *fn; Arena *tables; } Built;

struct Measured {
	const Module *m;
	Known_cut *at; uint32_t n;
	double memory;          /* result of profile_memory() */
	/* by marker of the module: index into `at`, from 1; 0: no profile point */
	uint32_t *by_marker;
	Built *built;           /* by function */
};

/* State of the lookup. */
typedef struct {
	Measured *to;
	const Profile *profile; /* NULL: none */
	bool counts;            /* the profile has counts */
	bool told_version;
	Diags *diags;
	Arena *arena;
} Looking;

/* Returns the number of begin markers of the same annotation before this one in its function. */
static uint32_t
copy_of(const Module *m, const Func *f, uint32_t marker)
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
tell(const Fn *fn, const Region *cut, Profile_match match, Diags *d)
{
	const Marker *k = &fn->m->markers[cut->marker];
	uint32_t pos = fn_stmt(fn, k->stmt)->at.pos;

	if (match == PROFILE_STALE) {
		diag_cuda(d, D_PROFILE_STALE, k->cuda, pos,
			"the profile is of other code: its counts are not used here");
		diag_note(d, DIAG_NOWHERE,
			"the source, the compiler or its options changed since: make the profile anew");
	} else if (match == PROFILE_NONE && cut->kind != REGION_LOOP) {
		diag_cuda(d, D_PROFILE_MISSING, k->cuda, pos,
			"the profile has nothing about this annotation");
	}
}

static const char *
lines_of(const Profile_key *key, Arena *a)
{
	Buf b = { 0 };

	profile_put_key(key, &b);
	const char *text = arena_strndup(a, b.at, b.n);
	buf_free(&b);
	return text;
}

/* Warns if choices were measured with another version, which may generate different code. */
static void
tell_version(const Profile_record *r, Diags *d)
{
	if (strcmp(r->by, VERSION) == 0)
		return;
	diag(d, D_PROFILE_STALE, DIAG_NOWHERE,
		"the profile's choices were measured with ptxccc %s, this is %s", r->by, VERSION);
	diag_note(d, DIAG_NOWHERE, "they are followed: measure anew, by ccc-tune");
}

static void
look_up_choice(const Profile_key *key, Looking *l, Known_cut *k)
{
	const Profile_record *r;
	Profile_match match = profile_chosen(l->profile, key, &r);

	k->stale = match == PROFILE_STALE;
	if (match != PROFILE_FOUND)
		return;
	k->choice = arena_strndup(l->arena, r->choice, strlen(r->choice));
	if (!l->told_version)
		tell_version(r, l->diags);
	l->told_version = true;
}

static void
look_up_cut(const Fn *fn, const Region *r, Looking *l, Arena *tmp)
{
	Known_cut *k = &l->to->at[l->to->n++];
	Profile_key key = profile_key(fn, r, tmp);

	l->to->by_marker[r->marker] = l->to->n;
	k->func = fn->func;
	k->id = fn->m->markers[r->marker].id;
	k->copy = copy_of(fn->m, fn->f, r->marker);
	k->key = lines_of(&key, l->arena);
	if (!l->profile)
		return;
	look_up_choice(&key, l, k);
	if (!l->counts)
		return;
	Profile_match match = profile_find(l->profile, &key, &k->counts);
	k->known = match == PROFILE_FOUND;
	tell(fn, r, match, l->diags);
}

static void
look_up(const Fn *fn, Looking *l)
{
	Arena *tmp = arena_new();
	Cuts c = cuts_find(fn, tmp);

	for (uint32_t i = 0; i < c.n; i++)
		look_up_cut(fn, c.at[i].region, l, tmp);
	arena_free(tmp);
}

Measured *
measured_build(const Module *m, const Profile *p, Diags *d, Arena *a)
{
	Measured *x = arena_zalloc(a, sizeof *x);
	Looking l = { .to = x, .profile = p, .counts = p && profile_counts(p), .diags = d,
		.arena = a };

	x->m = m;
	x->memory = p ? profile_memory(p) : 0;
	x->at = arena_zalloc(a, (m->nmarkers + 1u) * sizeof *x->at);
	x->by_marker = arena_array(a, m->nmarkers + 1u, sizeof *x->by_marker);
	x->built = arena_array(a, m->nfuncs + 1u, sizeof *x->built);
	if (m->nmarkers < 2)
		return x;
	const Effects *effects = effects_build(m, a);
	for (uint32_t i = 1; i < m->nfuncs; i++) {
		if (!m->funcs[i].body || !m->funcs[i].nmarkers)
			continue;
		Built *b = &x->built[i];
		b->tables = arena_new();
		b->fn = fn_build(m, i, effects, b->tables);
		look_up(b->fn, &l);
	}
	return x;
}

const Fn *
measured_tables(const void *measured, const Module *m, uint32_t func)
{
	const Measured *x = measured;

	return x && m == x->m ? x->built[func].fn : NULL;
}

Fn *
measured_take(void *measured, const Module *m, uint32_t func, Arena **tables)
{
	Measured *x = measured;

	if (!measured_tables(x, m, func))
		return NULL;
	Built b = x->built[func];
	x->built[func] = (Built){ NULL, NULL };
	*tables = b.tables;
	return b.fn;
}

void
measured_release(void *measured)
{
	Measured *x = measured;

	for (uint32_t i = 0; i < x->m->nfuncs; i++)
		arena_free(x->built[i].tables);
}

static const Known_cut *
known(const Measured *x, const Fn *fn, const Region *cut)
{
	uint32_t id = fn->m->markers[cut->marker].id, copy;

	if (x && fn->m == x->m)
		return x->by_marker[cut->marker] ? &x->at[x->by_marker[cut->marker] - 1] : NULL;
	copy = copy_of(fn->m, fn->f, cut->marker);
	for (uint32_t i = 0; x && i < x->n; i++)
		if (x->at[i].func == fn->func && x->at[i].id == id && x->at[i].copy == copy)
			return &x->at[i];
	return NULL;
}

const Frequency *
measured_of(void *measured, const Fn *fn, const Region *cut)
{
	const Known_cut *k = known(measured, fn, cut);

	return k && k->known ? &k->counts : NULL;
}

const Region *
measured_by(const Region *site)
{
	return site->npaths ? site->paths[0] : site->nrounds ? site->rounds[0] : NULL;
}

const char *
measured_key(const Pass_options *opt, const Fn *fn, const Region *cut)
{
	const Known_cut *k = known(opt->measured, fn, cut);

	return k ? k->key : NULL;
}

/* The costliest path is asked first; which one that is may change with the surrounding code. */
const char *
measured_choice(const Pass_options *opt, const Fn *fn, const Region *site, bool *stale)
{
	*stale = false;
	for (uint32_t i = 0; i < site->npaths + site->nrounds; i++) {
		const Known_cut *k = known(opt->measured, fn,
			i < site->npaths ? site->paths[i] : site->rounds[i - site->npaths]);
		if (k && k->choice)
			return k->choice;
		*stale |= k && k->stale;
	}
	return NULL;
}

static double
share(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

double
measured_memory(const Pass_options *opt)
{
	const Measured *x = opt->measured;

	return x ? x->memory : 0;
}

const char *
measured_note(const Pass_options *opt, const Fn *fn, const Region *cut, Arena *a)
{
	const Frequency *f = pass_frequency(opt, fn, cut);
	Buf b = { 0 };

	if (!f)
		return NULL;
	buf_printf(&b, "%.2f %% of the lanes come", 100 * share(f->lanes, f->iterations));
	if (f->warps)
		buf_printf(&b, ", %.1f of a warp together", share(f->lanes, f->warps));
	if (f->trips)
		buf_printf(&b, ", %.1f iterations a lane, %.1f of the warp's longest",
			share(f->trips, f->lanes), share(f->longest, f->warps));
	for (uint32_t k = 0; k < f->nblocks; k++)
		buf_printf(&b, ", block %u %.2f times a lane, %.2f of the warp's longest", k + 1,
			share(f->blocks[k].runs, f->lanes), share(f->blocks[k].longest, f->warps));
	if (f->atomics.compared)
		buf_printf(&b, ", %.1f %% of its atomic operations in one line",
			100 * share(f->atomics.same, f->atomics.compared));
	if (f->loads.sectors)
		buf_printf(&b, ", %.1f %% of its sectors from the second cache",
			100 * share(f->loads.missed, f->loads.sectors));
	const char *text = arena_strndup(a, b.at, b.n);
	buf_free(&b);
	return text;
}
