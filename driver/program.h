/* SPDX-License-Identifier: MIT */
/* A whole CUDA program on the emulator: `ptxrun [options] -- ./program arguments`. */
#ifndef DRIVER_PROGRAM_H
#define DRIVER_PROGRAM_H

#include "simt/simt.h"

typedef struct {
	const char *name;       /* of the program: program_run() sets it */
	Sim_launch launch;      /* schedule and checks */
	uint64_t seeds;         /* runs under random schedules, after the first */
	const char *module;     /* PTX for a program that has none in it; NULL */
	uint64_t arch, sms;     /* of the device; 0: not given */
	const char *ptxas;      /* asked for the machine code, to count by; NULL: rules do */
	bool counts;            /* print a table of the kernels */
	bool table; Sim_lines_of lines; bool by_lost; /* a table of lines for each module */
	const char *html;       /* file for a page of all lines; NULL: none */
	bool own_status;        /* what the checks found is not in the exit status */
	const char *suppress;   /* file of reports that are not wanted; NULL */
	/* write it to a file, one line a kernel, fields parted by tabs; NULL */
	const char *counts_file;
	bool advice;            /* in place of the table of lines */
	const char *profile;    /* file for how often cuts were come to; NULL: none */
} Program;

/* Runs argv[0] with the arguments behind it. Exit status: the program's own; 1 where that is 0 and
 * a check failed; 2 when it could not be run, or did not use the runtime. Messages and the table go
 * to the standard error output. */
int program_run(const Program *p, char **argv);

#endif
