/* SPDX-License-Identifier: MIT */
/* Programs that select transformed or original kernels when they start (--ccc-switchable), or by
 * the times of their first launches (--ccc-timed): the necessary changes to the host code. */
#ifndef ANNOTATE_SWITCH_H
#define ANNOTATE_SWITCH_H

#include <stdbool.h>
#include "base/buf.h"

/* Appends the names, one per line, of the kernels in the PTX file that it also contains in another
 * version; timed: the names of these versions, NAME_ccc_off or NAME_ccc_on. */
void switch_kernels(const char *ptx, bool timed, Buf *names);

typedef struct {
	const char *source;     /* for messages */
	const char *stub;       /* cicc's file of host code; NULL: nothing is done */
	const char *include;    /* name of the fat binary file that it includes */
	/* of the kernels that this architecture's code can switch (switch_kernels) */
	const char *names;
	bool timed;             /* the program chooses by the times of their first launches */
} Switch;

/* Changes the host code to switch the kernels that can be switched in the code of all
 * architectures so far. Lists the others, one per line, in `left`. Returns false after printing
 * a message if the file has an unexpected form or cannot be written. */
bool switch_update(const Switch *s, Buf *left);

#endif
