/* SPDX-License-Identifier: MIT */
/* The cicc hook's part in switchable kernels (switch.h). */
#ifndef ANNOTATE_SWITCHED_H
#define ANNOTATE_SWITCHED_H

#include "annotate/setup.h"

/* Makes the host code switch the kernels whose originals are in the PTX file (NULL: none).
 * Returns the exit status. */
int hook_write_switch(const Hook *h, const char *ptx);
/* Tells ptxccc these kernels, so that a second compilation keeps their originals, too. Returns
 * the exit status. */
int hook_note_switched(const Hook *h, const char *ptx);

#endif
