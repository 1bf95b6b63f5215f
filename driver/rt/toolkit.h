/* SPDX-License-Identifier: MIT */
/* Gets the machine code of PTX from NVIDIA's toolkit, if that is installed. */
#ifndef DRIVER_RT_TOOLKIT_H
#define DRIVER_RT_TOOLKIT_H

#include <stdint.h>
#include "base/buf.h"
#include "base/source.h"

/* Appends nvdisasm's listing of the text, assembled by `ptxas` (a path, or a name to look up on
 * PATH; nvdisasm is looked for next to it, then on PATH). The target is sm_ARCH, or the text's
 * own if that is newer or architecture-specific (sm_90a). Returns false on failure and appends
 * the reason to why. */
bool toolkit_listing(const char *ptxas, const Source *ptx, uint32_t arch, Buf *listing, Buf *why);

#endif
