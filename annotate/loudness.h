/* SPDX-License-Identifier: MIT */
/* What the cicc hook itself warns of, under the user's options. */
#ifndef ANNOTATE_LOUDNESS_H
#define ANNOTATE_LOUDNESS_H

#include "annotate/setup.h"

typedef enum { LOUDNESS_SILENT, LOUDNESS_WARNING, LOUDNESS_ERROR } Loudness;

/* Prints a warning of this kind, or an error if the options make it one, or nothing. */
Loudness hook_warn(const Hook *h, const char *kind, const char *text);

#endif
