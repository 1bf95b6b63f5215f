/* SPDX-License-Identifier: MIT */
/* Converts what the passes report into a Unit, the input of all report formats. */
#ifndef LIB_DESCRIBE_H
#define LIB_DESCRIBE_H

#include "lib/ptxccc.h"
#include "report/unit.h"
#include "transform/plan/report.h"

/* told: the diagnostics, which have the places in the CUDA source. Strings of u live as long as
 * the report and the module. */
void describe(
	const Report *r, const Module *m, const ptxccc_diagnostic *told, uint32_t ntold, Unit *u);

#endif
