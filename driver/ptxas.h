/* SPDX-License-Identifier: MIT */
/* Asking ptxas about PTX, for --verify-ptxas. */
#ifndef DRIVER_PTXAS_H
#define DRIVER_PTXAS_H

#include "annotate/child.h"

typedef struct {
	const char *program;            /* a path, or a name looked up on PATH */
	const char *maxrregcount;       /* what the build gives ptxas; NULL: nothing */
	Caught said;                    /* by the last run */
} Ptxas;

/* A ptxccc_assemble (lib/ptxccc.h): user is a Ptxas. Assembles for the architecture that the PTX
 * names. */
int ptxas_assemble(void *user, const char *ptx, size_t len, const char **log);

#endif
