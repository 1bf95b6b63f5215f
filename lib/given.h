/* SPDX-License-Identifier: MIT */
/* Texts that a context receives in addition to the one that it transforms: profiles and PTX. */
#ifndef LIB_GIVEN_H
#define LIB_GIVEN_H

#include "lib/context.h"

void given_texts_release(ptxccc *c, Given_text **list);
/* Parses the context's profiles in the order in which they were supplied. Warns if they have
 * no records of module m. */
void given_profiles(ptxccc *c, const Module *m, Profile *to, Diags *d);
/* Returns the module of the source without annotations, NULL if none was supplied. src receives
 * its text. */
const Module *given_plain(const Given_text *g, Source *src, Diags *d);

#endif
