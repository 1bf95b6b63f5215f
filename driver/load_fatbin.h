/* SPDX-License-Identifier: MIT */
/* Selects what a GPU executes of a fat binary. */
#ifndef DRIVER_LOAD_FATBIN_H
#define DRIVER_LOAD_FATBIN_H

#include "base/buf.h"
#include "base/source.h"

/* The name of a module's PTX in reports and profiles, however it is loaded. */
#define LOADED_PTX "module.ptx"

typedef struct {
	Source ptx;
	Buf code;               /* machine code that the driver would load; empty: none */
	unsigned code_arch;     /* its architecture, 90 for sm_90 */
	/* The PTX is for another architecture than the machine code, so its source may differ. */
	bool other_source;
} Fatbin_choice;

/* Reads a container for a GPU. Returns false, and leaves the result to be released, if it has no
 * PTX to use, or if it is unknown which machine code or PTX the driver would choose. */
bool fatbin_choose(const Source *container, unsigned arch, Fatbin_choice *to);
void fatbin_choice_release(Fatbin_choice *c);

#endif
