/* SPDX-License-Identifier: MIT */
/* Rewrites one module for the library that ptxccc-run preloads. */
#ifndef DRIVER_LOAD_REWRITE_H
#define DRIVER_LOAD_REWRITE_H

typedef struct {
	const char *kind;       /* of the module: "ptx", or "fatbin" for a container of nvcc */
	unsigned arch;          /* the GPU's, 90 for sm_90; 0: unknown */
	/* the driver's CUDA version, 13000 for 13.0, if machine code may be loaded; else 0 */
	unsigned driver;
	const char *library;    /* the driver's file; NULL: unknown */
} Load_request;

/* Reads a module from standard input. Writes a Rewrite_status to standard output, then what to load
 * in its place. Returns the exit status. */
int load_rewrite(const Load_request *wanted);

#endif
