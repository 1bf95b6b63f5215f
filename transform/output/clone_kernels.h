/* SPDX-License-Identifier: MIT */
/* Kernels as they were, beside the transformed ones: for builds that decide when the program starts
 * (cccnvcc --ccc-switchable, docs/builds.md). */
#ifndef TRANSFORM_OUTPUT_CLONE_KERNELS_H
#define TRANSFORM_OUTPUT_CLONE_KERNELS_H

#include "base/buf.h"
#include "base/vec.h"
#include "parser/ptx.h"

typedef VEC(const char *) Names;

/* Adds to text, which was made from m, each kernel of m that has annotations or can come to call by
 * name a function that has, and those that `also` names, as they are in m, under NAME_ccc_off; the
 * functions too that stand between. Their markers are left out. False: the text cannot be read, or
 * not any more with them; then it is as it was. */
bool untouched_put(const Module *m, const Names *also, Buf *text, Buf *why);

#endif
