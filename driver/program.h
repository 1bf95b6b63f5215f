/* SPDX-License-Identifier: MIT */
/* Runs a whole CUDA program on the emulator: `ptxrun [options] -- ./program arguments`. */
#ifndef DRIVER_PROGRAM_H
#define DRIVER_PROGRAM_H

#include "simt/simt.h"

typedef struct {
	const char *name;       /* the program's; set by program_run() */
	Sim_launch launch;      /* schedule and checks */
	uint64_t seeds;         /* number of additional runs under random schedules */
	const char *module;     /* PTX for a program that contains none; NULL */
	uint64_t arch, sms;     /* of the device; 0 if not given */
	/* assembles the code whose machine instructions are counted; NULL: issue slots by rules */
	const char *ptxas;
	bool counts;            /* print a table of the kernels */
	bool table; Sim_lines_of lines; bool by_lost; /* print a table of lines for each module */
	const char *html;       /* file of the page of all lines; NULL: none */
	bool own_status;        /* faults that the checks find do not affect the exit status */
	const char *suppress;   /* file of suppressed reports; NULL */
	/* file for the table of kernels: one kernel per line, fields separated by tabs; NULL */
	const char *counts_file;
	bool no_promises;       /* do not check what annotations promise */
	bool advice;            /* instead of the table of lines */
	bool quiet;             /* do not tell what was checked */
	const char *profile;    /* file for the execution counts; NULL: none */
} Program;

/* Runs the program argv[0] with its arguments. Returns the program's exit status; 1 if that is 0
 * and a check failed; 2 if the program could not run or did not use the runtime. Messages and
 * the table go to standard error. */
int program_run(const Program *p, char **argv);

#endif
