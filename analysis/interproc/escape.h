/* SPDX-License-Identifier: MIT */
/* Whether addresses of variables are stored in memory. */
#ifndef ANALYSIS_INTERPROC_ESCAPE_H
#define ANALYSIS_INTERPROC_ESCAPE_H

#include "parser/ptx.h"

/* Whether the module stores the address of a variable, or a value computed from one, in memory or
 * passes it to a function, or names one in an initialiser. Memory may then hold addresses, not only
 * numbers. Ignores local variables. */
bool escape_any(const Module *m);
/* The same for the addresses of thread-local variables. */
bool escape_local(const Module *m);

#endif
