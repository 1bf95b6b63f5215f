/* SPDX-License-Identifier: MIT */
/* What is worth an annotation in functions without any (ptxccc --suggest). */
#ifndef SUGGEST_SUGGEST_H
#define SUGGEST_SUGGEST_H

#include "transform/pipeline/pass.h"

/* Adds a table of the branches and loops of the module (base/advice.h), of each function those of
 * which most is expected first. opt: as the module would be transformed; its profile is asked. */
typedef void Suggest(const Module *m, const Pass_options *opt, Buf *out);
Suggest suggest;
/* The same of those that gain by the profile, but need a promise: nothing, if there are none. */
Suggest suggest_promises;

#endif
