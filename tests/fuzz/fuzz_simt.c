/* SPDX-License-Identifier: MIT */
/* Fuzz entry of the emulator: every kernel of whatever the parser accepts is decoded, and run if it
 * can be: one warp, parameters that are zero, few instructions. What it does wrong is a fault that
 * is reported, never one of the emulator. */
#include <stdlib.h>
#include "simt/simt.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
run_kernel(Sim *s, Sim_kernel *k, Sched sched)
{
	uint8_t *params = calloc(1, sim_param_bytes(k) + 16);
	Sim_launch l = { .grid = { 1, 1, 1 },
		.block = { 20, 1, 1 },
		.shared = 64,
		.sched = sched,
		.races = true,
		.limit = 300 };
	Buf out = {0}, text = {0};
	Sim_counts counts;
	if (!params)
		abort();
	l.params = params;
	l.text = &text;
	sim_launch(s, k, &l, &out, &counts);
	buf_free(&text);
	buf_free(&out);
	free(params);
}

static void
run_all(const Module *m)
{
	Sim *s = sim_new(m);
	Buf out = {0};
	sim_check_promises(s);
	for (uint32_t i = 1; i < m->nfuncs; i++) {
		Buf name = {0};
		buf_printf(&name, "%.*s", PTX_NAME(m, m->funcs[i].sym));
		Sim_kernel *k =
			m->funcs[i].entry && m->funcs[i].body ? sim_kernel(s, name.at, &out) : NULL;
		if (k && sim_param_bytes(k) < 1 << 16) {
			run_kernel(s, k, SCHED_IPDOM);
			run_kernel(s, k, SCHED_RANDOM);
		}
		buf_free(&name);
	}
	buf_free(&out);
	sim_free(s);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Source src;

	source_from(&src, "fuzz", (const char *)data, size);
	Diags *d = diags_new(&src);
	Module *m = ptx_parse(&src, d);
	if (m)
		run_all(m);
	ptx_free(m);
	diags_free(d);
	source_release(&src);
	return 0;
}
