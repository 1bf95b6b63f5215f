/* SPDX-License-Identifier: MIT */
/* The options of ptxrun. */
#ifndef DRIVER_PTXRUN_OPTIONS_H
#define DRIVER_PTXRUN_OPTIONS_H

#include <stdio.h>
#include "driver/args.h"
#include "driver/costs.h"
#include "driver/program.h"
#include "simt/simt.h"

enum { MAX_ARGS = 64, MAX_SHAPES = 32 };

typedef struct {
	const char *file, *kernel;
	Arg args[MAX_ARGS]; uint32_t nargs;
	Sim_launch launch;
	uint32_t shapes[MAX_SHAPES][3], nshapes;
	uint64_t seeds, dump;
	const char *save;
	Buf listing;            /* of the machine code; empty: rules count */
	bool counts, quiet, check, table, advice;
	const char *profile;    /* file for how often cuts were come to; NULL: none */
	Profile cuts;
	Sim_lines_of lines;     /* of the table */
	bool by_lost;
	const char *html;       /* file for the page of lines; NULL: none */
	Costs costs;
	Program program;
} Options;

/* What --help says. */
void options_usage(FILE *to);
/* Says what is wrong, and gives the exit status. */
int options_fail(const char *what, const char *arg);
/* Takes the words of a command line; 0, or the exit status after a message. */
int options_words(Options *o, int argc, char **argv);
/* The same for a launch of one kernel, which must be whole. */
int options_parse(Options *o, int argc, char **argv);

#endif
