/* SPDX-License-Identifier: MIT */
/* Counting the memory traffic of accesses. Internal to simt/. */
#ifndef SIMT_NUMBERS_H
#define SIMT_NUMBERS_H

#include "simt/access.h"

void numbers_access(Sim *s, const Access *x);

#endif
