/* SPDX-License-Identifier: MIT */
/* Additional facts about a candidate for reports. */
#ifndef SUGGEST_SUGGEST_WHY_H
#define SUGGEST_SUGGEST_WHY_H

#include "suggest/candidate.h"

/* Returns which arrays it writes that the rest of the loop reads (without a loop: the rest of the
 * kernel); in arena a. */
const char *suggest_arrays_to_confirm(const Candidate *c, Arena *a);
/* Returns a note that it accesses memory often; NULL if it does not. */
const char *suggest_note_waiting(const Candidate *c, Arena *a);
/* Returns that a loop keeps the best value and its place, and what to write instead; NULL if it
 * does not. */
const char *suggest_note_extreme(const Candidate *c, Arena *a);
/* Returns the line of the enclosing loop, in the CUDA source if known, else in the PTX. */
uint32_t suggest_loop_line(const Candidate *c);

#endif
