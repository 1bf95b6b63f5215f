/* SPDX-License-Identifier: MIT */
/* The options of ptxrun. */
#ifndef DRIVER_PTXRUN_OPTIONS_H
#define DRIVER_PTXRUN_OPTIONS_H

#include <stdio.h>
#include "driver/args.h"
#include "driver/costs.h"
#include "driver/program.h"
#include "simt/simt.h"
#include "suggest/auto_output.h"

enum { MAX_ARGS = 64, MAX_SHAPES = 32 };

typedef struct {
	const char *file, *kernel;
	Arg args[MAX_ARGS]; uint32_t nargs;
	Sim_launch launch;
	uint32_t shapes[MAX_SHAPES][3], nshapes;
	uint64_t seeds, dump;
	const char *save;
	Buf listing;            /* of the machine code; empty: issue slots by rules */
	bool counts, check, table, advice;
	uint32_t promised;      /* annotated loops whose promises were checked */
	const char *profile;    /* file for the execution counts; NULL: none */
	Profile points;
	Sim_lines_of lines;     /* of the table of lines */
	bool by_lost;
	Auto_layers layers;     /* what --advice and --profile run; m NULL: the module itself */
	const char *html;       /* file of the page of lines; NULL: none */
	Costs costs;
	Sim *silent;            /* of the last random schedule; NULL: none yet */
	Program program;
} Options;

/* Prints the text of --help. */
void options_usage(FILE *to);
/* Prints an error message and returns the exit status. */
int options_fail(const char *what, const char *arg);
/* Parses the words of a command line. Returns 0, or the exit status after printing a message. */
int options_words(Options *o, int argc, char **argv);
/* Like options_words, but requires a complete launch of one kernel. */
int options_parse(Options *o, int argc, char **argv);

#endif
