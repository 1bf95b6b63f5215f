/* SPDX-License-Identifier: MIT */
/* Asking NVIDIA's toolkit, where it is at hand, for the machine code of PTX. */
#ifndef DRIVER_RT_TOOLKIT_H
#define DRIVER_RT_TOOLKIT_H

#include <stdint.h>
#include "base/buf.h"
#include "base/source.h"

/* Adds to listing what nvdisasm lists of the text as assembled by `ptxas` (a path, or a name that
 * is looked up on PATH; nvdisasm is looked for beside it, then on PATH), for sm_ARCH, or for what
 * the text names if that is newer or one architecture's own (sm_90a). False: adds to why what was
 * wrong. */
bool toolkit_listing(const char *ptxas, const Source *ptx, uint32_t arch, Buf *listing, Buf *why);

#endif
