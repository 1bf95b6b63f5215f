/* SPDX-License-Identifier: MIT */
/* What a run cost by line of source, as a page: the sources with, at each line, its share of the
 * issue slots and how many lanes were on (ptxrun --html).
 */
#ifndef REPORT_LINES_H
#define REPORT_LINES_H

#include <stdint.h>
#include "base/diag.h"
#include "report/unit.h"

/* What a line was executed for: instructions of warps and of threads; requests to global memory and
 * their 32-byte sectors. Lines may come several times, in any order. */
typedef struct {
	Cuda_pos at;
	uint64_t warp_insts, thread_insts, requests, sectors;
} Line_cost;

typedef struct {
	const char *title;
	Line_cost *lines; uint32_t n;   /* are sorted, and those of one place added up */
	uint64_t others;                /* instructions of warps of which no line is known */
	Unit_source *read; void *reader;
} Lines_page;

void lines_html(Lines_page *p, Buf *out);

#endif
