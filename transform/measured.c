/* SPDX-License-Identifier: MIT */
/* From profiles to plans. See measured.h.
 *
 * A cut is looked up in the module as it was: its hash is of that code, and steps in front of the
 * plans change it (texts.h, taskloops.h). In a text made of the module it is found again by its
 * function, its annotation, and its number among that annotation's copies in the function: such
 * steps neither add nor remove paths of others.
 */
#include <string.h>
#include "transform/measured.h"

/* Of the n-th copy of an annotation in a function; by begin marker. */
typedef struct { uint32_t func, id, copy; bool known; Frequency counts; } Known_cut;

struct Measured { Known_cut *at; uint32_t n; };

/* How many begin markers of the same annotation stand before this one in its function? */
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
	} else if (match == PROFILE_NONE) {
		diag_cuda(d, D_PROFILE_MISSING, k->cuda, pos,
			"the profile has nothing about this annotation");
	}
}

static void
look_up(const Fn *fn, const Profile *p, Measured *x, Diags *d)
{
	Arena *tmp = arena_new();
	Cuts c = cuts_find(fn, tmp);

	for (uint32_t i = 0; i < c.n; i++) {
		const Region *r = c.at[i].region;
		Known_cut *k = &x->at[x->n++];
		Profile_key key = profile_key(fn, r, tmp);
		Profile_match match = profile_find(p, &key, &k->counts);
		k->func = fn->func;
		k->id = fn->m->markers[r->marker].id;
		k->copy = copy_of(fn->m, fn->f, r->marker);
		k->known = match == PROFILE_FOUND;
		tell(fn, r, match, d);
	}
	arena_free(tmp);
}

Measured *
measured_build(const Module *m, const Profile *p, Diags *d, Arena *a)
{
	Measured *x = arena_zalloc(a, sizeof *x);
	const Effects *effects = effects_build(m, a);

	x->at = arena_array(a, m->nmarkers + 1u, sizeof *x->at);
	for (uint32_t i = 1; i < m->nfuncs; i++) {
		if (!m->funcs[i].body || !m->funcs[i].nmarkers)
			continue;
		Arena *tables = arena_new();
		look_up(fn_build(m, i, effects, tables), p, x, d);
		arena_free(tables);
	}
	return x;
}

const Frequency *
measured_of(void *measured, const Fn *fn, const Region *cut)
{
	const Measured *x = measured;
	uint32_t id = fn->m->markers[cut->marker].id,
		 copy = copy_of(fn->m, fn->f, cut->marker);

	for (uint32_t i = 0; i < x->n; i++)
		if (x->at[i].func == fn->func && x->at[i].id == id && x->at[i].copy == copy)
			return x->at[i].known ? &x->at[i].counts : NULL;
	return NULL;
}

static double
share(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

const char *
measured_note(const Pass_options *opt, const Fn *fn, const Region *cut, Arena *a)
{
	const Frequency *f = opt->frequency ? opt->frequency(opt->measured, fn, cut) : NULL;
	Buf b = { 0 };

	if (!f)
		return NULL;
	buf_printf(&b, "%.2f %% of the lanes come", 100 * share(f->lanes, f->iterations));
	if (f->warps)
		buf_printf(&b, ", %.1f of a warp together", share(f->lanes, f->warps));
	if (f->trips)
		buf_printf(&b, ", %.1f iterations a lane, %.1f of the warp's longest",
			share(f->trips, f->lanes), share(f->longest, f->warps));
	const char *text = arena_strndup(a, b.at, b.n);
	buf_free(&b);
	return text;
}
