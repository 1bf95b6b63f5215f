/* SPDX-License-Identifier: MIT */
/* Looks up execution counts and recorded choices of a module's profile points, for planning
 * (analysis/region/execution_counts.h). */
#ifndef TRANSFORM_COST_PROFILE_LOOKUP_H
#define TRANSFORM_COST_PROFILE_LOOKUP_H

#include "analysis/region/profile_points.h"
#include "base/diag.h"
#include "transform/plan/options.h"

typedef struct Profile_lookup Profile_lookup;

/* Looks up every profile point of the input module, and warns of points that the profile lacks or
 * whose code has changed. Without a profile, only the keys are computed. Lives in arena a. */
Profile_lookup *profile_lookup_build(
	const Module *m, const Measured_counts *of, Diags *d, Arena *a);
/* Returns the analysis of a function that was built for the lookup, read-only; NULL if already
 * taken. */
const Fn *profile_lookup_tables(const void *measured, const Module *m, uint32_t func);
/* Transfers that analysis, with its arena, to the caller; NULL if there is none.
 * profile_lookup_release() frees those that were not taken. */
Fn *profile_lookup_take_tables(void *measured, const Module *m, uint32_t func, Arena **tables);
void profile_lookup_release(void *measured);
/* A Execution_counts_of, for a profile point of that module or of a text derived from it. measured:
 * a Measured. */
const Execution_counts *profile_lookup_counts(void *measured, const Fn *fn, const Region *point);
/* Returns the memory bandwidth of a multiprocessor in bytes per cycle; 0 if no GPU was measured. */
double profile_memory_bandwidth(const Pass_options *opt);
/* Returns the profile point by which a profile identifies the site: its first path or inner loop,
 * or the site if it has none. */
const Region *profile_point_of_site(const Region *site);
/* Returns the lines that begin the profile point's record; NULL if unknown. */
const char *profile_lookup_key(const Pass_options *opt, const Fn *fn, const Region *point);
/* Returns the recorded choice for a site, at any of its profile points; NULL if there is none.
 * *stale: there is one, but for different code. */
const char *profile_lookup_choice(
	const Pass_options *opt, const Fn *fn, const Region *site, bool *stale);
/* The choice for a branch to have its arms melded; whether it is recorded for the arm. */
#define CHOICE_MELD "meld"
bool profile_lookup_melds(const Pass_options *opt, const Fn *fn, const Region *arm);
/* Returns the execution counts as text: "10.20 % of the lanes come, 3.3 of a warp together"; in
 * arena a. NULL if there are none. */
const char *profile_lookup_note(
	const Pass_options *opt, const Fn *fn, const Region *point, Arena *a);

#endif
