/* SPDX-License-Identifier: MIT */
/* Names of functions as C++ has them, for people. */
#ifndef BASE_DEMANGLE_H
#define BASE_DEMANGLE_H

#include "base/arena.h"

/* The function's name without its parameters, "graph::visit<4, float>", of a name as the C++ ABI
 * writes it; a copy in the arena. A name that is none of C++'s, or one too odd for this reader,
 * comes out as it is. */
const char *demangle(Arena *a, const char *name, size_t len);

#endif
