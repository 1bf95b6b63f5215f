/* SPDX-License-Identifier: MIT */
/* What the runtime in a program reports of its launches (driver/rt/report.h), summed up. */
#ifndef DRIVER_RUN_REPORT_H
#define DRIVER_RUN_REPORT_H

#include "base/buf.h"
#include "base/vec.h"
#include "driver/costs.h"
#include "simt/simt.h"

/* A kernel of a module. number: of the modules that have a kernel of this name; 0 for a name that
 * one module has. */
typedef struct {
	char *name; uint64_t module;
	uint32_t number;
	uint64_t launches;
	Sim_counts counts;
} Run_kernel;

/* Launches of a kernel whose module has both the original and a transformed version. */
typedef struct { char *name; uint64_t original, transformed; } Run_versions;

typedef struct {
	VEC(Run_kernel) kernels; VEC(Run_versions) versions; Buf lines, notes; Costs costs;
	bool started;
	uint64_t launches, faults;
	unsigned long promised;  /* annotated loops whose promises were checked */
	unsigned long races, race_lines; /* reported; those that name a CUDA line */
} Run_report;

/* Parses the report that is open as fd. */
void run_report_read(Run_report *r, int fd);
void run_report_free(Run_report *r);
/* Prints the table of kernels. sms: multiprocessors that the user gives; 0: none, which means 1. */
void run_report_table(const Run_report *r, uint64_t sms);
/* Tells how many launches ran which version of a kernel, if the original ran. */
void run_report_versions(const Run_report *r);
/* Tells what launches the counts of a kernel with a task loop represent, or that its launches have
 * too few tasks. */
void run_report_task_loop(const char *kernel, const Sim_counts *c, uint64_t sms);
/* Writes a header line, then one line per kernel. Returns the exit status. */
int run_report_write(const Run_report *r, const char *path);
/* What was checked without a finding in addition to a run: random schedules, and promises. */
typedef struct {
	uint64_t launches, seeds;
	unsigned long promised; /* annotated loops */
	bool suppressed;        /* some findings may be suppressed */
	const char *equal;      /* what holds under the random schedules */
} Run_checked;
void run_report_checked(const Run_checked *c);
/* After many reports of races: says how to find their lines, and how to live with those that do no
 * harm. */
void run_report_race_hints(const Run_report *r);

#endif
