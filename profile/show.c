/* SPDX-License-Identifier: MIT */
/* Prints profiles as a table: a row per profile point, sorted by lane executions. */
#include <stdlib.h>
#include <string.h>
#include "base/demangle.h"
#include "profile/profile.h"

static double
format_share(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

static int
by_lanes(const void *x, const void *y)
{
	const Profile_record *const *a = x, *const *b = y;
	uint64_t m = (*a)->counts.lanes, n = (*b)->counts.lanes;

	if (m != n)
		return (m < n) - (m > n);
	return (*a > *b) - (*a < *b);
}

static void
show_place(const Profile_record *r, Arena *a, Buf *out)
{
	const Profile_key *k = &r->key;

	buf_printf(out, "  %s:%u: %s in %s", k->at.file, k->at.line, k->kind,
		demangle(a, k->function, strlen(k->function)));
	for (uint32_t i = 0; i < k->ninlined; i++)
		buf_printf(out, ", inlined at %s:%u", k->inlined[i].file, k->inlined[i].line);
	if (r->choice)
		buf_printf(out, ": %s, by ptxccc %s", r->choice, r->by);
	buf_putc(out, '\n');
}

static void
show_row(const Profile_record *r, Arena *a, Buf *out)
{
	const Execution_counts *f = &r->counts;

	if (!r->counted) {
		buf_printf(out, "%14s %8s %8s %9s %9s %7s", "-", "-", "-", "-", "-", "-");
		show_place(r, a, out);
		return;
	}
	buf_printf(out, "%14llu %7.2f%% %7.2f%% %9.2f", (unsigned long long)f->iterations,
		100 * format_share(f->lanes, f->iterations),
		100 * format_share(f->warps, f->warp_iterations), format_share(f->lanes, f->warps));
	if (f->trips)
		buf_printf(out, " %9.2f %6.1f%%", format_share(f->trips, f->lanes),
			100 * format_share(f->trips, 32 * f->longest));
	else
		buf_printf(out, " %9s %7s", "-", "-");
	show_place(r, a, out);
	for (uint32_t k = 0; k < f->nblocks; k++)
		buf_printf(out, "%41s%9.2f %6.1f%%    its block %u, at most %llu\n", "",
			format_share(f->blocks[k].runs, f->lanes),
			100 * format_share(f->blocks[k].runs, 32 * f->blocks[k].longest), k + 1,
			(unsigned long long)f->blocks[k].most);
	if (f->atomics.compared)
		buf_printf(out, "%41s%9.2f %7s    its atomic operations, %.1f %% in one line\n", "",
			format_share(f->atomics.done, f->atomics.runs), "",
			100 * format_share(f->atomics.same, f->atomics.compared));
	if (f->loads.sectors)
		buf_printf(out, "%41s%9.2f %7s    sectors that it loads, %.1f %% from L2\n",
			"", format_share(f->loads.sectors, f->loads.runs), "",
			100 * format_share(f->loads.missed, f->loads.sectors));
}

void
profile_show(const Profile *p, Buf *out)
{
	Arena *a = arena_new();
	const Profile_record **rows = arena_array(a, p->records.n + 1u, sizeof *rows);

	for (uint32_t i = 0; i < p->records.n; i++)
		rows[i] = &p->records.at[i];
	if (p->records.n)
		qsort(rows, p->records.n, sizeof *rows, by_lanes);
	buf_puts(out,
		"    iterations   lanes    warps     lanes     trips   lanes\n"
		"  of all lanes    come     come    a warp    a lane      on  cut\n");
	for (uint32_t i = 0; i < p->records.n; i++)
		show_row(rows[i], a, out);
	if (p->memory.cycles)
		buf_printf(out, "memory gives a multiprocessor %.1f bytes a cycle\n",
			profile_memory(p));
	arena_free(a);
}
