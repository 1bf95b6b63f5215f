/* SPDX-License-Identifier: MIT */
/* Maps branches and loops to statements of the CUDA source. See source_stmts.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "analysis/analyse.h"
#include "suggest/source_stmts.h"

const char *const source_part_names[PART_COUNT] = { "head", "body", "other", "rest" };

enum { MOST_INLINED = 16, MOST_LOCS = 200 };

/* ---- comments -------------------------------------------------------------------------------- */

static bool
read_statement(const char *line, Source_stmt *s)
{
	uint32_t v[4 * PART_COUNT], n = 0;
	int at = 0;

	if (sscanf(line, "%c %4s%n", &s->kind, s->insert, &at) != 2 || !at)
		return false;
	for (const char *p = line + at; n < 4 * PART_COUNT; n++) {
		char *end;
		v[n] = (uint32_t)strtoul(p, &end, 10);
		if (end == p)
			return false;
		p = end;
	}
	for (uint32_t i = 0; i < PART_COUNT; i++) {
		s->begin[i] = (Source_place){ v[4 * i], v[4 * i + 1] };
		s->end[i] = (Source_place){ v[4 * i + 2], v[4 * i + 3] };
	}
	return true;
}

void
source_stmts_read(const char *list, Arena *a, Source_stmts *to)
{
	static const char begin[] = "\n//.statements\n", file[] = "//.statements-of ",
			  row[] = "//.statement ", newer[] = "//.statements-newer ";
	const char *s = strstr(list, begin);
	Source_stmt r = { .file = "" };

	*to = (Source_stmts){ .known = s != NULL };
	for (s = s ? s + sizeof begin - 1 : ""; *s; s += strcspn(s, "\n"), s += *s == '\n') {
		size_t n = strcspn(s, "\n");
		if (strncmp(s, file, sizeof file - 1) == 0)
			r.file = arena_strndup(a, s + sizeof file - 1, n - (sizeof file - 1));
		else if (strncmp(s, row, sizeof row - 1) == 0 &&
			read_statement(s + sizeof row - 1, &r)) {
			r.number = to->all.n + 1;
			*vec_push(&to->all) = r;
		} else if (strncmp(s, newer, sizeof newer - 1) == 0)
			*vec_push(&to->newer) = arena_strndup(
				a, s + sizeof newer - 1, n - (sizeof newer - 1));
	}
}

bool
source_is_newer(const Source_stmts *of, const Diag_place *at)
{
	for (uint32_t i = 0; i < of->newer.n; i++)
		if ((at->at.file && strcmp(of->newer.at[i], at->at.file) == 0) ||
			(at->caller.file && strcmp(of->newer.at[i], at->caller.file) == 0))
			return true;
	return false;
}

/* ---- positions ------------------------------------------------------------------------------- */

/* Where a statement's code is: its position, and those of the calls that were inlined. */
typedef struct { Cuda_pos at[MOST_INLINED + 1]; uint32_t n; } Inline_chain;

/* Returns the last .loc up to a statement. If that names line 0, the last one in the same block
 * that names a line. 0: there is none. */
static uint32_t
last_loc(const Fn *fn, uint32_t stmt)
{
	bool none = false;
	Ptx_place p;

	for (uint32_t s = stmt; s >= fn->f->stmt; s--) {
		if (none && fn_stmt(fn, s)->kind == STMT_LABEL)
			break;
		if (fn_stmt(fn, s)->kind != STMT_LOC || !ptx_loc_place(fn->m, s, &p))
			continue;
		if (p.line)
			return s;
		none = true;
	}
	return 0;
}

/* Returns the last .loc before another that names the position; 0 if there is none. */
static uint32_t
loc_of_place(const Fn *fn, uint32_t loc, const Ptx_place *at)
{
	Ptx_place p;

	while (loc-- > fn->f->stmt)
		if (fn_stmt(fn, loc)->kind == STMT_LOC && ptx_loc_place(fn->m, loc, &p) &&
			p.file == at->file && p.line == at->line && p.col == at->col)
			return loc;
	return 0;
}

static Inline_chain
inline_chain(const Fn *fn, uint32_t stmt)
{
	Inline_chain c = { .n = 0 };
	Cuda_pos at;

	uint32_t loc = last_loc(fn, stmt);
	while (loc && c.n < MOST_INLINED && ptx_cuda_pos(fn->m, loc, &at)) {
		Ptx_place p;
		c.at[c.n++] = at;
		if (!ptx_loc_caller(fn->m, loc, &p) || !ptx_cuda_caller(fn->m, loc, &at))
			break;
		loc = loc_of_place(fn, loc, &p);
		if (!loc)
			c.at[c.n++] = at;
	}
	return c;
}

/* A compiler gives the code of a line one column. */
static bool
part_contains(const Source_stmt *s, Stmt_part part, Cuda_pos p)
{
	return s->begin[part].line <= p.line && p.line <= s->end[part].line &&
		strcmp(s->file, p.file) == 0;
}

/* Finds the innermost statement of a kind that has a part which contains the position. */
static Source_match
innermost_stmt(const Source_stmts *of, char kind, Stmt_part part, Cuda_pos p)
{
	Source_match m = { .at.at = p };

	for (uint32_t i = of->all.n; i-- > 0;) {
		const Source_stmt *s = &of->all.at[i];
		if (s->kind != kind || !part_contains(s, part, p))
			continue;
		/* the heads of two statements do not overlap, unless both are on this line */
		m.several |= m.stmt && part == PART_HEAD;
		m.stmt = m.stmt ? m.stmt : s;
	}
	if (m.several)
		m.stmt = NULL;
	return m;
}

/* ---- branches -------------------------------------------------------------------------------- */

Source_match
source_stmt_of_branch(const Source_stmts *of, const Fn *fn, uint32_t stmt)
{
	const Inline_chain c = inline_chain(fn, stmt);
	Source_match m = { 0 };

	for (uint32_t i = 0; i < c.n && !m.stmt && !m.several; i++) {
		m = innermost_stmt(of, 'i', PART_HEAD, c.at[i]);
		if (i + 1 < c.n)
			m.at.caller = c.at[i + 1];
	}
	return m;
}

Stmt_part
source_part_of_blocks(const Source_stmt *s, const Fn *fn, Bits blocks)
{
	uint32_t of[PART_COUNT] = { 0 }, n = 0, before = 0;
	Stmt_part most = PART_BODY;

	BITS_EACH(b, blocks)
		FN_BLOCK_STMTS(fn, b, st) {
			uint32_t loc = fn_stmt(fn, st)->kind == STMT_INSN ? last_loc(fn, st) : 0;
			if (!loc || loc == before || n == MOST_LOCS)
				continue;
			n++;
			before = loc;
			const Inline_chain c = inline_chain(fn, loc);
			for (uint32_t part = PART_BODY; part < PART_COUNT; part++)
				for (uint32_t i = 0; i < c.n; i++)
					of[part] += part_contains(s, part, c.at[i]);
		}
	for (uint32_t part = PART_OTHER; part < PART_COUNT; part++)
		if (of[part] > of[most])
			most = part;
	bool both = most == PART_BODY && of[PART_OTHER] == of[PART_BODY];
	return of[most] && !both ? most : PART_HEAD;
}

/* ---- loops ----------------------------------------------------------------------------------- */

Source_match
source_stmt_of_loop_test(const Source_stmts *of, const Fn *fn, uint32_t stmt)
{
	const Inline_chain c = inline_chain(fn, stmt);
	Source_match m = { 0 };

	for (uint32_t i = 0; i < c.n && !m.stmt && !m.several; i++) {
		Source_match d = innermost_stmt(of, 'd', PART_OTHER, c.at[i]);
		m = innermost_stmt(of, 'l', PART_HEAD, c.at[i]);
		if (!m.stmt && !m.several)
			m = d;
		if (i + 1 < c.n)
			m.at.caller = c.at[i + 1];
	}
	return m;
}

/* Whether the block's branch leaves or repeats the loop. */
static bool
block_tests_loop(const Fn *fn, uint32_t block, uint32_t loop)
{
	bool tests = false;

	FN_SUCC(fn, block, s)
		tests |= !s || s == fn->loops->loops[loop].header ||
			!loop_contains(fn->loops, loop, s);
	return tests && fn->loops->loop_of[block] == loop && cfg_terminator(fn->cfg, block);
}

/* Finds the innermost loop statement whose body contains the loop. */
static Source_match
find_loop_around(const Source_stmts *of, const Fn *fn, uint32_t loop)
{
	const Inline_chain c = inline_chain(fn, fn_loop_stmt(fn, loop));

	if (!c.n)
		return (Source_match){ 0 };
	Source_match l = innermost_stmt(of, 'l', PART_BODY, c.at[0]),
		     d = innermost_stmt(of, 'd', PART_BODY, c.at[0]);
	Source_match m = !l.stmt || (d.stmt && d.stmt->number > l.stmt->number) ? d : l;
	if (c.n > 1)
		m.at.caller = c.at[1];
	return m;
}

static Source_match
find_loop(const Source_stmts *of, const Fn *fn, uint32_t loop)
{
	Source_match m = source_stmt_of_loop_test(of, fn, fn_loop_stmt(fn, loop));

	BITS_EACH(b, fn->loops->loops[loop].blocks)
		if (!m.stmt && block_tests_loop(fn, b, loop))
			m = source_stmt_of_loop_test(of, fn, cfg_terminator(fn->cfg, b));
	return m.stmt || m.several ? m : find_loop_around(of, fn, loop);
}

Source_match
source_stmt_of_loop(const Source_stmts *of, const Fn *fn, uint32_t loop)
{
	Source_match m = find_loop(of, fn, loop);

	for (uint32_t i = fn->loops->loops[loop].parent; i; i = fn->loops->loops[i].parent)
		if (m.stmt && find_loop(of, fn, i).stmt == m.stmt)
			m.stmt = NULL;
	return m;
}

bool
source_stmt_is_nested_deeper(
	const Source_stmts *of, const Fn *fn, const Source_stmt *s, const Source_stmt *around)
{
	const Cuda_pos p = { .file = s->file, .line = s->begin[PART_HEAD].line };
	const Source_stmt *loop = NULL;

	for (uint32_t i = s->number - 1; i-- > 0 && !loop;) {
		const Source_stmt *l = &of->all.at[i];
		if ((l->kind == 'l' || l->kind == 'd') && part_contains(l, PART_BODY, p))
			loop = l;
	}
	for (uint32_t i = 1; loop && loop != around && i < fn->loops->nloops; i++)
		if (find_loop(of, fn, i).stmt == loop)
			return true;
	return false;
}

/* ---- kernels --------------------------------------------------------------------------------- */

const Source_stmt *
source_stmt_of_kernel(const Source_stmts *of, const Fn *fn, uint32_t stmt)
{
	const Inline_chain c = inline_chain(fn, stmt);

	return c.n ? innermost_stmt(of, 'k', PART_BODY, c.at[c.n - 1]).stmt : NULL;
}
