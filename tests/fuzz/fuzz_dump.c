/* SPDX-License-Identifier: MIT */
/* Fuzz entry of the analyses: every dump of every function of whatever the parser accepts. */
#include "analysis/dump/dump.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
dump_all(const Module *m, Diags *d)
{
	static const char *const what[] = { "cfg", "dom", "loop", "live", "defuse", "uniform" };
	Buf out = {0};

	for (uint32_t f = 1; f < m->nfuncs; f++)
		for (size_t i = 0; m->funcs[f].body && i < sizeof what / sizeof *what; i++) {
			dump_function(what[i], m, f, false, d, &out);
			dump_function(what[i], m, f, true, d, &out);
		}
	buf_free(&out);
}

static void
ask_effects(const Module *m)
{
	Arena *a = arena_new();
	const Effects *e = effects_build(m, a);

	for (uint32_t f = 1; f < m->nfuncs; f++)
		effects_reaches(m, e, f, f);
	for (uint32_t s = 1; s < m->nstmts; s++)
		effects_stmt(m, e, s);
	arena_free(a);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Source src;

	source_from(&src, "fuzz", (const char *)data, size);
	Diags *d = diags_new(&src);
	Module *m = ptx_parse(&src, d);
	if (m) {
		dump_all(m, d);
		ask_effects(m);
	}
	ptx_free(m);
	diags_free(d);
	source_release(&src);
	return 0;
}
