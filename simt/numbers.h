/* SPDX-License-Identifier: MIT */
/* What an access counts. Internal to simt/. */
#ifndef SIMT_NUMBERS_H
#define SIMT_NUMBERS_H

#include "simt/access.h"

/* The traffic of an access. */
void numbers_access(Sim *s, const Access *x);

#endif
