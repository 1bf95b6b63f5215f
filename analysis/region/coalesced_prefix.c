/* SPDX-License-Identifier: MIT */
/* Memory divergence avoidance (Khorasani, Gupta, Bhuyan, MICRO-48 2015, section 4.2).
 *
 * Tasks that a warp runs together come from different iterations, so a load that was coalesced no
 * longer is. Loads from places side by side with which the path begins are left to the owner, who
 * runs them as lanes come to the path; what they bring goes with the task. That is nothing but a
 * path that begins later: its annotation's block is cut behind each of them (cfg.c).
 *
 * Only where the annotation says `coalesced`: a task gets larger, and a load waits in each round
 * for what one in each run would wait for (docs/choosing.md).
 */
#include "analysis/region/region.h"
#include "analysis/memory/lane_stride.h"

/* May the owner run the block, if what comes behind it is left to him as well? */
static bool
is_harmless(const Fn *fn, uint32_t block)
{
	FN_BLOCK_STMTS(fn, block, s)
		if (fn_stmt(fn, s)->kind == STMT_INSN && !stride_coalesced(fn, s) &&
			!(ptx_flags(fn->m, fn_stmt(fn, s)) & OPF_PURE))
			return false;
	return fn->cfg->blocks[block].nsucc == 1;
}

void
region_leave_head(const Fn *fn, Region *p)
{
	const Cfg *g = fn->cfg;
	uint32_t loads = 0, next;

	for (uint32_t b = p->entry; is_harmless(fn, b); b = next) {
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
