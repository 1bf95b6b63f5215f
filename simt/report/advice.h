/* SPDX-License-Identifier: MIT */
/* Which branches and loops of a program are worth annotating (ptxrun --advice). */
#ifndef SIMT_REPORT_ADVICE_H
#define SIMT_REPORT_ADVICE_H

#include "simt/simt.h"

/* Adds a table of the sites of the module at which all launches with .lines so far lost issue
 * slots, most first; nothing if no kernel ran. */
void sim_advice(const Sim *s, Buf *out);

#endif
