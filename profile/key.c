/* SPDX-License-Identifier: MIT */
/* Keys of profile points; see profile.h.
 *
 * The position is the annotation's, from its marker; the column and the inline positions come from
 * .loc directives, if there are any. The hash covers the instructions between the markers without
 * the names of registers and labels, so that it is stable as long as the compiler generates the
 * same code for the statement, whatever is around it. */
#include <string.h>
#include "profile/profile.h"

enum { MOST_INLINED = 64 };

/* ---- hash ------------------------------------------------------------------------------------ */

static void
hash_byte(uint64_t *h, char c) /* FNV-1a */
{
	*h = (*h ^ (unsigned char)c) * UINT64_C(0x100000001b3);
}

static bool
is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		c == '_' || c == '$';
}

/* Whether s is the name of a special register; n bytes with the '%'. */
static bool
is_special(const char *s, size_t n)
{
	for (int i = 0; i < SREG_COUNT; i++) {
		const char *name = ptx_sregs[i].name;
		if (n > 1 && *name && name[1] == s[1] && strlen(name) == n &&
			memcmp(name, s, n) == 0)
			return true;
	}
	return false;
}

static void
hash_stmt(const Module *m, const Stmt *stmt, uint64_t *h)
{
	const char *s = m->src->text + stmt->at.pos, *end = m->src->text + stmt->at.end;

	while (s < end) {
		const char *name = s++;
		bool special = *name == '%' || *name == '$';
		while (special && s < end && is_name(*s))
			s++;
		if (*name <= ' ')
			continue;
		if (special && !is_special(name, (size_t)(s - name)))
			hash_byte(h, *name);
		else
			for (; name < s; name++)
				hash_byte(h, *name);
	}
}

static uint64_t
hash_point(const Fn *fn, const Region *point)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	BITS_EACH(b, point->blocks)
		FN_BLOCK_STMTS(fn, b, s)
			if (fn_stmt(fn, s)->kind == STMT_INSN)
				hash_stmt(fn->m, fn_stmt(fn, s), &h);
	return h;
}

/* ---- inline positions ------------------------------------------------------------------------ */

/* Returns the last .loc before a statement that names the position; 0 if there is none. */
static uint32_t
find_loc_naming(const Fn *fn, uint32_t stmt, const Ptx_place *at)
{
	Ptx_place p;

	while (stmt-- > fn->f->stmt)
		if (fn_stmt(fn, stmt)->kind == STMT_LOC && ptx_loc_place(fn->m, stmt, &p) &&
			p.file == at->file && p.line == at->line && p.col == at->col)
			return stmt;
	return 0;
}

/* Returns the last .loc before a statement; 0 if there is none. */
static uint32_t
last_loc(const Fn *fn, uint32_t stmt)
{
	while (stmt-- > fn->f->stmt)
		if (fn_stmt(fn, stmt)->kind == STMT_LOC)
			return stmt;
	return 0;
}

/* Finds the inline chain. The code at the marker is a guard's constructor, inlined into the
 * annotated statement, which has the annotation's column; that statement may be in an inlined
 * function, and so on. */
static void
find_inlined(const Fn *fn, uint32_t stmt, Profile_key *k, Arena *a)
{
	Cuda_pos chain[MOST_INLINED];
	uint32_t n = 0, loc = fn->locs ? last_loc(fn, stmt) : 0;
	Ptx_place p;

	for (; loc && n < MOST_INLINED; loc = find_loc_naming(fn, loc, &p)) {
		if (!ptx_loc_caller(fn->m, loc, &p) || !ptx_cuda_caller(fn->m, loc, &chain[n]))
			break;
		chain[n].col = p.col;
		if (!chain[n].file)
			break;
		if (n == 0 && !k->at.col && p.line == k->at.line)
			k->at.col = p.col;
		else
			n++;
	}
	k->inlined = arena_array(a, n + 1, sizeof *k->inlined);
	memcpy(k->inlined, chain, n * sizeof *chain);
	k->ninlined = n;
}

Profile_key
profile_key(const Fn *fn, const Region *point, Arena *a)
{
	const Marker *k = &fn->m->markers[point->marker];
	size_t len;
	const char *name = ptx_name(fn->m, fn->f->sym, &len);
	Profile_key key = { .kind = annot_kinds[k->annot.kind].marker,
		.at = k->cuda,
		.function = arena_strndup(a, name, len),
		.hash = hash_point(fn, point) };

	if (!key.at.file)
		key.at.file = "";
	find_inlined(fn, k->stmt, &key, a);
	return key;
}
