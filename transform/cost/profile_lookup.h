/* SPDX-License-Identifier: MIT */
/* What a profile says of the cuts of a module, for who plans
 * (analysis/region/execution_counts.h), and by what
 * the profiles know them. */
#ifndef TRANSFORM_COST_PROFILE_LOOKUP_H
#define TRANSFORM_COST_PROFILE_LOOKUP_H

#include "analysis/region/profile_points.h"
#include "base/diag.h"
#include "transform/plan/options.h"

typedef struct Measured Measured;

/* Looks up every cut of a module as it was, and says of which there is nothing, or nothing that
 * fits, in the profile; p NULL: there is none, and the cuts only have their keys. Lives in arena
 * a. */
Measured *measured_build(const Module *m, const Profile *p, Diags *d, Arena *a);
/* The tables of a function that it has built, to be read; NULL: it has none any more. */
const Fn *measured_tables(const void *measured, const Module *m, uint32_t func);
/* The same for whoever needs them next, with the arena that they live in; NULL: it has none. Those
 * that nobody takes go with measured_release. */
Fn *measured_take(void *measured, const Module *m, uint32_t func, Arena **tables);
void measured_release(void *measured);
/* A Frequency_of: of the cut in that module, or in a text made of it. measured: a Measured. */
const Frequency *measured_of(void *measured, const Fn *fn, const Region *cut);
/* Bytes that memory gives a multiprocessor in a cycle; 0: no GPU has counted. */
double measured_memory(const Pass_options *opt);
/* By which cut a profile knows the site: its first path, or inner loop; NULL: it has none. */
const Region *measured_by(const Region *site);
/* The lines that begin the cut's record; NULL: not known. */
const char *measured_key(const Pass_options *opt, const Fn *fn, const Region *cut);
/* What was chosen for a site, at any of its cuts; NULL: nothing was. *stale: it was, but its code
 * is another now. */
const char *measured_choice(
	const Pass_options *opt, const Fn *fn, const Region *site, bool *stale);
/* What is known of the cut, for people: "10.20 % of the lanes come, 3.3 of a warp together"; in
 * arena a. NULL: nothing. */
const char *measured_note(const Pass_options *opt, const Fn *fn, const Region *cut, Arena *a);

#endif
