/* SPDX-License-Identifier: MIT */
/* What the cicc hook does for kernels that can be switched when the program runs (switch.h). */
#ifndef ANNOTATE_SWITCHED_H
#define ANNOTATE_SWITCHED_H

#include "annotate/setup.h"

/* Has the host's code switch the kernels that the PTX at this path has as they were, too; NULL:
 * there is none. Gives the exit status. */
int hook_put_switch(const Hook *h, const char *ptx);
/* Tells ptxccc of the kernels: a second compilation has them, too. */
int hook_note_switched(const Hook *h, const char *ptx);

#endif
