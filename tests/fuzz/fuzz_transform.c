/* SPDX-License-Identifier: MIT */
/* Fuzz entry of the whole transformation: what the parser accepts is transformed without a crash,
 * what comes out is PTX again, and a second run changes nothing. */
#include <string.h>
#include "analysis/analyse.h"
#include "transform/cost/profile_lookup.h"
#include "transform/pipeline/pass.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A profile of the module's cuts, each with other counts. */
static Profile
some_profile(const Module *m)
{
	static const char *const choices[] = { "queue(4)", "leave", "ahead", "what" };
	Profile p = profile_new();
	Effects *effects = effects_build(m, p.arena);

	for (uint32_t i = 1; i < m->nfuncs; i++) {
		if (!m->funcs[i].body || !m->funcs[i].nmarkers)
			continue;
		const Fn *fn = fn_build(m, i, effects, p.arena);
		Profile_points c = profile_points_find(fn, p.arena);
		for (uint32_t at = 0, nth = 0; at < c.n; at++) {
			const Region *r = c.at[at].region;
			nth = at && c.at[at - 1].region == r ? nth + 1 : 0;
			/* the same in a second run, in which other sites are done */
			uint32_t k = m->markers[r->marker].id % 64 + nth;
			Profile_key key = profile_key(fn, r, p.arena);
			Execution_counts f = { .iterations = 320,
				.warp_iterations = 10,
				.trips = k,
				.longest = k,
				.entries = 40 * k,
				.warp_entries = k,
				.nblocks = c.at[at].nblocks,
				.launches = k % 3,
				.launch_maxima = 5 * k,
				.repeated = k % 2 * 40 };
			for (uint32_t b = 0; b < f.nblocks; b++)
				f.blocks[b] = (Block_counts){ 7 * b, b, 9 * b * b, b, b, b * b };
			f.histogram[1 + k % 32] = k % 11;
			profile_add(&p, &key, &f);
			if (k % 3 == 1)
				profile_add_choice(&p, &key, choices[k / 3 % 4], "0");
		}
	}
	profile_sort_and_merge(&p);
	return p;
}

/* Transforms a text; false if it is no PTX or has errors. */
static bool
transform_text(const char *text, size_t len, Buf *out)
{
	Pass_options options = {0};
	Source src;
	Report report;
	source_from(&src, "fuzz", text, len);
	Diags *d = diags_new(&src);
	Module *m = ptx_parse(&src, d);
	Arena *a = arena_new();
	report_init(&report);
	if (m) {
		Profile p = some_profile(m);
		options.measured.profile = &p;
		options.measured.counts_of = profile_lookup_counts;
		options.measured.lookup = profile_lookup_build(m, &options.measured, d, a);
		Edits *e = passes_run(m, &options, &report, d, a);
		edit_apply(e, &src, out);
		edit_release(e);
		profile_release(&p);
	}
	bool ok = m && !diags_errors(d);
	report_release(&report);
	arena_free(a);
	ptx_free(m);
	diags_free(d);
	source_release(&src);
	return ok;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Buf once = {0}, twice = {0};
	if (transform_text((const char *)data, size, &once)) {
		if (!transform_text(once.at, once.n, &twice))
			die("the output is refused");
		if (once.n != twice.n || memcmp(once.at, twice.at, once.n))
			die("a second run changes the output");
	}
	buf_free(&once);
	buf_free(&twice);
	return 0;
}
