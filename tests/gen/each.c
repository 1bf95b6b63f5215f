/* SPDX-License-Identifier: MIT */
/* Kernels for each annotation. See each.h. The begin markers tell which annotations a kernel
 * has. */
#include <string.h>
#include "tests/gen/each.h"

static bool
is_annotation(uint32_t k)
{
	return annot_kinds[k].words != NULL;
}

static bool
lacks(const Each *e, const uint64_t *n, uint32_t k)
{
	return is_annotation(k) && (!e->kinds || e->kinds >> k & 1) && n[k] < e->most;
}

bool
each_only(Each *e, const char *marker)
{
	for (uint32_t k = 0; k < ANNOT_KINDS; k++)
		if (is_annotation(k) && strcmp(annot_kinds[k].marker, marker) == 0) {
			e->kinds |= 1u << k;
			return true;
		}
	return false;
}

bool
each_wants(Each *e, const uint64_t *n, const char *text)
{
	static const char begin[] = "\t// .ccc begin ";
	bool wanted = false;

	e->here = 0;
	for (const char *at = text; (at = strstr(at, begin)) != NULL;) {
		at += sizeof begin - 1;
		size_t len = strcspn(at, " ");
		for (uint32_t k = 0; k < ANNOT_KINDS; k++)
			if (strlen(annot_kinds[k].marker) == len &&
				strncmp(annot_kinds[k].marker, at, len) == 0) {
				e->here |= 1u << k;
				wanted |= lacks(e, n, k);
			}
	}
	return wanted;
}

void
each_count(const Each *e, uint64_t *n)
{
	for (uint32_t k = 0; k < ANNOT_KINDS; k++)
		n[k] += e->here >> k & 1;
}

bool
each_done(const Each *e, const uint64_t *n)
{
	for (uint32_t k = 0; k < ANNOT_KINDS; k++)
		if (lacks(e, n, k))
			return false;
	return true;
}
