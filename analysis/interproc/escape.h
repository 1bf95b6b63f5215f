/* SPDX-License-Identifier: MIT */
/* Do addresses of variables get into memory? */
#ifndef ANALYSIS_INTERPROC_ESCAPE_H
#define ANALYSIS_INTERPROC_ESCAPE_H

#include "parser/ptx.h"

/* Does the module put the address of a variable, or a value computed from one, into memory or pass
 * it to a function, or does an initialiser name one? Memory then holds more than numbers. Local
 * variables are not counted. */
bool escape_any(const Module *m);
/* The same, of the addresses of thread-local variables. */
bool escape_local(const Module *m);

#endif
