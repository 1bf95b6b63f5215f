/* SPDX-License-Identifier: MIT */
/* The templates, a file each. See tpl.h. */
#include "transform/tpl.h"

static const char *const bound[] = {
#include "bound.tpl.h"
	NULL
};
static const char *const ccc[] = {
#include "ccc.tpl.h"
	NULL
};

static const char *const expand[] = {
#include "expand.tpl.h"
	NULL
};

static const char *const grid[] = {
#include "grid.tpl.h"
	NULL
};

static const char *const distribute[] = {
#include "distribute.tpl.h"
	NULL
};

const Template templates[TEMPLATE_COUNT] = {
	[TEMPLATE_BOUND] = { "bound.tpl", bound },
	[TEMPLATE_CCC] = { "ccc.tpl", ccc },
	[TEMPLATE_EXPAND] = { "expand.tpl", expand },
	[TEMPLATE_GRID] = { "grid.tpl", grid },
	[TEMPLATE_DISTRIBUTE] = { "distribute.tpl", distribute },
};
