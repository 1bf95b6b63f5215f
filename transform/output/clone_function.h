/* SPDX-License-Identifier: MIT */
/* Second bodies of functions: copies, or what nvcc makes of the same source without annotations. */
#ifndef TRANSFORM_OUTPUT_CLONE_FUNCTION_H
#define TRANSFORM_OUTPUT_CLONE_FUNCTION_H

#include "transform/text/template.h"
#include "analysis/dataflow/function.h"

/* The function of that module by this one's name whose body can stand in this one's; 0: there is
 * none. */
uint32_t plain_func(const Fn *fn, const Module *plain);
/* Writes a second body for fn: that of plain, which is fn itself, or what plain_func has found. */
void plain_put(const Fn *fn, const Fn *plain, Tpl *t, Arena *a);

#endif
