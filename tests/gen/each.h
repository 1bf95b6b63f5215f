/* SPDX-License-Identifier: MIT */
/* Generates kernels until each annotation has occurred often enough; most annotations are rare.
 * A kernel is skipped if all of its annotations have occurred often enough. */
#ifndef GEN_EACH_H
#define GEN_EACH_H

#include "base/annot.h"

typedef struct {
	uint64_t most;                  /* kernels of each annotation */
	uint32_t kinds;                 /* bit k: of annotation k; 0: of all */
	uint32_t here;                  /* bit k: annotation k is in the kernel at hand */
} Each;

/* Adds an annotation to those that are looked for. False: there is none of that name. */
bool each_only(Each *e, const char *marker);
/* Is an annotation in the kernel that has not had its share? n: of each, those that had. */
bool each_wants(Each *e, const uint64_t *n, const char *text);
/* That kernel was transformed, and run. */
void each_count(const Each *e, uint64_t *n);
/* Have all of them had it? */
bool each_done(const Each *e, const uint64_t *n);

#endif
