/* SPDX-License-Identifier: MIT */
/* Selects the branches and loops of a program that are worth annotating (ptxrun --advice). */
#ifndef SIMT_REPORT_ADVICE_H
#define SIMT_REPORT_ADVICE_H

#include "simt/simt.h"

/* Appends a table of the module's sites at which all launches with .lines so far lost issue slots,
 * in descending order; nothing if no kernel has run. */
void sim_advice(const Sim *s, Buf *out);

#endif
