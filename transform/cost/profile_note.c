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
		buf_printf(&b, ", %.1f iterations a lane, %.1f of the warp's longest",
			share_text(f->trips, f->lanes), share_text(f->longest, f->warps));
	if (f->atomics.compared)
		buf_printf(&b, ", %.1f %% of its atomic operations in one line",
			100 * share_text(f->atomics.same, f->atomics.compared));
	if (f->loads.sectors)
		buf_printf(&b, ", %.1f %% of its sectors from the second cache",
			100 * share_text(f->loads.missed, f->loads.sectors));
	for (uint32_t k = 0; k < f->nblocks; k++) {
		if (!f->blocks[k].runs)
			continue;
		buf_printf(&b, ", block %u %.2f times a lane, %.2f of the warp's longest", k + 1,
			share_text(f->blocks[k].runs, f->lanes),
			share_text(f->blocks[k].longest, f->warps));
	}
	const char *text = arena_strndup(a, b.at, b.n);
	buf_free(&b);
	return text;
}
