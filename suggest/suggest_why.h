/* SPDX-License-Identifier: MIT */
/* What is known of a candidate beside its plan, for people. */
#ifndef SUGGEST_SUGGEST_WHY_H
#define SUGGEST_SUGGEST_WHY_H

#include "suggest/candidate.h"

/* Which arrays it writes that the rest of the loop reads (of a kernel without one: the rest of it);
 * in arena a. */
const char *suggest_confirm(const Candidate *c, Arena *a);
/* That it waits for memory; NULL: it need not. */
const char *suggest_but(const Candidate *c, Arena *a);
/* The line of the loop around it, or of the kernel's CUDA source; 0: not known. */
uint32_t suggest_line_of_loop(const Candidate *c);

#endif
