/* SPDX-License-Identifier: MIT */
/* Fuzz entry of the parser: no bytes crash it, and what it accepts, printed from the view, parses
 * to an equal view. */
#include <stdlib.h>
#include "tests/view/print.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Asks for all that can be asked; a sum of the answers. */
static uint32_t
query_module(const Module *m)
{
	uint32_t sum = 0;
	uint64_t value;
	int64_t offset;
	bool real;
	Cuda_pos at;

	for (uint32_t i = 1; i < m->nstmts; i++) {
		PTX_REFS(m, &m->stmts[i], r)
			sum += r.sym + r.opnd + r.written;
		if (m->stmts[i].kind == STMT_INSN)
			sum += ptx_flags(m, &m->stmts[i]) + ptx_space(m, &m->stmts[i]) +
				ptx_insn_type(m, &m->stmts[i]);
	}
	for (uint32_t i = 1; i < m->nopnds; i++)
		sum += (uint32_t)ptx_imm(m, &m->opnds[i], &value, &real) +
			(uint32_t)ptx_offset(m, &m->opnds[i], &offset);
	if (m->nstmts > 1)
		ptx_cuda_pos(m, m->nstmts - 1, &at);
	return sum;
}

static void
round_trip(const Module *m)
{
	Buf text = { 0 };
	Source src;
	const char *why;
	uint32_t at;

	ptx_print(m, &text);
	source_from(&src, "printed", text.at, text.n);
	Diags *d = diags_new(&src);
	Module *again = ptx_parse(&src, d);
	if (!again) {
		diags_print(d, stderr);
		abort();
	}
	if (!ptx_equal(m, again, &why, &at)) {
		fprintf(stderr, "the printed view differs: %s %u\n", why, at);
		abort();
	}
	ptx_free(again);
	diags_free(d);
	source_release(&src);
	buf_free(&text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Source src;

	source_from(&src, "fuzz", (const char *)data, size);
	Diags *d = diags_new(&src);
	Module *m = ptx_parse(&src, d);
	FILE *nowhere = fopen("/dev/null", "w");
	if (nowhere) {
		diags_print(d, nowhere);
		fclose(nowhere);
	}
	if (m) {
		query_module(m);
		round_trip(m);
	}
	ptx_free(m);
	diags_free(d);
	source_release(&src);
	return 0;
}
