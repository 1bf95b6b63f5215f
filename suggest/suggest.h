/* SPDX-License-Identifier: MIT */
/* Suggests annotations for functions without any (ptxccc --suggest). */
#ifndef SUGGEST_SUGGEST_H
#define SUGGEST_SUGGEST_H

#include "transform/pipeline/pass.h"

/* Adds a table of the module's branches and loops (base/advice.h), for each function those with the
 * largest expected gain first. opt: as for a transformation of the module; its profile is used. */
typedef void Suggest(const Module *m, const Pass_options *opt, Buf *out);
Suggest suggest_write_table;
/* The same for those that gain according to the profile but need a promise; adds nothing if there
 * are none. */
Suggest suggest_write_promises;

#endif
