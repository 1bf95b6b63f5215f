/* SPDX-License-Identifier: MIT */
/* Kernels by the names that people give them. */
#ifndef DRIVER_KERNELS_H
#define DRIVER_KERNELS_H

#include "base/arena.h"
#include "parser/ptx.h"

/* The name in the PTX of the kernel that is meant: by this name; by its name in the CUDA source,
 * with or without a template's arguments; or by the beginning of either, if it is the only one. A
 * copy in the arena; NULL after a message that lists what there is. */
const char *kernel_choose(const Module *m, const char *given, Arena *a);

#endif
