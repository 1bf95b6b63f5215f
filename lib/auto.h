/* SPDX-License-Identifier: MIT */
/* Option --auto: functions without annotations are transformed, too. */
#ifndef LIB_AUTO_H
#define LIB_AUTO_H

#include "lib/context.h"

/* As output_make(), after inserting annotations into the functions that have none
 * (suggest/auto_markers.h). The output is the text of m if nothing is transformed. */
void auto_output_make(ptxccc *c, const Module *m, const Pass_options *pass, Diags *d, Output *out);
/* Returns the text of m with counted annotations at all places that --auto may transform; m if
 * there are none. */
const Module *auto_layers(const Module *m, const Pass_options *pass);

#endif
