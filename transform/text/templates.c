/* SPDX-License-Identifier: MIT */
/* The templates, one file each. See template.h. */
#include <stdlib.h>
#include <string.h>
#include "transform/text/template.h"

#define ROW(kind, to, text, marks, cites) \
	{ TPL_##kind, to, sizeof text - 1, text, marks, cites },

static const Tpl_row wait[] = {
#include "wait.tpl.h"
};

static const Tpl_row collect[] = {
#include "collect.tpl.h"
};

static const Tpl_row expand[] = {
#include "expand.tpl.h"
};

static const Tpl_row grid[] = {
#include "grid.tpl.h"
};

static const Tpl_row distribute[] = {
#include "distribute.tpl.h"
};

static const Tpl_row remap[] = {
#include "remap.tpl.h"
};

static const Tpl_row rows[] = {
#include "rows.tpl.h"
};

static const Tpl_row profile[] = {
#include "profile.tpl.h"
};

static const Tpl_row promise[] = {
#include "promise.tpl.h"
};

static const Tpl_row recursion[] = {
#include "recursion.tpl.h"
};

static const Tpl_row cancel[] = {
#include "cancel.tpl.h"
};

#define TEMPLATE(rows) #rows ".tpl", rows, sizeof rows / sizeof *rows
const Template templates[TEMPLATE_COUNT] = {
	[TEMPLATE_WAIT] = { TEMPLATE(wait), NULL },
	[TEMPLATE_COLLECT] = { TEMPLATE(collect), &templates[TEMPLATE_ROWS] },
	[TEMPLATE_EXPAND] = { TEMPLATE(expand), &templates[TEMPLATE_ROWS] },
	[TEMPLATE_GRID] = { TEMPLATE(grid), NULL },
	[TEMPLATE_DISTRIBUTE] = { TEMPLATE(distribute), NULL },
	[TEMPLATE_REMAP] = { TEMPLATE(remap), NULL },
	[TEMPLATE_ROWS] = { TEMPLATE(rows), NULL },
	[TEMPLATE_PROFILE] = { TEMPLATE(profile), NULL },
	[TEMPLATE_PROMISE] = { TEMPLATE(promise), NULL },
	[TEMPLATE_RECURSION] = { TEMPLATE(recursion), NULL },
	[TEMPLATE_CANCEL] = { TEMPLATE(cancel), NULL },
};

bool
tpl_parse_place(const char *text, Tpl_place *out)
{
	for (uint32_t i = 0; i < TEMPLATE_COUNT; i++) {
		size_t len = strlen(templates[i].name);
		char *end;
		if (strncmp(text, templates[i].name, len) != 0 || text[len] != ':')
			continue;
		unsigned long line = strtoul(text + len + 1, &end, 10);
		*out = (Tpl_place){ .in = (Template_id)i, .line = (uint32_t)line };
		return *end == '\0' && line >= 1 && line <= templates[i].n;
	}
	return false;
}
