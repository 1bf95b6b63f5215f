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

#define TEMPLATE(rows) { #rows ".tpl", rows, sizeof rows / sizeof *rows }
const Template templates[TEMPLATE_COUNT] = {
	[TEMPLATE_BOUND] = TEMPLATE(bound),
	[TEMPLATE_CCC] = TEMPLATE(ccc),
	[TEMPLATE_EXPAND] = TEMPLATE(expand),
	[TEMPLATE_GRID] = TEMPLATE(grid),
	[TEMPLATE_DISTRIBUTE] = TEMPLATE(distribute),
	[TEMPLATE_REMAP] = TEMPLATE(remap),
};
