/* SPDX-License-Identifier: MIT */
/* Counting of the cuts of annotated, untransformed code, as it is run. Internal to simt/. */
#ifndef SIMT_CUTS_H
#define SIMT_CUTS_H

#include "analysis/cuts.h"
#include "simt/head.h"

/* Finds the cuts of the function at hand, whose blocks are decoded next. */
void cuts_function(Head *h);
/* Adds the counting in front of a block. */
void cuts_block(Head *h, uint32_t block);

#endif
