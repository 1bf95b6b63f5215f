/* SPDX-License-Identifier: MIT */
/* Demangles names of C++ functions for messages. */
#ifndef BASE_DEMANGLE_H
#define BASE_DEMANGLE_H

#include "base/arena.h"

/* Returns the function's name without its parameters, "graph::visit<4, float>", for a name mangled
 * by the Itanium C++ ABI; a copy in the arena. Names that are not mangled, or that this reader does
 * not understand, are returned unchanged. */
const char *demangle(Arena *a, const char *name, size_t len);

#endif
