/* SPDX-License-Identifier: MIT */
/* Generates kernels until each annotation has occurred often enough; most annotations are rare.
 * A kernel is skipped if all of its annotations have occurred often enough. */
#ifndef GEN_EACH_H
#define GEN_EACH_H

#include "base/annot.h"

typedef struct {
	uint64_t most;                  /* number of kernels for each annotation */
	uint32_t kinds;                 /* bit k: of annotation k; 0: of all */
	uint32_t here;                  /* bit k: annotation k is in the current kernel */
} Each;

/* Adds an annotation to those that are required. Returns false if there is none of that name. */
bool each_only(Each *e, const char *marker);
/* Whether the kernel has an annotation that has not occurred often enough. n: the occurrences of
 * each so far. */
bool each_wants(Each *e, const uint64_t *n, const char *text);
/* Records that the kernel was transformed and run. */
void each_count(const Each *e, uint64_t *n);
/* Whether all annotations have occurred often enough. */
bool each_done(const Each *e, const uint64_t *n);

#endif
