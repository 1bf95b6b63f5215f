/* SPDX-License-Identifier: MIT */
/* The fault service: says what a check found, each kind once for a statement, and nothing that the
 * user does not want to hear of. It knows the module and the launch's options; what becomes of the
 * launch is for the caller to see to (sim_fault). Internal to simt/. */
#ifndef SIMT_FAULT_H
#define SIMT_FAULT_H

#include <stdarg.h>
#include "base/vec.h"
#include "simt/simt.h"

typedef struct {
	const Module *m;
	/* of the launch: its options, its kernel, where reports go */
	const Sim_launch *l;
	uint32_t func;
	Buf *out;
	/* of all launches, kind and statement: reported; those that are not wanted; those that
	 * are */
	VEC(uint64_t) seen, silenced, loud;
} Faults;

/* Who did it: a statement of the module, a thread of a block. */
typedef struct {
	uint32_t stmt;
	const uint32_t *block;          /* its x, y, z */
	uint32_t thread, warp, lane;
} Fault_at;

/* Is it not to be heard of; can the launch go on; or can it not? */
typedef enum { FAULT_UNWANTED, FAULT_PASSED, FAULT_STOPS } Fault_effect;

Fault_effect fault_tell(Faults *f, const Fault_at *at, Fault kind, const char *fmt, va_list ap)
	__attribute__((format(printf, 4, 0)));
const char *fault_name(Fault kind);
void fault_release(Faults *f);

#endif
