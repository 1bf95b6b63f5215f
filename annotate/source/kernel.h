/* SPDX-License-Identifier: MIT */
/* Finds where the definition of a kernel, or of another function, and its body begin. */
#ifndef ANNOTATE_SOURCE_KERNEL_H
#define ANNOTATE_SOURCE_KERNEL_H

#include "annotate/source/cxx.h"

typedef struct {
	uint32_t body;          /* the byte after its opening brace */
	Cxx_place place;        /* place of that byte */
	Cxx_token first;        /* the first word after template <...>, extern and "C" */
	/* why there is no body, as a continuation of "'#pragma ccc grid' "; NULL if there is one */
	const char *wrong;
} Kernel_head;

/* Parses the head of the definition that starts with token t; x is after t. */
Kernel_head kernel_head(Cxx x, Cxx_token t);
/* The same for a function of any kind; `wrong` is NULL if it is a definition. */
Kernel_head function_head(Cxx x, Cxx_token t);

#endif
