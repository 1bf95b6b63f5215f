/* SPDX-License-Identifier: MIT */
/* Files of a profile that was made in another folder; see profile_relocate().
 *
 * Records name the source as the compiler did, in most builds by an absolute path. If the sources
 * are moved, or compiled on another machine, only the end of that path stays the same. The file is
 * then recognized by its base name and by its records: each one of a function of the module must
 * have a place in that function. */
#include <stdlib.h>
#include <string.h>
#include "profile/match.h"
#include "profile/profile.h"

typedef VEC(const char *) File_names;
typedef struct { const char *function; uint32_t func; Cuda_pos at; } Code_place;
typedef struct {
	const Module *m;
	Arena *arena;
	VEC(Code_place) places;
	File_names files;       /* of the places */
	/* of annotations, as counts are looked up: the end of a path matches any folder */
	File_names annotated;
	File_names profiled;    /* of the records */
} Relocation;

static const char *
base_name(const char *file)
{
	const char *slash = strrchr(file, '/');

	return slash ? slash + 1 : file;
}

static void
add_file(File_names *to, const char *file)
{
	for (uint32_t i = to->n; file && i-- > 0;)
		if (strcmp(to->at[i], file) == 0)
			return;
	if (file)
		*vec_push(to) = file;
}

static bool
has_file(const File_names *of, const char *file)
{
	for (uint32_t i = 0; i < of->n; i++)
		if (profile_same_file(of->at[i], file))
			return true;
	return false;
}

/* ---- the module ------------------------------------------------------------------------------ */

static void
add_place(Relocation *w, uint32_t func, Cuda_pos at)
{
	size_t len;
	const char *name = ptx_name(w->m, w->m->funcs[func].sym, &len);
	const Code_place *last = w->places.n ? &w->places.at[w->places.n - 1] : NULL;
	const char *function = func && last && last->func == func ?
			last->function : arena_strndup(w->arena, name, len);

	*vec_push(&w->places) = (Code_place){ function, func, at };
	if (!has_file(&w->files, at.file))
		add_file(&w->files, at.file);
}

/* Collects the places of lines, then of annotations, whose file names may be shorter. */
static void
collect_places(Relocation *w)
{
	const Module *m = w->m;

	for (uint32_t f = 1; f < m->nfuncs; f++) {
		const Func *fn = &m->funcs[f];
		Cuda_pos at;
		for (uint32_t s = fn->stmt; fn->body && s < fn->stmt + fn->nstmt; s++)
			if (m->stmts[s].kind == STMT_LOC && ptx_cuda_pos(m, s, &at))
				add_place(w, f, at);
	}
	for (uint32_t i = 0; i < m->nmarkers; i++)
		if (m->markers[i].cuda.file && m->funcs[m->markers[i].func].body) {
			add_place(w, m->markers[i].func, m->markers[i].cuda);
			add_file(&w->annotated, m->markers[i].cuda.file);
		}
}

static bool
has_function(const Relocation *w, const char *name)
{
	for (uint32_t f = 1; f < w->m->nfuncs; f++) {
		size_t len;
		const char *s = ptx_name(w->m, w->m->funcs[f].sym, &len);
		if (w->m->funcs[f].body && strlen(name) == len && memcmp(s, name, len) == 0)
			return true;
	}
	return false;
}

/* Whether the function has a place with the record's line in the file; for a loop, a later one
 * suffices, as `do` has no code. Columns of candidates are none of the source. */
static bool
has_place(const Relocation *w, const Profile_key *k, const char *file)
{
	const bool loop = strcmp(k->kind, "if") != 0;

	for (uint32_t i = 0; i < w->places.n; i++) {
		const Code_place *p = &w->places.at[i];
		if ((p->at.line == k->at.line || (loop && p->at.line > k->at.line)) &&
			strcmp(p->function, k->function) == 0 &&
			profile_same_file(p->at.file, file))
			return true;
	}
	return false;
}

/* ---- files ----------------------------------------------------------------------------------- */

/* Whether the file of the profile is the module's, by the places of its records. */
static bool
places_agree(const Relocation *w, const Profile *p, const char *from, const char *to)
{
	bool any = false;

	for (uint32_t i = 0; i < p->records.n; i++) {
		const Profile_key *k = &p->records.at[i].key;
		if (strcmp(k->at.file, from) != 0 || !has_function(w, k->function))
			continue;
		if (!has_place(w, k, to))
			return false;
		any = true;
	}
	return any;
}

/* Returns how many names at the ends of two paths are equal. */
static uint32_t
common_end(const char *a, const char *b)
{
	size_t m = strlen(a), n = strlen(b);
	uint32_t names = 0;

	for (; m && n && a[m - 1] == b[n - 1]; m--, n--)
		names += a[m - 1] == '/';
	return names + ((!m || a[m - 1] == '/') && (!n || b[n - 1] == '/'));
}

/* Returns the file of the list that `file` can be, which has the longest common end with it; NULL
 * if none can be or several can. */
static const char *
closest(const File_names *list, const File_names *taken, const char *file)
{
	const char *best = NULL;
	uint32_t most = 0;

	for (uint32_t i = 0; i < list->n; i++) {
		const char *other = list->at[i];
		const uint32_t end = common_end(other, file);
		if (has_file(taken, other) || strcmp(base_name(other), base_name(file)) != 0 ||
			end < most)
			continue;
		best = end > most ? other : NULL;
		most = end;
	}
	return best;
}

static void
rename_file(Profile *p, const char *from, const char *to)
{
	const char *name = arena_strndup(p->arena, to, strlen(to));

	for (uint32_t i = 0; i < p->records.n; i++) {
		Profile_key *k = &p->records.at[i].key;
		if (strcmp(k->at.file, from) == 0)
			k->at.file = name;
		for (uint32_t c = 0; c < k->ninlined; c++)
			if (strcmp(k->inlined[c].file, from) == 0)
				k->inlined[c].file = name;
	}
}

/* Whether records are of the module's functions: in its files, or in others. */
static Profile_match
match_functions(const Relocation *w, const Profile *p)
{
	Profile_match best = PROFILE_NONE;

	for (uint32_t i = 0; i < p->records.n && best != PROFILE_FOUND; i++) {
		const Profile_key *k = &p->records.at[i].key;
		if (has_function(w, k->function))
			best = profile_is_ptx_file(k->at.file) || !w->files.n ||
					has_file(&w->files, k->at.file) ||
					has_file(&w->annotated, k->at.file) ?
				PROFILE_FOUND : PROFILE_STALE;
	}
	return best;
}

Profile_match
profile_relocate(Profile *p, const Module *m, const Files_compared *compare, Cuda_pos *source)
{
	Relocation w = { .m = m, .arena = arena_new() };

	for (uint32_t i = 0; i < p->records.n; i++) {
		const Profile_key *k = &p->records.at[i].key;
		if (!profile_is_ptx_file(k->at.file))
			add_file(&w.profiled, k->at.file);
	}
	collect_places(&w);
	for (uint32_t i = 0; i < w.files.n; i++) {
		const char *to = w.files.at[i],
			   *from = closest(&w.profiled, &w.files, to);
		if (!has_file(&w.profiled, to) && from &&
			closest(&w.files, &w.profiled, from) == to &&
			places_agree(&w, p, from, to) && !compare->differ(compare->user, from, to))
			rename_file(p, from, to);
	}
	*source = w.places.n ? w.places.at[0].at : (Cuda_pos){ 0 };
	const Profile_match match = match_functions(&w, p);
	vec_free(&w.places);
	vec_free(&w.files);
	vec_free(&w.annotated);
	vec_free(&w.profiled);
	arena_free(w.arena);
	return match;
}
