/* SPDX-License-Identifier: MIT */
/* Texts that a context is given beside the one that is transformed: profiles, and PTX. */
#ifndef LIB_GIVEN_H
#define LIB_GIVEN_H

#include "lib/context.h"

void given_drop(ptxccc *c, Given **list);
/* Reads the profiles, the first one given first. */
void given_profiles(const Given *g, Profile *to, Diags *d);
/* The module of the source without annotations; NULL: none is given. src: its text. */
const Module *given_plain(const Given *g, Source *src, Diags *d);

#endif
