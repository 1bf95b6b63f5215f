/* SPDX-License-Identifier: MIT */
/* The fault service: reports what a check found, once for each kind and statement, unless the user
 * has silenced it. It knows the module and the launch's options; sim_fault, its caller, stops the
 * launch where that is needed. Internal to simt/. */
#ifndef SIMT_STATE_FAULTS_H
#define SIMT_STATE_FAULTS_H

#include <stdarg.h>
#include "base/vec.h"
#include "simt/simt.h"

typedef struct {
	const Module *m;
	/* of the launch: its options, its kernel, where reports go */
	const Sim_launch *l;
	uint32_t func;
	Buf *out;
	/* kind and statement, over all launches: what was reported; what the user was found to
	 * have silenced, or not to */
	VEC(uint64_t) seen, silenced, loud;
} Faults;

/* Who did it: a statement of the module, a thread of a block. */
typedef struct {
	uint32_t stmt;
	const uint32_t *block;          /* its x, y, z */
	uint32_t thread, warp, lane;
} Fault_at;

/* What follows from a fault: nothing, the user has silenced it; the launch goes on; it stops. */
typedef enum { FAULT_UNWANTED, FAULT_PASSED, FAULT_STOPS } Fault_effect;

Fault_effect fault_tell(Faults *f, const Fault_at *at, Fault kind, const char *fmt, va_list ap)
	__attribute__((format(printf, 4, 0)));
const char *fault_name(Fault kind);
void fault_release(Faults *f);

#endif
