/* SPDX-License-Identifier: MIT */
/* The costs of a run by source line, as an HTML page: the sources with each line's share of the
 * issue slots and its active lanes (ptxrun --html). */
#ifndef REPORT_LINES_H
#define REPORT_LINES_H

#include <stdint.h>
#include "base/diag.h"
#include "report/unit.h"

/* Costs of a line: instructions issued by warps and executed by threads; requests to global
 * memory and their 32-byte sectors. A line may have several entries, in any order. */
typedef struct {
	Cuda_pos at;
	uint64_t warp_insts, thread_insts, requests, sectors;
} Line_cost;

typedef struct {
	const char *title;
	Line_cost *lines; uint32_t n;   /* sorted, and merged by line, by the function */
	/* instructions of warps and of threads without a known line */
	uint64_t others, other_threads;
	Unit_source *read; void *reader;
} Lines_page;

void lines_html(Lines_page *p, Buf *out);

#endif
