/* SPDX-License-Identifier: MIT */
/* Code that lanes execute after they have left a loop and before the others that left it have
 * joined them, such as the shading in `if (hit) { shade(); break; }`. A GPU executes it once for
 * each iteration in which lanes leave, a program whose lanes leave the loop together only once. */
#ifndef ANALYSIS_REGION_EXIT_CODE_H
#define ANALYSIS_REGION_EXIT_CODE_H

#include "analysis/region/profile_points.h"

/* One exit of a loop. first: where its code begins. blocks: the code. */
typedef struct { uint32_t first; Bits blocks; } Exit_code;
typedef struct { Exit_code *at; uint32_t n; } Exit_codes;

/* Returns the exits of a loop whose code takes at least 32 issue slots (static_cost.h), none for
 * loop 0. Code from which the loop can be entered again is left out. */
Exit_codes exit_codes_find(const Fn *fn, uint32_t loop, Arena *a);

#endif
