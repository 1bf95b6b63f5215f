/* SPDX-License-Identifier: MIT */
/* What a profile says of a path, loop or inner loop, as text for reports. */
#include "transform/cost/profile_lookup.h"

static double
share_text(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

/* The note of a loop alone. */
static const char *
exits_note(const Execution_counts *f, Arena *a)
{
	Buf b = { 0 };

	if (!f->warp_exits)
		return NULL;
	buf_printf(&b, "lanes leave it in different iterations: %.1f of a warp together execute the code of an exit",
		share_text(f->exits, f->warp_exits));
	const char *text = arena_strndup(a, b.at, b.n);
	buf_free(&b);
	return text;
}

const char *
profile_lookup_note(const Pass_options *opt, const Fn *fn, const Region *point, Arena *a)
{
	const Execution_counts *f = pass_frequency(opt, fn, point);
	Buf b = { 0 };

	if (!f)
		return NULL;
	if (point->kind == REGION_LOOP)
		return exits_note(f, a);
	buf_printf(&b, "%.2f %% of the lanes come", 100 * share_text(f->lanes, f->iterations));
	if (f->warps)
		buf_printf(&b, ", %.1f of a warp together", share_text(f->lanes, f->warps));
	if (f->trips)
		buf_printf(&b, ", %.1f iterations a lane, %.1f of the longest lane of a warp",
			share_text(f->trips, f->lanes), share_text(f->longest, f->warps));
	if (f->atomics.compared)
		buf_printf(&b, ", %.1f %% of its atomic operations in one line",
			100 * share_text(f->atomics.same, f->atomics.compared));
	if (f->loads.sectors)
		buf_printf(&b, ", %.1f %% of its sectors from L2",
			100 * share_text(f->loads.missed, f->loads.sectors));
	const char *text = arena_strndup(a, b.at, b.n);
	buf_free(&b);
	return text;
}
