/* SPDX-License-Identifier: MIT */
/* Live-ins of a region: registers that its blocks read before they write them. See region.h. */
#include "analysis/region/region.h"

/* Whether a definition outside of the blocks reaches this use. */
static bool
use_is_live_in(const Fn *fn, Bits blocks, uint32_t u)
{
	FN_REACH(fn, u, d) {
		uint32_t s = fn_def(fn, d)->stmt;
		if (!s || !bits_has(blocks, fn_block(fn, s)))
			return true;
	}
	return false;
}

Bits
region_live_ins(const Fn *fn, Bits blocks, Bits *defined, Arena *a)
{
	Bits in = bits_new(a, fn->f->nsym);

	*defined = bits_new(a, fn->f->nsym);
	BITS_EACH(b, blocks)
		FN_BLOCK_STMTS(fn, b, s) {
			FN_DEFS_OF_STMT(fn, s, d)
				bits_set(*defined, fn_local(fn, fn_def(fn, d)->sym));
			FN_USES_OF_STMT(fn, s, u)
				if (use_is_live_in(fn, blocks, u))
					bits_set(in, fn_local(fn, fn_use(fn, u)->sym));
		}
	return in;
}
