/* SPDX-License-Identifier: MIT */
/* Predicts which loops ptxas unrolls; see unroll_predict.h.
 *
 * ptxas unrolls a loop of one block whose trip count is known on entry by four, with remainder
 * loops of two and one, unless the text forbids it; counter update, test and branch then occur
 * once. Calibrated on ptxas 13.0 for sm_90, which does so for loops of up to about 24 instructions,
 * arithmetic or loads. */
#include <string.h>
#include "analysis/loops/unroll_predict.h"

enum { LARGEST = 24 };  /* instructions of the largest loop that is unrolled */

bool
unroll_pragma_forbids(const Module *m, const Stmt *s)
{
	static const char word[] = "\"nounroll\"";
	uint32_t n = sizeof word - 1;

	for (uint32_t i = s->at.pos; s->kind == STMT_PRAGMA && i + n <= s->at.end; i++)
		if (memcmp(m->src->text + i, word, n) == 0)
			return true;
	return false;
}

bool
loop_is_unrolled_by_ptxas(const Trip_count *t)
{
	const Fn *fn = t->fn;
	const Loop *l = &fn->loops->loops[t->loop];
	uint32_t n = 0;

	if ((t->wrong && !t->may_miss) || bits_count(l->blocks) > 1)
		return false;
	FN_BLOCK_STMTS(fn, l->header, s) {
		n += fn_stmt(fn, s)->kind == STMT_INSN;
		if (unroll_pragma_forbids(fn->m, fn_stmt(fn, s)))
			return false;
	}
	return n <= LARGEST;
}
