/* SPDX-License-Identifier: MIT */
/* Counts the memory traffic of accesses. Internal to simt/. */
#ifndef SIMT_MEMORY_TRAFFIC_H
#define SIMT_MEMORY_TRAFFIC_H

#include "simt/state/access.h"

void count_access(Sim *s, const Access *x);

#endif
