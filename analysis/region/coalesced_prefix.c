/* SPDX-License-Identifier: MIT */
/* Memory divergence avoidance (Khorasani, Gupta, Bhuyan, MICRO-48 2015, section 4.2).
 *
 * Tasks that a warp runs together come from different iterations, so their loads are no longer
 * coalesced. Coalesced loads at the beginning of the path are therefore left to the owner, which
 * executes them when it reaches the path; the loaded values become part of the task. Technically
 * the path begins later: cfg.c ends a block after each such load.
 *
 * Only for annotations with `coalesced`: the task gets larger, and the owner waits for the load in
 * every round instead of once per run of collected tasks
 * (docs/measurements/cost-model.md). */
#include "analysis/region/region.h"
#include "analysis/memory/lane_stride.h"

/* Whether the owner can execute the block, provided that it executes the following loads too. */
static bool
block_is_harmless(const Fn *fn, uint32_t block)
{
	FN_BLOCK_STMTS(fn, block, s)
		if (fn_stmt(fn, s)->kind == STMT_INSN && !stride_coalesced(fn, s) &&
			!(ptx_flags(fn->m, fn_stmt(fn, s)) & OPF_PURE))
			return false;
	return fn->cfg->blocks[block].nsucc == 1;
}

void
region_exclude_leading_loads(const Fn *fn, Region *p)
{
	const Cfg *g = fn->cfg;
	uint32_t loads = 0, next;

	for (uint32_t b = p->entry; block_is_harmless(fn, b); b = next) {
		next = cfg_succ(g, b)[0];
		if (g->blocks[next].npred != 1 || !bits_has(p->blocks, next))
			return;
		if (!stride_coalesced(fn, g->blocks[b].end - 1))
			continue;
		for (loads++; p->entry != next; p->entry = cfg_succ(g, p->entry)[0])
			bits_unset(p->blocks, p->entry);
		p->stay = loads;
	}
}
