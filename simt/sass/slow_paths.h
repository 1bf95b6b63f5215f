/* SPDX-License-Identifier: MIT */
/* Operations whose machine code has a quick path and a slow path: a routine added by ptxas for the
 * operands that the quick path cannot handle. Internal to simt/. */
#ifndef SIMT_SASS_SLOW_PATHS_H
#define SIMT_SASS_SLOW_PATHS_H

#include "parser/ptx.h"
#include "simt/sass/listing.h"

/* Operands of one class take the same path through the routine; class 0 takes the quick path. */
enum { SLOW_CLASSES = 8 };

/* How the operands of a statement are classified; 0: unknown, all are quick. */
uint8_t slow_path_kind(const Module *m, const Stmt *s);
uint32_t slow_path_class(uint8_t kind, uint64_t a, uint64_t b);
/* Returns the number of instructions executed in the routine at `first` by operands of a class. */
uint32_t slow_path_steps(const Sass *s, uint32_t first, uint8_t kind, uint32_t class);

#endif
