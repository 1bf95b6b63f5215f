/* SPDX-License-Identifier: MIT */
/* Whether a record of a profile is of a profile point. See match.h. */
#include <string.h>
#include "profile/match.h"

bool
profile_same_file(const char *a, const char *b)
{
	size_t m = strlen(a), n = strlen(b);
	const char *tail = m < n ? b + (n - m) : a + (m - n), *shorter = m < n ? a : b;

	if (m == n)
		return strcmp(a, b) == 0;
	return *shorter && strcmp(tail, shorter) == 0 && tail[-1] == '/';
}

static bool
same_chain(const Profile_key *a, const Profile_key *b)
{
	if (a->ninlined != b->ninlined)
		return false;
	for (uint32_t i = 0; i < a->ninlined; i++)
		if (a->inlined[i].line != b->inlined[i].line ||
			!profile_same_file(a->inlined[i].file, b->inlined[i].file))
			return false;
	return true;
}

static bool
is_of_loop(const char *kind)
{
	return strcmp(kind, "for-var") == 0 || strcmp(kind, "while") == 0;
}

/* Whether a record matches by position. Kinds of inner loops are equivalent, and a prediction may
 * be for a path or an inner loop. */
static bool
kinds_match(const char *record, const char *kind)
{
	if (strcmp(kind, "predict") == 0 && strcmp(record, "if") == 0)
		return true;
	return strcmp(record, kind) == 0 ||
		(is_of_loop(record) && (is_of_loop(kind) || strcmp(kind, "predict") == 0));
}

bool
profile_is_ptx_file(const char *name)
{
	size_t n = strlen(name);

	return *name == '<' || (n > 4 && strcmp(name + n - 4, ".ptx") == 0);
}

/* Whether both are of one source, or both are of a function's PTX, which has another name when it
 * is compiled again or loaded in another way. */
static bool
same_text(const Profile_key *r, const Profile_key *k)
{
	return profile_same_file(r->at.file, k->at.file) ||
		(profile_is_ptx_file(r->at.file) && profile_is_ptx_file(k->at.file) &&
			strcmp(r->function, k->function) == 0);
}

/* Whether the annotation is on that line or up to ABOVE lines above it. */
static bool
place_is_near(const Profile_key *r, const Profile_key *k)
{
	enum { ABOVE = 2 };

	return r->at.line <= k->at.line && k->at.line - r->at.line <= ABOVE &&
		kinds_match(r->kind, k->kind) && same_text(r, k);
}

Nearness
profile_match_place(const Profile_key *r, const Profile_key *k)
{
	if (!place_is_near(r, k))
		return FAR;
	return r->at.line == k->at.line && r->at.col == k->at.col &&
			strcmp(r->function, k->function) == 0 ? FUNCTION : CODE;
}

int
profile_match_added(const Profile_key *r, const Profile_key *k, uint32_t added)
{
	enum { MOST = 2 };
	/* where the statement below the annotation was */
	const int64_t line = (int64_t)k->at.line + 1 - added;
	const int64_t distance = r->at.line > line ? r->at.line - line : line - r->at.line;

	if (distance > MOST || !kinds_match(r->kind, k->kind) || !same_text(r, k) ||
		strcmp(r->function, k->function) != 0)
		return -1;
	return (int)distance;
}

Nearness
profile_match_code(const Profile_key *r, const Profile_key *k)
{
	bool columns = !r->at.col || !k->at.col || r->at.col == k->at.col;

	if (r->at.line != k->at.line || strcmp(r->kind, k->kind) != 0 || !columns ||
		!same_text(r, k))
		return FAR;
	if (!r->hash)
		return same_chain(r, k) ? ANY_CHAIN : ANY;
	if (r->hash != k->hash)
		return HERE;
	if (strcmp(r->function, k->function) != 0)
		return CODE;
	return same_chain(r, k) ? CHAIN : FUNCTION;
}
