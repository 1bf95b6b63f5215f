/* SPDX-License-Identifier: MIT */
/* Suggestions by what was executed. See advice.h. */
#include "driver/rt/advice.h"
#include "suggest/suggest.h"

/* Adds up the counts by statement of the original module. */
static void
counts_by_stmt(const Auto_layers *layers, const Sim_counts *counts, Stmt_counts *to)
{
	const uint32_t n = layers->m ? layers->m->nstmts : layers->of->nstmts;

	for (uint32_t i = 1; i < n; i++) {
		const uint32_t stmt = layers->m ? layers->origin[i] : i;
		if (stmt)
			to[stmt] = (Stmt_counts){ .warps = counts[i].warp_insts,
				.lanes = counts[i].thread_insts,
				.branches = counts[i].branches,
				.divergent = counts[i].divergent };
	}
}

void
advice_of_executed(const Auto_layers *layers, const Sim *s, Buf *out)
{
	const Module *m = layers->of;
	const Sim_counts *counts = sim_counts_by_stmt(s);

	if (!counts)
		return;
	Arena *a = arena_new();
	Stmt_counts *stmts = arena_array(a, m->nstmts + 1u, sizeof *stmts);
	Profile p = profile_new();
	Source last = { 0 };
	const Diag_style style = { .read = source_read_shown, .reader = &last };
	Pass_options opt = { .measured = { .profile = &p, .stmts = stmts }, .style = &style };

	counts_by_stmt(layers, counts, stmts);
	sim_profile(s, &p);
	profile_sort_and_merge(&p);
	suggest_write_table(m, &opt, out);
	source_release(&last);
	profile_release(&p);
	arena_free(a);
}
