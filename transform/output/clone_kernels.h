/* SPDX-License-Identifier: MIT */
/* Original kernels in addition to the transformed ones, for builds that choose when the program
 * starts (cccnvcc --ccc-switchable, docs/builds.md). */
#ifndef TRANSFORM_OUTPUT_CLONE_KERNELS_H
#define TRANSFORM_OUTPUT_CLONE_KERNELS_H

#include "base/buf.h"
#include "base/vec.h"
#include "parser/ptx.h"
#include "transform/plan/report.h"

typedef VEC(const char *) Name_list;

/* Adds to text, which was made from m, a copy NAME_ccc_off of every kernel of m that has
 * annotations or calls (transitively, by name) a function that does, plus those in `also`, and of
 * the functions in between. The copies are unchanged except that they have no markers. False if the
 * result cannot be parsed; text is unchanged then. */
bool clone_kernels(const Module *m, const Name_list *also, Buf *text, Buf *why);
/* The same for the kernels with a plan that is unsure (report.h), with the code of module `plain`,
 * which nvcc generates from the same source without annotations. Kernels in whose code a name has
 * another meaning are left out. If the plan needs timing, NAME is the original and NAME_ccc_on the
 * transformed kernel. On failure with such a kernel, text becomes `plain`. */
bool clone_unsure_kernels(
	const Module *m, const Module *plain, const Report *r, Buf *text, Buf *why);

#endif
