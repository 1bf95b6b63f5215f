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

void
given_profiles(const Given_text *g, Profile *to, Diags *d)
{
	Buf said = { 0 };

	if (!g)
		return;
	given_profiles(g->before, to, d);
	if (!profile_read(to, g->text, g->len, &said)) {
		diag(d, D_PROFILE_STALE, DIAG_NOWHERE, "cannot use all of the profile '%s'", g->name);
		diag_note(d, DIAG_NOWHERE, "%s", said.at);
	}
	buf_free(&said);
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
