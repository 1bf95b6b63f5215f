/* SPDX-License-Identifier: MIT */
/* Costs of source lines, of one launch or of a whole program, as an HTML page (--html=FILE). */
#ifndef DRIVER_COSTS_H
#define DRIVER_COSTS_H

#include "base/arena.h"
#include "base/vec.h"
#include "report/lines.h"
#include "simt/simt.h"

typedef struct { VEC(Line_cost) lines; uint64_t others, other_threads; Arena *names; } Costs;

/* Adds the costs of all launches with .lines so far. Code without CUDA lines is counted by the
 * lines of its PTX file. */
void costs_add(Costs *c, const Sim *s, const char *ptx);
/* Adds a record of driver/rt/runtime.c: line, counts and file, separated by tabs. */
void costs_read(Costs *c, const char *record);
/* Writes the page and frees the list. Returns 0, or 2 after printing a message. */
int costs_write(Costs *c, const char *title, const char *path);

#endif
