/* SPDX-License-Identifier: MIT */
/* Fault reporting: reports what a check found, once for each kind and statement, unless the user
 * has silenced it. It depends only on the module and the launch's options; its caller, sim_fault,
 * stops the launch if necessary. Internal to simt/. */
#ifndef SIMT_STATE_FAULTS_H
#define SIMT_STATE_FAULTS_H

#include <stdarg.h>
#include "base/vec.h"
#include "simt/simt.h"

typedef struct {
	const Module *m;
	/* the launch: its options, its kernel's function, where reports go */
	const Sim_launch *l;
	uint32_t func;
	Buf *out;
	/* kind and statement, over all launches: already reported; known to be silenced, or not
	 * silenced */
	VEC(uint64_t) seen, silenced, loud;
} Faults;

/* The origin of a fault: a statement of the module and a thread of a block. */
typedef struct {
	uint32_t stmt;
	const uint32_t *block;          /* its x, y, z */
	uint32_t thread, warp, lane;
} Fault_at;

/* Effect of a fault: none, because the user has silenced it; the launch continues; it stops. */
typedef enum { FAULT_UNWANTED, FAULT_PASSED, FAULT_STOPS } Fault_effect;

Fault_effect fault_report(Faults *f, const Fault_at *at, Fault kind, const char *fmt, va_list ap)
	__attribute__((format(printf, 4, 0)));
const char *fault_name(Fault kind);
void fault_release(Faults *f);

#endif
