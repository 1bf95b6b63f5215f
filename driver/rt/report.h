/* SPDX-License-Identifier: MIT */
/* The report of a run: what the CUDA runtime in the program writes, launch by launch, and ptxrun
 * reads after the program's end. A line "note", a tab, and text when a program's own runtime cannot
 * be replaced (driver/preload/statics.c); "start" when the runtime is first used; then "launch", a
 * tab, the kernel's name, and for each of the counters a tab and its value. At the program's end,
 * when counts by line are wanted, their tables: "line", a tab, a line of the table. */
#ifndef DRIVER_RT_REPORT_H
#define DRIVER_RT_REPORT_H

/* The fields of Sim_counts, in the order of a line. */
#define REPORT_COUNTERS(X) \
	X(warp_insts) \
	X(thread_insts) X(active_insts) X(branches) X(divergent) X(shared_requests) \
		X(shared_wavefronts) X(shared_ideal) X(global_requests) X(global_sectors) \
			X(global_lines) X(local_requests) X(local_sectors) X(benign_races) \
				X(faults)

#endif
