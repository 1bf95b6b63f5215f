/* SPDX-License-Identifier: MIT */
/* The driver's own compiler as an assembler: what it makes of PTX that a program loads. */
#ifndef DRIVER_LOAD_JIT_H
#define DRIVER_LOAD_JIT_H

#include "base/buf.h"

/* Opens the driver and a context on a GPU of this architecture. False if there is none; an emulator
 * has no machine code. */
bool load_jit_open(unsigned arch);
/* Compiles PTX to machine code. `log` gets what the compiler says about registers. */
bool load_jit_compile(const char *ptx, size_t len, Buf *code, Buf *log);
/* Whether the driver makes this machine code when a program loads the PTX: it is in the driver's
 * cache then. */
bool load_jit_loads(const char *ptx, const Buf *code);
void load_jit_close(void);

#endif
