/* SPDX-License-Identifier: MIT */
/* Temporary files: in TMPDIR, else in /tmp. */
#ifndef DRIVER_TEMPORARY_H
#define DRIVER_TEMPORARY_H

#include <stddef.h>

/* Makes a new, empty file whose name begins with stem, and puts its path into name. Returns a
 * descriptor of it, open for reading and writing, or -1, with errno. */
int temporary_make(char *name, size_t room, const char *stem);

#endif
