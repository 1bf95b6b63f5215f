/* SPDX-License-Identifier: MIT */
/* Other function bodies: copies, or what nvcc generates from the same source without
 * annotations. */
#ifndef TRANSFORM_OUTPUT_CLONE_FUNCTION_H
#define TRANSFORM_OUTPUT_CLONE_FUNCTION_H

#include "transform/text/edit.h"
#include "transform/text/template.h"
#include "analysis/dataflow/function.h"

/* Returns the function of the same name in module `plain` whose body can be used in fn; 0 if there
 * is none. */
uint32_t find_unannotated_func(const Fn *fn, const Module *plain);
/* Returns the function of that name in module `plain`, if its head is the same and each name in its
 * body means the same in m; else 0. */
uint32_t find_plain_func(const Module *m, uint32_t func, const Module *plain);
/* Queues edits that give the functions of m without markers, except those in `keep`, the bodies
 * of the functions of the same names in module `plain`, if each name in them means the same in
 * m. */
void replace_by_plain_bodies(const Module *m, const Module *plain, Bits keep, Edits *e);
/* Writes a second body for fn: that of plain, which is fn itself or a result of
 * find_unannotated_func. */
void write_second_body(const Fn *fn, const Fn *plain, Tpl *t, Arena *a);

#endif
