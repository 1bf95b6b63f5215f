/* SPDX-License-Identifier: MIT */
/* Runs ptxas on PTX, for --verify-ptxas. */
#ifndef DRIVER_PTXAS_H
#define DRIVER_PTXAS_H

#include "annotate/child.h"

typedef struct {
	const char *program;            /* a path, or a name to look up on PATH */
	const char *maxrregcount;       /* the build's -maxrregcount for ptxas; NULL: none */
	Caught said;                    /* output of the last run */
} Ptxas;

/* A ptxccc_assemble (lib/ptxccc.h) whose user is a Ptxas. Assembles for the architecture that
 * the PTX names. */
int ptxas_assemble(void *user, const char *ptx, size_t len, const char **log);

#endif
