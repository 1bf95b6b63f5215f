/* SPDX-License-Identifier: MIT */
/* What ptxas unrolls. See unrolled.h.
 *
 * A loop of one block whose count is known when it begins has four iterations in one, and behind
 * that two and one, unless its text forbids it: their count, test and branch come once. So does
 * ptxas 13.0 for sm_90 with loops of up to some 24 instructions, be they arithmetic or loads (tried
 * with one to 64 multiply-adds an iteration, with and without a load each).
 */
#include <string.h>
#include "analysis/loops/unroll_predict.h"

enum { LARGEST = 24 };  /* instructions of a loop that is unrolled */

bool
unrolled_forbids(const Module *m, const Stmt *s)
{
	static const char word[] = "\"nounroll\"";
	uint32_t n = sizeof word - 1;

	for (uint32_t i = s->at.pos; s->kind == STMT_PRAGMA && i + n <= s->at.end; i++)
		if (memcmp(m->src->text + i, word, n) == 0)
			return true;
	return false;
}

bool
unrolled_is(const Trips *t)
{
	const Fn *fn = t->fn;
	const Loop *l = &fn->loops->loops[t->loop];
	uint32_t n = 0;

	if ((t->wrong && !t->may_miss) || bits_count(l->blocks) > 1)
		return false;
	FN_BLOCK_STMTS(fn, l->header, s) {
		n += fn_stmt(fn, s)->kind == STMT_INSN;
		if (unrolled_forbids(fn->m, fn_stmt(fn, s)))
			return false;
	}
	return n <= LARGEST;
}
