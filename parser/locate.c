/* SPDX-License-Identifier: MIT */
/* Maps positions in the PTX to positions in the CUDA source, for messages.
 *
 * A .loc applies to the statements after it, up to a label: code that is reached from elsewhere has
 * its own .loc. Line 0 means code of no line; then the position before it in its block is used. */
#include <string.h>
#include "base/demangle.h"
#include "parser/ptx.h"

/* Returns the .loc with a nonzero line that applies to a statement; 0 if there is none. */
static uint32_t
loc_in_block(const Module *m, uint32_t first, uint32_t stmt)
{
	for (Ptx_place p; stmt >= first && m->stmts[stmt].kind != STMT_LABEL; stmt--)
		if (m->stmts[stmt].kind == STMT_LOC && ptx_loc_place(m, stmt, &p) && p.line)
			return stmt;
	return 0;
}

/* Markers have the file name that the compiler was given, .file usually the full path. */
static const char *
as_marked(const Module *m, const char *file)
{
	size_t n = strlen(file);

	for (uint32_t i = 0; i < m->nmarkers; i++) {
		const char *s = m->markers[i].cuda.file;
		size_t k = s ? strlen(s) : 0;
		if (k && k <= n && strcmp(file + n - k, s) == 0 &&
			(k == n || file[n - k - 1] == '/'))
			return s;
	}
	return file;
}

static Cuda_pos
normalise_file(const Module *m, Cuda_pos at, bool known)
{
	if (!known)
		return (Cuda_pos){ 0 };
	at.file = as_marked(m, at.file);
	return at;
}

static uint32_t
function_at(const Module *m, uint32_t pos)
{
	for (uint32_t i = 1; i < m->nfuncs; i++)
		if (m->funcs[i].body && m->funcs[i].block.pos <= pos && pos < m->funcs[i].block.end)
			return i;
	return 0;
}

/* Returns the statement of the function that contains byte pos, or the one before it. */
static uint32_t
statement_at(const Module *m, uint32_t func, uint32_t pos)
{
	uint32_t lo = m->funcs[func].stmt, hi = lo + m->funcs[func].nstmt;

	while (hi - lo > 1) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (m->stmts[mid].at.pos <= pos)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

static uint32_t
function_of(const Module *m, uint32_t stmt)
{
	for (uint32_t i = 1; i < m->nfuncs; i++)
		if (m->funcs[i].body && ptx_has_stmt(&m->funcs[i], stmt))
			return i;
	return 0;
}

Diag_place
ptx_place(const Module *m, uint32_t stmt)
{
	uint32_t func = function_of(m, stmt),
		 loc = func ? loc_in_block(m, m->funcs[func].stmt, stmt) : 0;
	Cuda_pos at = { 0 }, caller = { 0 };

	if (loc == 0)
		return (Diag_place){ 0 };
	bool known = ptx_cuda_pos(m, loc, &at), inlined = ptx_cuda_caller(m, loc, &caller);
	return (Diag_place){ .at = normalise_file(m, at, known),
		.caller = normalise_file(m, caller, inlined) };
}

Diag_place
ptx_locate(const Module *m, uint32_t pos)
{
	uint32_t func = function_at(m, pos);
	size_t len;

	if (func == 0)
		return (Diag_place){ 0 };
	Diag_place p = ptx_place(m, statement_at(m, func, pos));
	const char *name = ptx_name(m, m->funcs[func].sym, &len);
	p.function = demangle(m->arena, name, len);
	return p;
}
