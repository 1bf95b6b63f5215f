/* SPDX-License-Identifier: MIT */
/* Index of .loc directives, sorted by position, then by statement; see loc_index.h. */
#include <stdlib.h>
#include "analysis/dataflow/loc_index.h"

typedef struct {
	Ptx_place at;
	uint32_t stmt;
} Loc_entry;

static int
by_place(const void *a, const void *b)
{
	const Loc_entry *x = a, *y = b;

	if (x->at.file != y->at.file)
		return x->at.file < y->at.file ? -1 : 1;
	if (x->at.line != y->at.line)
		return x->at.line < y->at.line ? -1 : 1;
	if (x->at.col != y->at.col)
		return x->at.col < y->at.col ? -1 : 1;
	return (x->stmt > y->stmt) - (x->stmt < y->stmt);
}

static bool
same_place(const Loc_entry *x, const Loc_entry *y)
{
	return x->at.file == y->at.file && x->at.line == y->at.line && x->at.col == y->at.col;
}

/* Returns the first statement that names the position; 0 if there is none. */
static uint32_t
find_place(const Loc_entry *list, uint32_t n, Ptx_place at)
{
	Loc_entry key = { at, 0 };
	uint32_t lo = 0, hi = n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (by_place(&list[mid], &key) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < n && same_place(&list[lo], &key) ? list[lo].stmt : 0;
}

/* Returns the function's .loc directives, sorted. *callers: whether any code was inlined. */
static Loc_entry *
sort_locs(const Module *m, const Func *f, Arena *a, uint32_t *n, bool *callers)
{
	Loc_entry *list = arena_array(a, f->nstmt, sizeof *list);
	Ptx_place caller;

	PTX_STMTS(f, s)
		if (m->stmts[s].kind == STMT_LOC && ptx_loc_place(m, s, &list[*n].at)) {
			list[(*n)++].stmt = s;
			*callers |= ptx_loc_caller(m, s, &caller);
		}
	qsort(list, *n, sizeof *list, by_place);
	return list;
}

Loc_index *
loc_index_build(const Module *m, const Func *f, Arena *a)
{
	uint32_t n = 0;
	bool callers = false;
	Ptx_place at;
	const Loc_entry *list = sort_locs(m, f, a, &n, &callers);
	Loc_index *l = arena_alloc(a, sizeof *l);

	if (!callers)
		return NULL;
	l->first = arena_array(a, f->nstmt, sizeof *l->first);
	l->caller = arena_array(a, f->nstmt, sizeof *l->caller);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t s = ptx_local_stmt(f, list[i].stmt);
		bool again = i && same_place(&list[i - 1], &list[i]);
		l->first[s] = again ? l->first[ptx_local_stmt(f, list[i - 1].stmt)] : list[i].stmt;
		if (ptx_loc_caller(m, list[i].stmt, &at))
			l->caller[s] = find_place(list, n, at);
	}
	return l;
}

uint32_t
loc_index_out_of_order(const Loc_index *l, const Func *f)
{
	PTX_STMTS(f, s)
		if (l && l->caller[ptx_local_stmt(f, s)] > s)
			return s;
	return 0;
}
