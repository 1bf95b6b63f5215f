/* SPDX-License-Identifier: MIT */
/* Stores the texts that a context receives and parses them in each job. See given.h. */
#include <string.h>
#include "lib/given.h"
#include "transform/output/verify.h"

void
given_texts_release(ptxccc *c, Given_text **list)
{
	for (Given_text *g = *list, *before; g; g = before) {
		before = g->before;
		c->heap.allocate(c->heap.user, g, 0);
	}
	*list = NULL;
}

/* Adds a text to the list; NULL: empties the list. */
static ptxccc_status
keep_given_text(ptxccc *c, Given_text **list, const char *name, const char *text, size_t len)
{
	size_t n = name ? strlen(name) + 1 : 0;

	c->message[0] = '\0';
	if (!text) {
		given_texts_release(c, list);
		return PTXCCC_OK;
	}
	Given_text *g = c->heap.allocate(c->heap.user, NULL, sizeof *g + n + 1 + len);
	if (!g)
		return context_fail(c, PTXCCC_NO_MEMORY, "out of memory");
	*g = (Given_text){ .before = *list, .len = len, .text = g->name + n + 1 };
	memcpy(g->name, name ? name : "", n + !n);
	memcpy(g->text, text, len);
	*list = g;
	return PTXCCC_OK;
}

ptxccc_status
ptxccc_profile(ptxccc *c, const char *name, const char *text, size_t len)
{
	return keep_given_text(c, &c->profiles, name, text, len);
}

ptxccc_status
ptxccc_plain(ptxccc *c, const char *name, const char *ptx, size_t len)
{
	given_texts_release(c, &c->plain);
	return keep_given_text(c, &c->plain, name, ptx, len);
}

/* ---- in a job -------------------------------------------------------------------------------- */

static void
read_profiles(const Given_text *g, Profile *to, Diags *d)
{
	Buf said = { 0 };

	if (!g)
		return;
	read_profiles(g->before, to, d);
	if (!profile_read(to, g->text, g->len, &said)) {
		diag(d, D_PROFILE_STALE, DIAG_NOWHERE, "cannot use all of the profile '%s'", g->name);
		diag_note(d, DIAG_NOWHERE, "%s", said.at);
	}
	buf_free(&said);
}

/* Compares two sources. The reader holds one text at a time. */
static bool
files_differ(void *user, const char *a, const char *b)
{
	const Diag_style *style = user;
	Buf first = { 0 };
	size_t n = 0;
	const char *s = style->read ? style->read(style->reader, a, &n) : NULL;

	if (s)
		buf_add(&first, s, n);
	const char *t = s ? style->read(style->reader, b, &n) : NULL;
	const bool differ = t && (n != first.n || (n && memcmp(t, first.at, n) != 0));
	buf_free(&first);
	return differ;
}

/* Whether a profile of other sources only is a mistake: not in a build of a program that takes what
 * one profile advises. */
static bool
asks_for_counts(const ptxccc *c, const Module *m)
{
	return m->nmarkers > 1 || c->suggest == suggest_write_table ||
		c->suggest == suggest_write_fixes;
}

void
given_profiles(ptxccc *c, const Module *m, Profile *to, Diags *d)
{
	const Given_text *g = c->profiles;
	const Files_compared compare = { files_differ, &c->style };
	Cuda_pos source;

	read_profiles(g, to, d);
	if (!to->records.n)
		return;
	profile_sort_and_merge(to);
	const Profile_match match = profile_relocate(to, m, &compare, &source);
	if (!profile_counts(to) || match == PROFILE_FOUND ||
		(match == PROFILE_NONE && !asks_for_counts(c, m)))
		return;
	diag_cuda(d, D_PROFILE_STALE, source, DIAG_NOWHERE,
		"the profile '%s' has no counts for any loop of '%s'", g->name,
		source.file ? source.file : m->src->name);
	diag_note(d, DIAG_NOWHERE, "it was made for '%s': make it again with this source",
		to->records.at[0].key.at.file);
}

const Module *
given_plain(const Given_text *g, Source *src, Diags *d)
{
	Buf why = { 0 };

	if (!g)
		return NULL;
	source_from(src, g->name, g->text, g->len);
	const Module *m = ptx_parse(src, diags_new(src));
	if (!m && !verify_text(g->name, g->text, g->len, &why)) {
		diag(d, D_PROFILE_STALE, DIAG_NOWHERE,
			"cannot read '%s', the PTX of the source without annotations", g->name);
		diag_note(d, DIAG_NOWHERE, "%s", why.at);
	}
	buf_free(&why);
	return m;
}
