/* SPDX-License-Identifier: MIT */
/* The command line of ptxas, as far as ccc-ptxas needs it. */
#ifndef DRIVER_PTXAS_ARGS_H
#define DRIVER_PTXAS_ARGS_H

#include <stdbool.h>
#include "base/buf.h"
#include "base/vec.h"

typedef struct {
	/* the command line with option files replaced by their words; NULL at the end */
	VEC(char *) words;
	VEC(uint32_t) inputs;   /* words that may be names of PTX files */
	uint32_t output;        /* the word with the output file's name; 0: none */
	const char *output_option; /* "-o=" if that word has it in front; else "" */
	bool version, help;
	bool debug;             /* code for a debugger, or without optimisation */
	VEC(char *) owned;      /* words of option files */
} Ptxas_args;

/* Returns false if an option file cannot be read or has quoting that is not known to be read as
 * ptxas does. */
bool ptxas_args_read(Ptxas_args *a, char **argv);
void ptxas_args_release(Ptxas_args *a);

#endif
