/* SPDX-License-Identifier: MIT */
/* Runs ptxas on PTX, for --verify-ptxas. */
#ifndef DRIVER_PTXAS_H
#define DRIVER_PTXAS_H

#include "annotate/child.h"

typedef struct {
	const char *program;            /* a path, or a name to look up on PATH */
	unsigned arch;                  /* 90: for sm_90, if the PTX is for an earlier one */
	const char *maxrregcount;       /* the build's -maxrregcount for ptxas; NULL: none */
	/* file for the machine code of the result, which nvcc's ptxas step reads; NULL: none */
	const char *keep;
	Caught said;                    /* output of the last run */
	/* with keep: the last text that was assembled as a whole program, and its code */
	Buf text, code;
} Ptxas;

/* A ptxccc_assemble (lib/ptxccc.h) whose user is a Ptxas. Assembles for the architecture that
 * the PTX names, or for `arch`. */
int ptxas_assemble(void *user, const char *ptx, size_t len, const char **log);
/* Writes the file `keep` if the last text that was assembled is this result. */
void ptxas_keep_code(const Ptxas *p, const char *result, size_t len);

#endif
