/* SPDX-License-Identifier: MIT */
/* The variables whose addresses may flow into a register. Internal to validate/.
 *
 * For each definition of a register this finds the variables whose addresses flow into it, through
 * any instruction. LOCAL and OTHERS stand for any thread-local and any other memory, ANY for both.
 * A loaded value that is as wide as an address is OTHERS, and so are results of calls. If the
 * module stores or passes addresses of thread-local memory, these are ANY. A narrower value is a
 * NUMBER if the module stores no addresses (analysis/interproc/escape.h). An address that may be a
 * mere NUMBER counts as a loaded one. All .extern .shared arrays count as one variable, since they
 * begin at the same address. */
#ifndef VALIDATE_ALIAS_FLOW_H
#define VALIDATE_ALIAS_FLOW_H

#include "validate/state/state.h"

#define NUMBER (UINT64_C(1) << 61)
#define LOCAL (UINT64_C(1) << 62)
#define OTHERS (UINT64_C(1) << 63)
#define ANY (LOCAL | OTHERS)

enum { ALIAS_VARIABLES = 61 };

typedef struct {
	const Fn *fn;
	uint64_t *pointees;                     /* by definition */
	/* by bit; bit 0 stands for all dynamic shared memory */
	uint32_t variables[ALIAS_VARIABLES], n;
	uint64_t local;                         /* LOCAL, and the thread-local variables */
	uint64_t loaded;                        /* memory that a loaded address may point to */
	bool scratch;                           /* thread-local memory does not count */
} Alias_flow;

Alias_flow alias_flow_build(const Fn *fn, Arena *a);
/* Returns the variables whose addresses may be in the k-th operand, or in the base of its
 * address. */
uint64_t alias_operand(Alias_flow *w, uint32_t stmt, uint32_t k);

#endif
