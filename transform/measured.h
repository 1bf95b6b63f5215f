/* SPDX-License-Identifier: MIT */
/* What a profile says of the cuts of a module, for who plans (analysis/frequency.h). */
#ifndef TRANSFORM_MEASURED_H
#define TRANSFORM_MEASURED_H

#include "analysis/cuts.h"
#include "base/diag.h"
#include "transform/pass.h"

typedef struct Measured Measured;

/* Looks up every cut of a module as it was, and says of which there is nothing, or nothing that
 * fits, in the profile. Lives in arena a. */
Measured *measured_build(const Module *m, const Profile *p, Diags *d, Arena *a);
/* A Frequency_of: of the cut in that module, or in a text made of it. measured: a Measured. */
const Frequency *measured_of(void *measured, const Fn *fn, const Region *cut);
/* What is known of the cut, for people: "10.20 % of the lanes come, 3.3 of a warp together"; in
 * arena a. NULL: nothing. */
const char *measured_note(const Pass_options *opt, const Fn *fn, const Region *cut, Arena *a);

#endif
