/* SPDX-License-Identifier: MIT */
/* Runs ptxas on PTX, for --verify-ptxas. */
#ifndef DRIVER_PTXAS_H
#define DRIVER_PTXAS_H

#include "annotate/child.h"

typedef struct {
	const char *program;            /* a path, or a name to look up on PATH */
	unsigned arch;                  /* 90: for sm_90, if the PTX is for an earlier one */
	const char *maxrregcount;       /* the build's -maxrregcount for ptxas; NULL: none */
	const char *level;              /* the build's optimisation level; NULL: ptxas's default */
	/* file for the machine code of the result, which nvcc's ptxas step reads; NULL: none */
	const char *keep;
	Caught said;                    /* output of the last run */
	Buf code;               /* of the last run; empty if it failed */
	bool whole;             /* that is a whole program, which need not be linked */
	Buf text;               /* what the code was made of; empty: ptxas had warnings */
} Ptxas;

/* A ptxccc_assemble (lib/ptxccc.h) whose user is a Ptxas. Assembles for the architecture that
 * the PTX names, or for `arch`. */
int ptxas_assemble(void *user, const char *ptx, size_t len, const char **log);
/* A ptxccc_machine_code for the same user. */
const char *ptxas_machine_code(void *user, size_t *len);
/* Writes the file `keep` if the last text that was assembled is this result. */
void ptxas_keep_code(const Ptxas *p, const char *result, size_t len);
/* Frees what the functions above have allocated. */
void ptxas_release(Ptxas *p);

#endif
