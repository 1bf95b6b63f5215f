/* SPDX-License-Identifier: MIT */
/* Candidates for melding: branches with large, similar arms (transform/rewrite/distribute.c). */
#include <string.h>
#include "suggest/suggest_plan.h"

/* Minimal share of a kernel's issue slots in an arm to be melded. */
static const double LEAST_MELDED = 0.25;

/* Counts the instructions of an arm by opcode; returns their number. */
static uint32_t
count_ops(const Candidate *c, uint32_t *of)
{
	uint32_t n = 0;

	BITS_EACH(b, c->blocks)
		FN_BLOCK_STMTS(c->fn, b, s) {
			const Stmt *st = fn_stmt(c->fn, s);
			if (st->kind != STMT_INSN)
				continue;
			of[ptx_op(c->fn->m, st)]++;
			n++;
		}
	return n;
}

/* Whether both arms have about the same numbers of each opcode. Then they may be meldable; whether
 * they are, and the gain, is known after melding. */
static bool
are_alike(const Candidate *a, const Candidate *b)
{
	uint32_t of[2][OP_COUNT] = { { 0 } }, both = 0;
	uint32_t all = count_ops(a, of[0]) + count_ops(b, of[1]);

	for (uint32_t i = 0; i < OP_COUNT; i++)
		both += of[0][i] < of[1][i] ? of[0][i] : of[1][i];
	return 2 * both * 5 >= all * 3;
}

/* Returns the other arm of the branch if the candidate is the first of two similar arms of a
 * divergent branch with a large share of the kernel. */
static const Candidate *
find_similar_arm(const Candidate *c, const Candidate *all, uint32_t n)
{
	if (c->kind != ADVICE_BRANCH || c->share < LEAST_MELDED)
		return NULL;
	for (uint32_t i = 0; i < n; i++)
		if (all[i].kind == ADVICE_BRANCH && all[i].from == c->from &&
			c->first < all[i].first)
			return are_alike(c, &all[i]) ? &all[i] : NULL;
	return NULL;
}

void
candidates_keep_melds(Candidates *of, uint32_t from)
{
	uint32_t kept = from;

	for (uint32_t i = from; i < of->n; i++) {
		const Candidate *other = find_similar_arm(&of->at[i], of->at + from, of->n - from);
		of->at[i].annot = ANNOT_DISTRIBUTE;
		if (!other)
			continue;
		of->at[i].first_other = other->first;
		of->at[i].other = other->blocks;
	}
	for (uint32_t i = from; i < of->n; i++)
		if (of->at[i].first_other)
			of->at[kept++] = of->at[i];
	of->n = kept;
}
