/* SPDX-License-Identifier: MIT */
/* The severity of the hook's own warnings. See loudness.h. */
#include <stdio.h>
#include <string.h>
#include "annotate/loudness.h"

/* Returns the severity that the user's options give to warnings of this kind. As in ptxccc,
 * --ccc-strict makes them errors. */
static Loudness
warning_level(const Hook *h, const char *kind)
{
	bool off = false, fatal = h->options.strict;

	for (uint32_t i = 0; i < h->options.ptxccc.n; i++) {
		const char *s = h->options.ptxccc.at[i] + 2;
		bool no = strncmp(s, "no-", 3) == 0, error = strncmp(s, "error=", 6) == 0;
		if (strcmp(s, "error") == 0)
			fatal = true;
		if (strcmp(s, "no-all") == 0)
			off = !fatal;
		if (strcmp(s + (no ? 3 : error ? 6 : 0), kind) != 0)
			continue;
		off = no;
		fatal |= error;
	}
	return off ? LOUDNESS_SILENT : fatal ? LOUDNESS_ERROR : LOUDNESS_WARNING;
}

Loudness
hook_warn(const Hook *h, const char *kind, const char *text)
{
	Loudness l = warning_level(h, kind);

	if (l != LOUDNESS_SILENT)
		fprintf(stderr, "%s: %s: %s [-W%s%s]\n", h->cicc.source,
			l == LOUDNESS_ERROR ? "error" : "warning", text,
			l == LOUDNESS_ERROR ? "error=" : "", kind);
	return l;
}

void
hook_set_levels(const Hook *h, Diags *d)
{
	Diag_settings levels = diag_defaults();

	if (h->options.strict)
		diag_strict(&levels);
	for (uint32_t i = 0; i < h->options.ptxccc.n; i++)
		if (strncmp(h->options.ptxccc.at[i], "-W", 2) == 0)
			diag_option(&levels, h->options.ptxccc.at[i] + 2);
	diags_set(d, &levels);
}
