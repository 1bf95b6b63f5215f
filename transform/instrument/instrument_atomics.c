/* SPDX-License-Identifier: MIT */
/* Counts atomic operations on a GPU (instrument.c), and in how few lines of memory they meet, like
 * simt/memory/cache_model.c. Before one in 32 operations, lanes compare their line with the last
 * one there of the blocks that use the adjacent copy of the counters: one block in 16 updates each
 * location. Operations outside of global memory are skipped. */
#include "transform/instrument/instrument.h"

enum {
	NO_ATOMICS = 0,
	OF_ATOMICS = 3,         /* number of counters */
	/* before sm_70, concurrent writes of other threads cannot be read */
	RELAXED = 70
};

/* Returns the address operand of a statement; 0 if it is neither a variable nor 64 bits wide. */
static uint32_t
accessed_place(const Fn *fn, const Stmt *s)
{
	const Module *m = fn->m;

	for (uint32_t k = 0; k < s->nopnd; k++) {
		uint32_t at = ptx_operand(m, s, k);
		const Opnd *base = &m->opnds[at + 1];
		if (m->opnds[at].kind != OPND_ADDR || base->kind != OPND_SYM)
			continue;
		return !ptx_is_reg(m, base->sym) ||
				ptx_type_size((Type)m->syms[base->sym].type) == 8 ? at : 0;
	}
	return 0;
}

static void
count_statement(Instrumentation *w, uint32_t stmt)
{
	const Stmt *s = fn_stmt(w->fn, stmt);
	uint32_t at = accessed_place(w->fn, s);
	int64_t offset = 0;

	if (!at || !ptx_offset(w->m, &w->m->opnds[at], &offset))
		return;
	size_t from = instrument_begin_text(w);
	tpl_flag(&w->t, "guarded", s->guard);
	if (s->guard)
		tpl_value(&w->t, "stays", "%s%.*s", s->guard == 1 ? "!" : "",
			PTX_NAME(w->m, s->sym));
	tpl_flag(&w->t, "generic", ptx_space(w->m, s) == SPACE_GENERIC);
	tpl_flag(&w->t, "offset", offset);
	tpl_value(&w->t, "bytes", "%lld", (long long)offset);
	tpl_value(&w->t, "address", "%.*s", PTX_NAME(w->m, w->m->opnds[at + 1].sym));
	tpl_value(&w->t, "last", "%u", instrument_counter_offset(w->counters++));
	tpl_write_section(&w->t, "update");
	instrument_insert(w, s->at.pos, from);
}

uint32_t
instrument_atomics(Instrumentation *w, const Profile_point *c)
{
	static const char *const sums[OF_ATOMICS] = { "updates", "compared", "same" };

	if (!c->natomics || w->m->target < RELAXED)
		return NO_ATOMICS;
	uint32_t counter = instrument_reserve_counters(w, OF_ATOMICS);
	for (uint32_t i = 0; i < OF_ATOMICS; i++)
		instrument_sum(w, sums[i], w->points, counter + i);
	tpl_value(&w->t, "k", "%u", w->points);
	for (uint32_t i = 0; i < c->natomics; i++)
		count_statement(w, c->atomics[i]);
	return counter;
}
