/* SPDX-License-Identifier: MIT */
/* Parts of a module that can be planned separately. */
#ifndef SUGGEST_MODULE_PARTS_H
#define SUGGEST_MODULE_PARTS_H

#include "parser/ptx.h"
#include "transform/text/edit.h"

/* By Func: its part. Functions of different parts neither call each other, directly or indirectly,
 * nor name the same variable of the module, so no analysis of one depends on the other. */
typedef struct { const uint32_t *of; uint32_t n; } Module_parts;

Module_parts module_parts_build(const Module *m, Arena *a);
/* Queues edits that empty the bodies of functions in other parts than those in the set. */
void module_parts_keep(const Module_parts *p, const Module *m, Bits parts, Edits *e);

#endif
