/* SPDX-License-Identifier: MIT */
/* The options of ptxccc. */
#ifndef DRIVER_PTXCCC_OPTIONS_H
#define DRIVER_PTXCCC_OPTIONS_H

#include "driver/ptxas.h"
#include "lib/ptxccc.h"

typedef struct {
	const char *in, *out;
	bool report;
	ptxccc_format format;   /* its */
	const char *report_to;  /* the report's file; NULL: standard error, or output for JSON */
	const char *annotations; /* file for what became of them; NULL: none */
	const char *dump;
	bool list, dot, keep, suggest;
	bool unread;            /* a profile could not be had */
	const char *color;      /* "auto", "always", "never" */
	Ptxas ptxas;            /* program NULL: is not asked */
	ptxccc *lib;            /* gets the options about the transformation */
} Options;

/* Reads the command line. 0 to go on, -1 when all is done, or the exit status after a message. */
int options_parse(Options *o, int argc, char **argv);

#endif
