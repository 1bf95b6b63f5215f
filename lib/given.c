/* SPDX-License-Identifier: MIT */
/* Stores the texts that a context receives and parses them in each job. See given.h. */
#include <string.h>
#include "lib/given.h"
#include "transform/output/verify.h"

void
given_drop(ptxccc *c, Given **list)
{
	for (Given *g = *list, *before; g; g = before) {
		before = g->before;
		c->heap.allocate(c->heap.user, g, 0);
	}
	*list = NULL;
}

/* Adds a text to the list; NULL: empties the list. */
static ptxccc_status
give(ptxccc *c, Given **list, const char *name, const char *text, size_t len)
{
	size_t n = name ? strlen(name) + 1 : 0;

	c->message[0] = '\0';
	if (!text) {
		given_drop(c, list);
		return PTXCCC_OK;
	}
	Given *g = c->heap.allocate(c->heap.user, NULL, sizeof *g + n + 1 + len);
	if (!g)
		return context_fail(c, PTXCCC_NO_MEMORY, "out of memory");
	*g = (Given){ .before = *list, .len = len, .text = g->name + n + 1 };
	memcpy(g->name, name ? name : "", n + !n);
	memcpy(g->text, text, len);
	*list = g;
	return PTXCCC_OK;
}

ptxccc_status
ptxccc_profile(ptxccc *c, const char *name, const char *text, size_t len)
{
	return give(c, &c->profiles, name, text, len);
}

ptxccc_status
ptxccc_plain(ptxccc *c, const char *name, const char *ptx, size_t len)
{
	given_drop(c, &c->plain);
	return give(c, &c->plain, name, ptx, len);
}

/* ---- in a job -------------------------------------------------------------------------------- */

void
given_profiles(const Given *g, Profile *to, Diags *d)
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
given_plain(const Given *g, Source *src, Diags *d)
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
