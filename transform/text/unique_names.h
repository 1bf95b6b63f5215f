/* SPDX-License-Identifier: MIT */
/* Properties of the names in a module. */
#ifndef TRANSFORM_TEXT_UNIQUE_NAMES_H
#define TRANSFORM_TEXT_UNIQUE_NAMES_H

#include "analysis/interproc/effects.h"

/* Returns one more than the largest number in the module's names of the form ccc<number>... */
uint32_t unique_first_number(const Module *m);

/* Whether the function is an uncalled constructor or destructor of one of cccnvcc's guards
 * (_ZN8__ccc_g0C1Ev). nvcc's -keep-device-functions keeps them after inlining, each with one
 * marker. If it is called, its markers are missing in the caller. */
bool module_has_guard_names(const Module *m, const Effects *effects, uint32_t func);

#endif
