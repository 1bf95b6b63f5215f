/* SPDX-License-Identifier: MIT */
/* Suggests annotations for a module that was executed (ptxrun --advice). */
#ifndef DRIVER_RT_ADVICE_H
#define DRIVER_RT_ADVICE_H

#include "simt/simt.h"
#include "suggest/auto_output.h"

/* Appends what `ptxccc --suggest` suggests for the original module, by what s has executed: the
 * layers or, if there are none, the original. Appends nothing if nothing was executed. built: the
 * file that has the module, which sources that were edited since then are newer than; NULL:
 * unknown. */
void advice_of_executed(const Auto_layers *layers, const Sim *s, const char *built, Buf *out);

#endif
