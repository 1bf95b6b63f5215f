/* SPDX-License-Identifier: MIT */
/* Operations of which machine code has a quick path and a slow one: a routine that ptxas has put
 * in, which the operands that the quick one cannot do are sent to. Internal to simt/. */
#ifndef SIMT_SASS_SLOW_PATHS_H
#define SIMT_SASS_SLOW_PATHS_H

#include "parser/ptx.h"
#include "simt/sass/listing.h"

/* Operands of one class take the same way through the routine; 0: of those for the quick path. */
enum { SLOW_CLASSES = 8 };

/* How operands of a statement are told apart; 0: it is not known, all are quick. */
uint8_t slow_kind(const Module *m, const Stmt *s);
uint32_t slow_class(uint8_t kind, uint64_t a, uint64_t b);
/* Instructions of the routine that begins at `first`, by the way that a class takes. */
uint32_t slow_steps(const Sass *s, uint32_t first, uint8_t kind, uint32_t class);

#endif
