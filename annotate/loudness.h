/* SPDX-License-Identifier: MIT */
/* Warnings of the cicc hook itself, subject to the user's options. */
#ifndef ANNOTATE_LOUDNESS_H
#define ANNOTATE_LOUDNESS_H

#include "annotate/setup.h"
#include "base/diag.h"

typedef enum { LOUDNESS_SILENT, LOUDNESS_WARNING, LOUDNESS_ERROR } Loudness;

/* Prints a warning of this kind; an error if the options say so; nothing if it is disabled. */
Loudness hook_warn(const Hook *h, const char *kind, const char *text);
/* Gives the diagnostics of the rewriter the levels that the options ask for. */
void hook_set_levels(const Hook *h, Diags *d);

#endif
