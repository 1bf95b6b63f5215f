/* SPDX-License-Identifier: MIT */
/* Fuzz entry of the whole transformation: what the parser accepts is transformed without a crash,
 * what comes out is PTX again, and a second run changes nothing. */
#include <string.h>
#include "transform/pass.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Transforms a text; false if it is no PTX or has errors. */
static bool
transform(const char *text, size_t len, Buf *out)
{
	static const Pass_options options = {0};
	Source src;
	Report report;
	source_from(&src, "fuzz", text, len);
	Diags *d = diags_new(&src);
	Module *m = ptx_parse(&src, d);
	Arena *a = arena_new();
	report_init(&report);
	if (m) {
		Edits *e = passes_run(m, &options, &report, d, a);
		edit_apply(e, &src, out);
		edit_release(e);
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
	if (transform((const char *)data, size, &once)) {
		if (!transform(once.at, once.n, &twice))
			die("the output is refused");
		if (once.n != twice.n || memcmp(once.at, twice.at, once.n))
			die("a second run changes the output");
	}
	buf_free(&once);
	buf_free(&twice);
	return 0;
}
