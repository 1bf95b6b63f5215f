/* SPDX-License-Identifier: MIT */
/* Finds kernels by the names that users write, and lists their parameters. */
#ifndef DRIVER_KERNELS_H
#define DRIVER_KERNELS_H

#include "base/arena.h"
#include "parser/ptx.h"

/* Returns the PTX name of the kernel that `given` denotes: its PTX name, its CUDA name with or
 * without template arguments, or an unambiguous prefix of either. The result is in the arena.
 * Returns NULL after printing a message that lists the kernels. */
const char *kernel_choose(const Module *m, const char *given, Arena *a);
/* Lists the parameters of the kernel with this PTX name, each with the --arg that it takes. */
void kernel_list_params(const Module *m, const char *name);

#endif
