/* SPDX-License-Identifier: MIT */
/* The templates, a file each. See tpl.h. */
#include "transform/tpl.h"

#define ROW(kind, to, text, marks) { TPL_##kind, to, sizeof text - 1, text, marks },

static const Tpl_row bound[] = {
#include "bound.tpl.h"
};

static const Tpl_row ccc[] = {
#include "ccc.tpl.h"
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

#define TEMPLATE(rows) #rows ".tpl", rows, sizeof rows / sizeof *rows
const Template templates[TEMPLATE_COUNT] = {
	[TEMPLATE_BOUND] = { TEMPLATE(bound), NULL },
	[TEMPLATE_CCC] = { TEMPLATE(ccc), &templates[TEMPLATE_ROWS] },
	[TEMPLATE_EXPAND] = { TEMPLATE(expand), &templates[TEMPLATE_ROWS] },
	[TEMPLATE_GRID] = { TEMPLATE(grid), NULL },
	[TEMPLATE_DISTRIBUTE] = { TEMPLATE(distribute), NULL },
	[TEMPLATE_REMAP] = { TEMPLATE(remap), NULL },
	[TEMPLATE_ROWS] = { TEMPLATE(rows), NULL },
};
