/* SPDX-License-Identifier: MIT */
/* The options of ptxccc. */
#ifndef DRIVER_PTXCCC_OPTIONS_H
#define DRIVER_PTXCCC_OPTIONS_H

#include "driver/ptxas.h"
#include "lib/ptxccc.h"

typedef struct {
	const char *in, *out;
	bool report;
	ptxccc_format format;   /* of the report */
	/* file of the report; NULL: standard error, or the output for JSON */
	const char *report_to;
	const char *annotations; /* file that lists what became of each annotation; NULL: none */
	const char *explain;    /* file of the page of --explain; NULL: none */
	const char *dump;
	bool list, dot, keep, suggest, generates, automatic;
	bool unread;            /* a profile could not be read */
	const char *color;      /* "auto", "always", "never" */
	Ptxas ptxas;            /* program NULL: ptxas is not run */
	ptxccc *lib;            /* receives the options of the transformation */
} Options;

/* Parses the command line. Returns 0 to continue, -1 if nothing is left to do, or an exit status
 * after printing a message. */
int options_parse(Options *o, int argc, char **argv);

#endif
