/* SPDX-License-Identifier: MIT */
/* Reports that are known and not wanted. */
#ifndef DRIVER_RT_SUPPRESS_H
#define DRIVER_RT_SUPPRESS_H

#include "simt/simt.h"

typedef struct Suppress Suppress;

/* Reads such a file; NULL after adding to wrong, which was empty, what is wrong. */
Suppress *suppress_read(const char *path, Buf *wrong);
void suppress_free(Suppress *s); /* s may be NULL */
/* Sim_launch.silent, with the Suppress as its .silences. */
bool suppress_fits(void *s, const Sim_found *f);

#endif
