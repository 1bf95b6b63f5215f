/* SPDX-License-Identifier: MIT */
/* Reports that the user suppresses (ptxrun --suppress). */
#ifndef DRIVER_RT_SUPPRESS_H
#define DRIVER_RT_SUPPRESS_H

#include "simt/simt.h"

typedef struct Suppress Suppress;

/* Reads a file of suppressions. On failure returns NULL and appends the reason to wrong, which
 * must be empty. */
Suppress *suppress_read(const char *path, Buf *wrong);
void suppress_free(Suppress *s); /* s may be NULL */
/* The function Sim_launch.silent; the Suppress is its .silences. */
bool suppress_fits(void *s, const Sim_found *f);

#endif
