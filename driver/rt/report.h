/* SPDX-License-Identifier: MIT */
/* The report of a run, which the CUDA runtime in the program writes and ptxrun reads after the
 * program has ended. Fields are separated by tabs. Lines:
 *
 *	note TEXT               the program's own runtime cannot be replaced
 *	                        (driver/preload/statics.c)
 *	start                   first use of the runtime
 *	launch KERNEL MODULE COUNT...  one launch; the hash of the module's text
 *	version KERNEL IS_TRANSFORMED  which version the launch before it ran, if the module has
 *	                        the original of the kernel and a transformed one
 *	races COUNT LINES       races reported in a launch, and how many of them name a CUDA line
 *	promises COUNT          annotated loops of a module whose promises were checked
 *	line ...                a row of the table of lines, at the program's end
 *	cost LINE COUNT... FILE  costs of a source line, for --html (driver/costs.h) */
#ifndef DRIVER_RT_REPORT_H
#define DRIVER_RT_REPORT_H

/* The members of Sim_counts, in the order of the fields. */
#define REPORT_COUNTERS(X) \
	X(warp_insts) \
	X(thread_insts) X(active_insts) X(branches) X(divergent) X(shared_requests) \
		X(shared_wavefronts) X(shared_ideal) X(global_requests) X(global_sectors) \
			X(global_lines) X(local_requests) X(local_sectors) X(benign_races) \
				X(faults) X(tasks) X(slots) X(collecting)

#endif
