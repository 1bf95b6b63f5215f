/* SPDX-License-Identifier: MIT */
/* What the names in a module tell. */
#ifndef TRANSFORM_TEXT_UNIQUE_NAMES_H
#define TRANSFORM_TEXT_UNIQUE_NAMES_H

#include "analysis/interproc/effects.h"

/* One more than the largest number in names ccc<number>... that the module holds already. */
uint32_t names_first_number(const Module *m);

/* Is the function a constructor or destructor of one of cccnvcc's guards (_ZN8__ccc_g0C1Ev) that
 * nothing calls? nvcc's -keep-device-functions leaves those behind after they were inlined, each
 * with one marker. If it is called, the markers are missing elsewhere. */
bool names_left_of_guard(const Module *m, const Effects *effects, uint32_t func);

#endif
