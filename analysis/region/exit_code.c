/* SPDX-License-Identifier: MIT */
/* Finds the code of a loop's exits; see exit_code.h. */
#include <string.h>
#include "analysis/cfg/reconvergence.h"
#include "analysis/cost/static_cost.h"
#include "analysis/region/branch_arm.h"
#include "analysis/region/exit_code.h"

enum { LONG = 32 }; /* issue slots */

/* Whether lanes reach the block only from the loop. */
static bool
entered_from_loop(const Fn *fn, uint32_t loop, uint32_t block)
{
	FN_PRED(fn, block, from)
		if (!loop_contains(fn->loops, loop, from))
			return false;
	return true;
}

/* Returns the block where lanes that leave the loop for a block wait for others that were in the
 * loop with them; 0: where they end. */
static uint32_t
meeting_block(const Fn *fn, uint32_t loop, uint32_t to, const uint32_t *meet)
{
	uint32_t waits = 0;

	FN_PRED(fn, to, from)
		if (loop_contains(fn->loops, loop, from) && waits != to)
			waits = meet[from];
	return waits;
}

static const uint32_t *
meeting_blocks(const Fn *fn)
{
	Meeting_blocks *k = fn->meet;

	if (!k->known) {
		Arena *tmp = arena_new();
		const uint32_t *at = reconvergence_points(fn->cfg, fn->dom, fn->loops,
			reconvergence_empty_exits(fn->cfg, tmp), tmp);
		memcpy(k->at, at, fn->cfg->nblocks * sizeof *at);
		k->known = true;
		arena_free(tmp);
	}
	return k->at;
}

Exit_codes
exit_codes_find(const Fn *fn, uint32_t loop, Arena *a)
{
	Exit_codes c = { 0 };

	if (!loop)
		return c;
	const Block_list to = profile_exit_targets(fn, fn->loops->loops[loop].blocks, a);
	uint32_t header = fn->loops->loops[loop].header;
	c.at = arena_array(a, to.n + 1u, sizeof *c.at);
	for (uint32_t i = 0; i < to.n; i++) {
		if (!entered_from_loop(fn, loop, to.at[i]))
			continue;
		uint32_t end = meeting_block(fn, loop, to.at[i], meeting_blocks(fn));
		if (end == to.at[i])
			continue;
		Bits blocks = arm_blocks(fn, to.at[i], end, a);
		if (!bits_has(blocks, header) &&
			run_cost_of_blocks(fn, blocks, to.at[i]).issue >= LONG)
			c.at[c.n++] = (Exit_code){ to.at[i], blocks };
	}
	return c;
}
