/* SPDX-License-Identifier: MIT */
/* Programs that decide when they start whether their kernels are the transformed ones
 * (--ccc-switchable): what the host's code must know for that. */
#ifndef ANNOTATE_SWITCH_H
#define ANNOTATE_SWITCH_H

#include <stdbool.h>
#include "base/buf.h"

/* Adds the names, one a line, of the kernels in the PTX at this path that stand there as they were
 * too. */
void switch_kernels(const char *ptx, Buf *names);

typedef struct {
	const char *source;     /* for messages */
	const char *stub;       /* cicc's file of host code; NULL: nothing is done */
	const char *include;    /* the name of the file that it includes for the fat binary */
	/* of kernels, one a line, that this architecture's code can switch */
	const char *names;
} Switch;

/* Makes the host's code switch the kernels that the code of each architecture so far can. Those
 * that only some can are told as a line each of `left`. False, after a message: the file is not
 * what is known, or cannot be written. */
bool switch_put(const Switch *s, Buf *left);

#endif
