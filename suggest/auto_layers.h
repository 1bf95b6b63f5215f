/* SPDX-License-Identifier: MIT */
/* Text that counts all candidates of functions without annotations. */
#ifndef SUGGEST_AUTO_LAYERS_H
#define SUGGEST_AUTO_LAYERS_H

#include "suggest/suggest.h"
#include "transform/text/edit.h"

/* Adds the module's text with markers for all candidates with a plan, as layers
 * (LAYERS_OF_MARKERS); nothing if there are none. Depends on the text alone. The records of what
 * such a text counts are those that auto_markers_select uses. */
Suggest auto_layers_write;
/* Queues the edits that make that text. Returns false if there are none. */
bool auto_layers_queue(const Module *m, const Pass_options *opt, Edits *e);

#endif
