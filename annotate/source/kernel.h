/* SPDX-License-Identifier: MIT */
/* Finds where the body of a kernel begins. */
#ifndef ANNOTATE_SOURCE_KERNEL_H
#define ANNOTATE_SOURCE_KERNEL_H

#include "annotate/source/cxx.h"

typedef struct {
	uint32_t body;          /* the byte after its opening brace */
	Cxx_place place;        /* place of that byte */
	/* why there is no body, as a continuation of "'#pragma ccc grid' "; NULL if there is one */
	const char *wrong;
} Kernel_head;

/* Parses the head of the definition that starts with token t; x is after t. */
Kernel_head kernel_head(Cxx x, Cxx_token t);

#endif
