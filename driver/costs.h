/* SPDX-License-Identifier: MIT */
/* What lines cost, of one launch or of a whole program, as a page (--html=FILE). */
#ifndef DRIVER_COSTS_H
#define DRIVER_COSTS_H

#include "base/arena.h"
#include "base/vec.h"
#include "report/lines.h"
#include "simt/simt.h"

typedef struct { VEC(Line_cost) lines; uint64_t others; Arena *names; } Costs;

/* Adds what launches with .lines did so far; code without CUDA lines by those of its PTX file. */
void costs_add(Costs *c, const Sim *s, const char *ptx);
/* Adds a record of driver/rt/runtime.c: line, counts, file, parted by tabs. */
void costs_read(Costs *c, const char *record);
/* Writes the page, and ends the list. 0, or 2 after a message. */
int costs_write(Costs *c, const char *title, const char *path);

#endif
