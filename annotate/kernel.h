/* SPDX-License-Identifier: MIT */
/* Where the body of a kernel begins. */
#ifndef ANNOTATE_KERNEL_H
#define ANNOTATE_KERNEL_H

#include "annotate/cxx.h"

typedef struct {
	uint32_t body;          /* the byte behind its brace */
	Cxx_place place;        /* of that */
	/* why there is none, as what follows "'#pragma ccc grid' "; NULL: there is one */
	const char *wrong;
} Kernel_head;

/* Of the definition that starts with token t; x stands behind it. */
Kernel_head kernel_head(Cxx x, Cxx_token t);

#endif
