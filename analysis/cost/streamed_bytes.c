/* SPDX-License-Identifier: MIT */
/* Bytes that the iterations of a loop move between memory and the caches: accesses whose addresses
 * advance by a known distance from lane to lane. Other accesses may hit a cache, so they do not
 * count. */
#include "analysis/cost/static_cost.h"
#include "analysis/memory/lane_stride.h"

static bool
stmt_is_access(const Fn *fn, uint32_t stmt, uint32_t kind)
{
	const Stmt *s = fn_stmt(fn, stmt);
	Space space = ptx_space(fn->m, s);

	return s->kind == STMT_INSN && (space == SPACE_GLOBAL || space == SPACE_GENERIC) &&
		(ptx_flags(fn->m, s) & (OPF_LOAD | OPF_STORE | OPF_ATOMIC)) == kind;
}

double
run_cost_stored_bytes(const Fn *fn, Bits blocks)
{
	double sum = 0;

	BITS_EACH(b, blocks)
		FN_BLOCK_STMTS(fn, b, s)
			if (stmt_is_access(fn, s, OPF_STORE) && stride_is_adjacent(fn, s))
				sum += stride_bytes(fn, s);
	return sum;
}

/* Returns the register of the address, if it is computed in the blocks; otherwise 0. */
static uint32_t
address_register(const Fn *fn, Bits blocks, uint32_t stmt)
{
	FN_READS(fn, stmt, r) {
		if (!fn_is_reg(fn, r->sym))
			continue;
		uint32_t use = defuse_find_use(fn, stmt, r->sym);
		FN_REACH(fn, use, d)
			if (fn_def(fn, d)->stmt &&
				bits_has(blocks, fn_block(fn, fn_def(fn, d)->stmt)))
				return r->sym;
	}
	return 0;
}

double
run_cost_loaded_bytes(const Fn *fn, Bits blocks)
{
	enum { SECTOR = 32, MOST = 64 };
	uint32_t seen[MOST], n = 0;
	double sum = 0;

	BITS_EACH(b, blocks)
		FN_BLOCK_STMTS(fn, b, s) {
			uint32_t at = stmt_is_access(fn, s, OPF_LOAD) ?
				address_register(fn, blocks, s) : 0, i = 0;
			while (i < n && seen[i] != at)
				i++;
			if (!at || i < n || n == MOST)
				continue;
			seen[n++] = at;
			uint64_t by = stride_of_lanes(fn, s);
			sum += by < SECTOR ? (double)by : SECTOR;
		}
	return sum;
}
