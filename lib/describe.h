/* SPDX-License-Identifier: MIT */
/* From what the passes report to a unit, which is what others read. */
#ifndef LIB_DESCRIBE_H
#define LIB_DESCRIBE_H

#include "lib/ptxccc.h"
#include "report/unit.h"
#include "transform/plan/report.h"

/* told: the diagnostics, which know the places in the CUDA source. Texts live as long as the report
 * and the module. */
void describe(
	const Report *r, const Module *m, const ptxccc_diagnostic *told, uint32_t ntold, Unit *u);

#endif
