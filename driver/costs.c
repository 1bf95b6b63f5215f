/* SPDX-License-Identifier: MIT */
/* Collects costs of source lines and writes them as a page. See costs.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/heap.h"
#include "base/source.h"
#include "driver/costs.h"

static const char *
copy_name(Costs *c, const char *name)
{
	if (!c->names)
		c->names = arena_new();
	return arena_strndup(c->names, name, strlen(name));
}

void
costs_add(Costs *c, const Sim *s, const char *ptx)
{
	Sim_line *lines;
	uint32_t n = sim_lines(s, LINES_CUDA, &lines);

	for (uint32_t i = 0; i < n; i++) {
		const Sim_counts *k = &lines[i].counts;
		const char *file = lines[i].file ? lines[i].file : ptx;
		*vec_push(&c->lines) = (Line_cost){
			{ .file = copy_name(c, file), .line = lines[i].line },
			k->warp_insts, k->thread_insts, k->global_requests, k->global_sectors
		};
	}
	xfree(lines);
}

void
costs_read(Costs *c, const char *record)
{
	Line_cost x = { .at.line = 0 };
	int name = 0;

	if (sscanf(record,
		    "%" SCNu32 "\t%" SCNu64 "\t%" SCNu64 "\t%" SCNu64 "\t%" SCNu64 "\t%n",
		    &x.at.line, &x.warp_insts, &x.thread_insts, &x.requests, &x.sectors,
		    &name) != 5)
		return;
	if (!record[name] || record[name] == '\n') {
		c->others += x.warp_insts;
		c->other_threads += x.thread_insts;
		return;
	}
	char *file = xmalloc(strlen(record + name) + 1);
	strcpy(file, record + name);
	file[strcspn(file, "\n")] = '\0';
	x.at.file = copy_name(c, file);
	xfree(file);
	*vec_push(&c->lines) = x;
}

int
costs_write(Costs *c, const char *title, const char *path)
{
	Source last = { 0 };
	Buf out = { 0 };
	const char *why;
	Lines_page page = { .title = title, .lines = c->lines.at, .n = c->lines.n,
		.others = c->others, .other_threads = c->other_threads,
		.read = source_read_shown, .reader = &last };

	lines_html(&page, &out);
	bool ok = source_write(path, out.at, out.n, &why);
	if (!ok)
		fprintf(stderr, "ptxrun: cannot write '%s': %s\n", path, why);
	source_release(&last);
	buf_free(&out);
	vec_free(&c->lines);
	if (c->names)
		arena_free(c->names);
	return ok ? 0 : 2;
}
