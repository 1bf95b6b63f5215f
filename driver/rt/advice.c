/* SPDX-License-Identifier: MIT */
/* Suggestions by what was executed. See advice.h. */
#include <string.h>
#include <sys/stat.h>
#include "annotate/source/statements.h"
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

/* Whether a file was written after another one; false if that is unknown. */
static bool
is_newer(const char *file, const char *than)
{
	struct stat a, b;

	if (!than || stat(file, &a) != 0 || stat(than, &b) != 0)
		return false;
	return a.st_mtim.tv_sec != b.st_mtim.tv_sec ? a.st_mtim.tv_sec > b.st_mtim.tv_sec :
						      a.st_mtim.tv_nsec > b.st_mtim.tv_nsec;
}

/* Appends the statements of a source, unless it cannot be read. Those of a source that is newer
 * than the module are in other lines. */
static void
list_statements(const char *file, const char *built, Buf *to)
{
	Statements all = { 0 };
	Source src;
	const char *why;

	if (is_newer(file, built)) {
		statements_write_newer(file, to);
		return;
	}
	if (!source_read(&src, file, &why))
		return;
	statements_find(src.text, src.len, &all);
	statements_write(&all, file, src.text, src.len, to);
	vec_free(&all);
	source_release(&src);
}

/* Appends the statements of the sources that the module names. */
static void
list_all_statements(const Module *m, const char *built, Buf *to)
{
	VEC(const char *) files = { 0 };
	Cuda_pos at;

	for (uint32_t s = 1; s < m->nstmts; s++) {
		uint32_t i = 0;
		if (m->stmts[s].kind != STMT_LOC || !ptx_cuda_pos(m, s, &at))
			continue;
		while (i < files.n && strcmp(files.at[i], at.file) != 0)
			i++;
		if (i < files.n)
			continue;
		*vec_push(&files) = at.file;
		list_statements(at.file, built, to);
	}
	vec_free(&files);
	buf_putc(to, '\0');
}

void
advice_of_executed(const Auto_layers *layers, const Sim *s, const char *built, Buf *out)
{
	const Module *m = layers->of;
	const Sim_counts *counts = sim_counts_by_stmt(s);

	if (!counts)
		return;
	Arena *a = arena_new();
	Stmt_counts *stmts = arena_array(a, m->nstmts + 1u, sizeof *stmts);
	Profile p = profile_new();
	Source last = { 0 };
	Buf statements = { 0 };
	list_all_statements(m, built, &statements);
	const Diag_style style = { .read = source_read_shown, .reader = &last,
		.statements = statements.at };
	Pass_options opt = { .measured = { .profile = &p, .stmts = stmts }, .style = &style };

	counts_by_stmt(layers, counts, stmts);
	sim_profile(s, &p);
	profile_sort_and_merge(&p);
	suggest_write_table(m, &opt, out);
	buf_free(&statements);
	source_release(&last);
	profile_release(&p);
	arena_free(a);
}
