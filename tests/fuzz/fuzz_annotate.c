/* SPDX-License-Identifier: MIT */
/* Fuzzes the rewriter of annotated CUDA: any bytes are to be rewritten or diagnosed, and what has
 * no annotation left has none. */
#include <stdlib.h>
#include "annotate/rewrite.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Source src;
	Buf out = { 0 }, plain = { 0 }, again = { 0 };
	uint32_t n, left;

	source_from(&src, "fuzz.cu", (const char *)data, size);
	Diags *d = diags_new(NULL);
	rewrite_pragmas(src.name, src.text, src.len, &out, &n, d);
	bool odd[] = { false, true, false, true };
	out.n = 0;
	rewrite_without(&src, (Guards){ odd, 4 }, &out, d);
	rewrite_strip(src.text, src.len, &plain);
	rewrite_pragmas(src.name, plain.at ? plain.at : "", (uint32_t)plain.n, &again, &left, d);
	if (left)
		abort();
	out.n = left = 0;
	rewrite_raw(src.name, src.text, src.len, &left, &out, d);
	diags_free(d);
	buf_free(&out);
	buf_free(&plain);
	buf_free(&again);
	source_release(&src);
	return 0;
}
