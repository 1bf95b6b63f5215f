/* SPDX-License-Identifier: MIT */
/* Rewrites one module for the library that ptxccc-run preloads. */
#ifndef DRIVER_LOAD_REWRITE_H
#define DRIVER_LOAD_REWRITE_H

/* Reads a module from standard input: PTX (kind "ptx") or a container of nvcc ("fatbin"). Writes a
 * Rewrite_status to standard output, then the text to load; no text if the module is to be loaded
 * as it is. arch: the GPU's, 90 for sm_90; 0: unknown. Returns the exit status. */
int load_rewrite(const char *kind, unsigned arch);

#endif
